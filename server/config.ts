import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { err, ok, type Result } from '../shared/plan/result.ts';
import { isLoopbackName } from './endpoints/local-guard.ts';

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
}

export const defaultPort = 4747;

/** A flag wins over the environment (`PLANROOM_HOST`, `PLANROOM_PORT`, `PLANROOM_DATA`, `PLANROOM_FILES`), the environment over the default. */
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
  const files = options.files ?? environment.PLANROOM_FILES ?? '';
  const fileFolders = files.split(delimiter).flatMap((path) => (path === '' ? [] : [resolve(path)]));
  return ok({ host, port: Number(port), folder: resolve(folder), fileFolders });
}

function defaultFolder(environment: NodeJS.ProcessEnv): string {
  const base = environment.XDG_DATA_HOME || join(homedir(), '.local', 'share');
  return join(base, 'planroom');
}
