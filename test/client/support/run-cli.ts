import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cliPath } from '../../support/server-process.ts';

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly input?: string | Buffer;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs the built program to its end, as a shell would. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const running = new RunningCli(args, options);
  running.child.stdin.end(options.input ?? '');
  return running.exited;
}

/** The built program while it runs. */
export class RunningCli {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<CliRun>;
  private stdout = '';
  private stderr = '';
  private readonly listeners = new Set<() => void>();

  constructor(args: readonly string[], { env }: CliOptions = {}) {
    this.child = spawn(process.execPath, [cliPath, ...args], { env: { ...cleanEnvironment(), ...env } });
    this.child.stdout.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
      this.tell();
    });
    this.child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
      this.tell();
    });
    // A program that does not read its stdin may be gone before it is written.
    this.child.stdin.on('error', () => undefined);
    this.exited = once(this.child, 'close').then(([code]) => ({ code, stdout: this.stdout, stderr: this.stderr }));
  }

  /** The first match of the pattern in what was printed on that stream, as soon as it is there. */
  printed(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(this[stream]);
        if (!match) return;
        this.listeners.delete(look);
        resolve(match);
      };
      this.listeners.add(look);
      void this.exited.then((run) => reject(new Error(`ended without ${pattern}: ${JSON.stringify(run)}`)));
      look();
    });
  }

  end(signal: NodeJS.Signals): Promise<CliRun> {
    this.child.kill(signal);
    return this.exited;
  }

  private tell(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

/** The environment without settings of planroom and of colours that whoever runs the tests may have. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PLANROOM_') && name !== 'NO_COLOR' && name !== 'FORCE_COLOR',
  );
  return Object.fromEntries(kept);
}
