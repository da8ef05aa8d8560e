import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { bounds } from './bounds.ts';

/** The server that holds a data folder, as it says itself in server.json. */
export interface Holder {
  readonly pid: number;
  /** Absent until it listens. */
  readonly url?: string;
}

/** Where the server keeps its data when nothing else is said; the same as in server/config.ts. */
export function dataFolder(named: string | undefined, env: NodeJS.ProcessEnv): string {
  return resolve(named || join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'planroom'));
}

/** Undefined when nobody holds the folder, or whoever did is gone. */
export function holderOf(folder: string): Holder | undefined {
  try {
    const { pid, url } = JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8'));
    if (typeof pid !== 'number' || !isAlive(pid)) return undefined;
    return { pid, ...(typeof url === 'string' && URL.canParse(url) && { url: new URL(url).origin }) };
  } catch {
    return undefined;
  }
}

export function logPath(folder: string): string {
  return join(folder, 'server.log');
}

/** Opens the log of a server in the background, for appending. Throws when the folder cannot be written to. */
export function openLog(folder: string): { readonly fd: number; readonly close: () => void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = logPath(folder);
  if (existsSync(path) && statSync(path).size > bounds.logBytesMax) renameSync(path, `${path}.old`);
  const fd = openSync(path, 'a', 0o600);
  return { fd, close: () => closeSync(fd) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
