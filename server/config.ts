import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { err, ok, type Result } from '../shared/plan/result.ts';
import { isLoopbackName } from './endpoints/local-guard.ts';
import { type LogLevel, logLevels } from './log.ts';

/** Settings as they come from flags or the environment: text, or absent. */
export interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly data?: string;
  /** Folders that file tools reach, separated as in PATH; none by default. */
  readonly files?: string;
}

export interface Config {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Absolute path of the folder that holds everything. */
  readonly folder: string;
  /** Absolute paths of the folders that file tools reach. */
  readonly fileFolders: readonly string[];
  readonly logLevel: LogLevel;
}

export const defaultPort = 4747;

/** Ports that browsers and `fetch` refuse to connect to: a server there could not be reached. https://fetch.spec.whatwg.org/#port-blocking */
const blockedPorts: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * A flag wins over the environment (`PLANROOM_HOST`, `PLANROOM_PORT`, `PLANROOM_DATA`, `PLANROOM_FILES`), the environment
 * over the default. An empty variable is as good as none; an empty flag is a mistake. `PLANROOM_LOG` has no flag.
 */
export function readConfig(options: ServeOptions, environment: NodeJS.ProcessEnv): Result<Config, string> {
  const host = options.host ?? (environment.PLANROOM_HOST || '127.0.0.1');
  const port = options.port ?? (environment.PLANROOM_PORT || String(defaultPort));
  const folder = options.data ?? (environment.PLANROOM_DATA || defaultFolder(environment));
  if (!isLoopbackName(host)) {
    return err(
      `--host ${host} would open the server to other machines, and it has no tokens to tell them apart yet. Use 127.0.0.1, ::1 or localhost.`,
    );
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    return err(`--port must be a number from 0 (any free port) to 65535, not '${port}'.`);
  }
  if (blockedPorts.has(Number(port))) {
    return err(
      `--port ${port} is one that browsers and fetch refuse to connect to. Use another, such as ${defaultPort}.`,
    );
  }
  if (folder === '') return err('--data must name a folder; it is empty.');
  const logLevel = logLevels.find((level) => level === (environment.PLANROOM_LOG || 'warn'));
  if (!logLevel) {
    return err(`PLANROOM_LOG must be one of ${logLevels.join(', ')}, not '${environment.PLANROOM_LOG}'.`);
  }
  const files = options.files ?? environment.PLANROOM_FILES ?? '';
  const fileFolders = files.split(delimiter).flatMap((path) => (path === '' ? [] : [resolve(path)]));
  return ok({ host, port: Number(port), folder: resolve(folder), fileFolders, logLevel });
}

function defaultFolder(environment: NodeJS.ProcessEnv): string {
  const base = environment.XDG_DATA_HOME || join(homedir(), '.local', 'share');
  return join(base, 'planroom');
}
