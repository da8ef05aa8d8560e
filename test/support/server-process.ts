import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built program: `globalSetup` builds it before any test. */
export const cliPath = fileURLToPath(new URL('../../dist/client/cli/main.js', import.meta.url));

/** How long a server may take to say its address, on a machine that is busy with other tests. */
const startTimeoutMs = 30_000;

export interface ServerOptions {
  /** Folder for the data; by default a new one, which `dispose` removes. */
  readonly data?: string;
  /** More environment variables. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A real server in a process of its own, on a free port of 127.0.0.1, to be killed and started again at will. */
export class ServerProcess {
  readonly data: string;
  private readonly ownsData: boolean;
  private readonly env: NodeJS.ProcessEnv;
  private child: ChildProcess | undefined;
  private address: URL | undefined;
  private said = '';

  private constructor(data: string, ownsData: boolean, env: NodeJS.ProcessEnv) {
    this.data = data;
    this.ownsData = ownsData;
    this.env = env;
  }

  /** Starts one and waits until it listens. */
  static async start({ data, env = {} }: ServerOptions = {}): Promise<ServerProcess> {
    const folder = data ?? (await mkdtemp(join(tmpdir(), 'planroom-test-')));
    const server = new ServerProcess(folder, data === undefined, env);
    await server.restart();
    return server;
  }

  /** `http://127.0.0.1:<port>`; the same after a restart. */
  get url(): string {
    if (!this.address) throw new Error('The server was never started.');
    return this.address.origin;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** What it printed since it was last started, stdout and stderr together. */
  get output(): string {
    return this.said;
  }

  /** Ends the process at once, as a crash would, and waits until it is gone. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Ends the process in good order, and waits until it is gone. */
  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** Starts it again, on the same port and data; kills it first if it still runs. */
  async restart(): Promise<void> {
    await this.kill();
    this.said = '';
    const port = this.address?.port ?? '0';
    const child = spawn(process.execPath, [cliPath, 'serve', '--port', port, '--data', this.data], {
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.address = await this.untilReady(child);
  }

  /** Kills it and removes a data folder that was made for it. */
  async dispose(): Promise<void> {
    await this.kill();
    if (this.ownsData) await rm(this.data, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** The address is the last line of start-up. */
  private untilReady(child: ChildProcess): Promise<URL> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`The server did not start: ${why}\n${this.said}`));
      const timer = setTimeout(() => fail(`it said no address within ${startTimeoutMs} ms`), startTimeoutMs);
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        fail(`it ended with ${code ?? signal}`);
      });
      const onText = (chunk: Buffer): void => {
        this.said += chunk.toString('utf8');
        const ready = /\bready at (http:\/\/\S+)\n/.exec(this.said);
        if (!ready?.[1]) return;
        clearTimeout(timer);
        resolve(new URL(ready[1]));
      };
      child.stdout?.on('data', onText);
      child.stderr?.on('data', onText);
    });
  }
}
