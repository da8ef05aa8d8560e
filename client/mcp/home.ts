import { type ChildProcess, spawn } from 'node:child_process';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import { backOffDelayMs } from '../sdk/back-off.ts';
import { backOff, bounds } from './bounds.ts';
import { dataFolder, type Holder, holderOf, logPath, openLog } from './data-folder.ts';
import { delay } from './time.ts';

export interface HomeOptions {
  /** Where the server is, or would be. */
  readonly url: string;
  /** The URL was chosen: no other server will do, and none is started. */
  readonly isUrlFixed: boolean;
  /** Folder that was chosen for the data: only the server that holds it will do. */
  readonly data?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** The program that has `serve`. */
  readonly program: string;
  /** For whoever reads stderr. */
  readonly say: (text: string) => void;
}

/** What the bridge asks of its home. */
export type Whereabouts = Pick<Home, 'url' | 'ready' | 'lookAgain' | 'startCommand'>;

/** For a bridge that was told nonsense: it leads nowhere, and every request is answered with the reason. */
export function nowhere(reason: string): Whereabouts {
  return {
    url: 'http://nowhere.invalid',
    startCommand: '',
    lookAgain: () => undefined,
    ready: () => Promise.resolve(err(reason)),
  };
}

type Found = Result<string, string>;

/** The server that the bridge belongs to: found, or started in the background, where it stays. */
export class Home {
  private readonly options: HomeOptions;
  private readonly folder: string;
  private origin: string;
  private finding: Promise<Found> | undefined;
  private isFound: boolean;
  private failure: { readonly message: string; readonly atMs: number } | undefined;

  constructor(options: HomeOptions) {
    this.options = options;
    this.folder = dataFolder(options.data, options.env);
    this.origin = options.url;
    this.isFound = options.isUrlFixed;
  }

  /** Where to find it. */
  get url(): string {
    return this.origin;
  }

  /** Settles when there is a server, or why there is none. Once found it is not looked for again. */
  async ready(): Promise<Result<void, string>> {
    if (this.isFound) return ok(undefined);
    const { failure } = this;
    if (failure && Date.now() - failure.atMs < bounds.awayPatienceMs) return err(failure.message);
    this.finding ??= this.findOrStart().finally(() => {
      this.finding = undefined;
    });
    const found = await this.finding;
    if (!found.ok) {
      this.failure = { message: found.error, atMs: Date.now() };
      return found;
    }
    this.isFound = true;
    this.origin = found.value;
    return ok(undefined);
  }

  /** A server that was away may be back at another address. */
  lookAgain(): void {
    if (this.options.isUrlFixed) return;
    const { url } = holderOf(this.folder) ?? {};
    if (url !== undefined) this.origin = url;
  }

  /** How to start it, for whoever misses it. */
  get startCommand(): string {
    const { data, isUrlFixed } = this.options;
    const { hostname, port } = new URL(this.origin);
    if (isUrlFixed)
      return isLocal(hostname) && port ? `planroom serve --port ${port}` : `planroom serve, on ${hostname}`;
    return `planroom serve${data ? ` --data ${this.folder}` : ''}`;
  }

  private async findOrStart(): Promise<Found> {
    const { url, data } = this.options;
    // Without a folder it is the usual address that counts, as for all other commands.
    if (!data && (await isReady(url))) return ok(url);
    const holder = holderOf(this.folder);
    if (holder?.url !== undefined && (await isReady(holder.url))) return ok(holder.url);
    return this.start();
  }

  /** Others may do the same at the same time: the lock of the folder decides whose server stays. */
  private async start(): Promise<Found> {
    const { data, env } = this.options;
    const until = Date.now() + bounds.startPatienceMs;
    // The usual port may be another folder's. Who names a folder finds its server by that.
    const portArguments = data && !env.PLANROOM_PORT ? [[], ['--port', '0']] : [[]];
    let child = this.spawnServer(portArguments.shift() ?? []);
    for (let attempt = 0; child.ok && Date.now() < until; attempt += 1) {
      const holder = holderOf(this.folder);
      if (holder?.url !== undefined && (await isReady(holder.url))) {
        this.tell(holder, child.value);
        return ok(holder.url);
      }
      if (!holder && hasEnded(child.value)) {
        const next = portArguments.shift();
        if (!next) break;
        child = this.spawnServer(next);
        continue;
      }
      await delay(backOffDelayMs(attempt, () => 1, { ...backOff, firstDelayMsMax: 20, delayMsMax: 250 }));
    }
    if (!child.ok) return child;
    return err(
      `No planroom server is running, and none could be started; ${logPath(this.folder)} says why. Start it with: ${this.startCommand}`,
    );
  }

  private spawnServer(portArguments: readonly string[]): Result<ChildProcess, string> {
    const { program, env } = this.options;
    try {
      const log = openLog(this.folder);
      const child = spawn(process.execPath, [program, 'serve', '--data', this.folder, ...portArguments], {
        detached: true,
        env,
        stdio: ['ignore', log.fd, log.fd],
        windowsHide: true,
      });
      child.on('error', () => undefined);
      child.unref();
      log.close();
      return ok(child);
    } catch (error) {
      return err(`No planroom server is running, and none could be started: ${(error as Error).message}`);
    }
  }

  private tell({ pid, url }: Holder, child: ChildProcess): void {
    const { say } = this.options;
    if (pid !== child.pid) say(`using the server at ${url} (process ${pid})`);
    else {
      say(
        `no server was running: started one in the background at ${url} (process ${pid}, log ${logPath(this.folder)}); it stays when this ends`,
      );
    }
  }
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(bounds.probeTimeoutMs) });
    const { ok } = (await response.json()) as { readonly ok?: unknown };
    return response.ok && ok === true;
  } catch {
    return false;
  }
}
