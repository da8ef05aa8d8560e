import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Result } from '../../shared/plan/result.ts';
import { err, ok } from '../../shared/plan/result.ts';
import type { Database } from './sqlite-driver.ts';
import { openDatabase } from './sqlite-driver.ts';
import { classify, systemCode } from './sqlite-error.ts';
import { applicationId, migrate, schemaVersion } from './sqlite-schema.ts';
import type { StoreErrorCode } from './store.ts';

/** Why the store's file could not be opened; nothing was written then. `message` is for the operator and names the file. */
export interface StoreOpenError {
  readonly code: 'not_a_database' | 'schema_newer' | Exclude<StoreErrorCode, 'store_closed'>;
  readonly message: string;
}

export interface FileOptions {
  readonly folder: string;
  /** Writes that would make the file larger answer `store_full`; undefined: only the disk bounds it. */
  readonly fileBytesMax?: number | undefined;
}

const busyTimeoutMs = 2_000;
const pageBytes = 4_096;

export function filePath(folder: string): string {
  return join(folder, 'planroom.db');
}

/** SQLite's write-ahead log: what was committed and is not in planroom.db yet. */
export function logPath(folder: string): string {
  return `${filePath(folder)}-wal`;
}

/**
 * Makes the data folder (only its owner may enter) when it is missing, so that it outlives a power cut. Throws the error of
 * the system in words for people. Step by step, because Node's recursive `mkdir` never comes back from below /proc.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let path = folder; !existsSync(path) && dirname(path) !== path; path = dirname(path)) missing.unshift(path);
  for (const path of missing) inWords(path, () => makeOne(path));
  inWords(folder, () => {
    if (!statSync(folder).isDirectory())
      throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR', syscall: 'mkdir' });
    accessSync(folder, constants.W_OK | constants.X_OK);
  });
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been quicker.
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST' && existsSync(path)) return;
    throw error;
  }
  syncFolder(dirname(path));
}

const words: Readonly<Record<string, string>> = {
  ENOTDIR: 'is a file, or lies below one',
  EEXIST: 'is a link to nowhere',
  EACCES: 'may not be made or written to by this user',
  EPERM: 'may not be made or written to by this user',
  EROFS: 'is on a file system that refuses writes',
  ENOENT: 'cannot be made there: the system takes no folders in that place',
  ENOSPC: 'cannot be made: the disk is full',
  ENAMETOOLONG: 'has too long a name',
};

function inWords(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const said = words[code];
    if (said && error instanceof Error) error.message = `${path} ${said} (${code})`;
    throw error;
  }
}

/**
 * Opens planroom.db with commits that survive a power cut. A missing file is made only when `create` says so: a file that
 * vanishes under a running server is an error, not a new beginning.
 */
export function openFile(options: FileOptions, create: boolean): Result<Database, StoreOpenError> {
  const path = filePath(options.folder);
  let database: Database | undefined;
  try {
    const refusal = prepareFile(options.folder, path, create);
    if (refusal) return err(refusal);
    database = openDatabase(path, busyTimeoutMs);
    const wrong = checkVersion(database, path);
    if (!wrong) {
      configure(database, options);
      migrate(database, numberOf(database, 'user_version'));
      return ok(database);
    }
    database.close();
    return err(wrong);
  } catch (error) {
    closeQuietly(database);
    return err(explain(error, options.folder, path));
  }
}

function prepareFile(folder: string, path: string, create: boolean): StoreOpenError | undefined {
  if (create) makeFolder(folder);
  if (existsSync(path)) return checkHeader(path);
  const log = logPath(folder);
  if (existsSync(log) && statSync(log).size > 0) {
    return {
      code: 'store_corrupt',
      message: `${path} is missing although ${log} is there. Put it back, or move the rest away.`,
    };
  }
  if (!create) return { code: 'store_unavailable', message: `${path} is missing.` };
  makeFile(folder, path);
  return undefined;
}

/** The new file appears under its name only when it is whole; an empty planroom.db is therefore always damage. */
function makeFile(folder: string, path: string): void {
  const draft = `${path}.new`;
  for (const leftover of [draft, `${draft}-journal`]) rmSync(leftover, { force: true });
  closeSync(openSync(draft, 'wx', 0o600));
  const database = openDatabase(draft, busyTimeoutMs);
  try {
    database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA synchronous = FULL`);
    migrate(database, 0);
  } finally {
    database.close();
  }
  renameSync(draft, path);
  syncFolder(folder);
}

/** Reads only; on its own so that a file we must not touch is refused before SQLite opens it. */
function checkHeader(path: string): StoreOpenError | undefined {
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  const length = readSync(file, header, 0, header.length, 0);
  closeSync(file);
  if (length === 0) {
    return {
      code: 'store_corrupt',
      message: `${path} is empty, which planroom never leaves it. Restore a backup, or move it away.`,
    };
  }
  if (length < header.length || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') return foreign(path);
  if (header.readUInt32BE(68) !== applicationId) return foreign(path);
  return newer(path, header.readInt32BE(60));
}

/** Again through SQLite, which also sees what still stands in the log. */
function checkVersion(database: Database, path: string): StoreOpenError | undefined {
  if (numberOf(database, 'application_id') !== applicationId) return foreign(path);
  return newer(path, numberOf(database, 'user_version'));
}

function foreign(path: string): StoreOpenError {
  return { code: 'not_a_database', message: `${path} is not a planroom database. Restore a backup, or move it away.` };
}

function newer(path: string, version: number): StoreOpenError | undefined {
  if (version <= schemaVersion) return undefined;
  const message = `${path} was written by a newer planroom (schema ${version}, this one knows ${schemaVersion}). Install that version.`;
  return { code: 'schema_newer', message };
}

function configure(database: Database, options: FileOptions): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const mode = database.prepare('PRAGMA journal_mode').get()?.journal_mode;
  const synchronous = numberOf(database, 'synchronous');
  if (mode !== 'wal' || synchronous !== 2) {
    throw new Error(`the file system cannot keep commits safe (journal_mode ${mode}, synchronous ${synchronous})`);
  }
  database.exec('PRAGMA cache_size = -16384; PRAGMA journal_size_limit = 67108864');
  if (options.fileBytesMax !== undefined) {
    database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(options.fileBytesMax / pageBytes))}`);
  }
}

function numberOf(database: Database, pragma: string): number {
  const value = database.prepare(`PRAGMA ${pragma}`).get()?.[pragma];
  if (typeof value !== 'number') throw new Error(`PRAGMA ${pragma} answered ${value}`);
  return value;
}

function explain(error: unknown, folder: string, path: string): StoreOpenError {
  const reason = error instanceof Error ? error.message : String(error);
  const isSystem = error instanceof Error && 'syscall' in error;
  const code = isSystem ? systemCode(error) : classify(error, folder);
  if (code === 'store_corrupt') {
    return { code, message: `${path} is damaged (${reason}). Restore a backup, or move it away.` };
  }
  return { code: code === 'store_closed' ? 'store_unavailable' : code, message: `${path} cannot be opened: ${reason}` };
}

function closeQuietly(database: Database | undefined): void {
  try {
    database?.close();
  } catch {
    // The first error is the one to tell.
  }
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
