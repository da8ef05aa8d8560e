import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./store-child.mjs', import.meta.url));

/** A process that runs store-child.mjs; see there for the modes. */
export class StoreChild {
  /** What it said so far. */
  readonly lines: string[] = [];
  private readonly process: ChildProcess;
  private readonly exited: Promise<unknown>;
  private readonly closed: Promise<unknown>;
  private waiting: { count: number; resolve: () => void }[] = [];

  constructor(mode: 'hold' | 'write', folder: string, ...more: string[]) {
    this.process = spawn(process.execPath, [script, mode, folder, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.exited = once(this.process, 'exit');
    const { stdout } = this.process;
    if (!stdout) throw new Error('no pipe to the child');
    const reader = createInterface({ input: stdout });
    reader.on('line', (line) => {
      this.lines.push(line);
      this.wake(this.lines.length);
    });
    this.closed = once(reader, 'close').then(() => this.wake(Number.POSITIVE_INFINITY));
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Until it said that many lines, or ended. */
  said(count: number): Promise<void> {
    if (this.lines.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ count, resolve }));
  }

  /** `kill -9`; resolves when it is gone and all it said is here. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.exited;
    await this.closed;
  }

  private wake(count: number): void {
    const ready = this.waiting.filter((waiter) => waiter.count <= count);
    this.waiting = this.waiting.filter((waiter) => waiter.count > count);
    for (const { resolve } of ready) resolve();
  }
}
