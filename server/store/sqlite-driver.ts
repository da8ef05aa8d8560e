import { createRequire } from 'node:module';

/** The part of SQLite's two drivers that planroom uses; `node:sqlite` and `@photostructure/sqlite` both have it. */
export interface Database {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /**
   * `@photostructure/sqlite` keeps the file open until the statements are collected, or their thread ends: whoever must be
   * sure that the file is let go uses `exec` alone, or ends the thread.
   */
  close(): void;
}

export type SqlValue = string | number | null;

/** Columns are `unknown`: a damaged file can hold any type anywhere. */
export type Row = Readonly<Record<string, unknown>>;

export interface Statement {
  run(...values: SqlValue[]): { readonly changes: number | bigint };
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  iterate(...values: SqlValue[]): IterableIterator<Row>;
}

interface Driver {
  readonly DatabaseSync: new (path: string, options: { readonly timeout: number }) => Database;
}

const require = createRequire(import.meta.url);
let driver: Driver | undefined;

/** Opens the file, or makes it. Waits `busyTimeoutMs` for locks of others. Throws what the driver throws. */
export function openDatabase(path: string, busyTimeoutMs: number): Database {
  driver ??= loadDriver();
  return new driver.DatabaseSync(path, { timeout: busyTimeoutMs });
}

function loadDriver(): Driver {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const builtIn = major > 22 || (major === 22 && minor >= 16);
  return builtIn ? withoutWarning(() => require('node:sqlite')) : require('@photostructure/sqlite');
}

/** Node 22 prints that its SQLite is experimental; that line would be the first thing every user sees. */
function withoutWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** SQLite's (extended) result code, or undefined when the error is not SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode;
  // @photostructure/sqlite leaves the code out of what fails in the middle of an iteration.
  return codeOfMessage[error.message];
}

const codeOfMessage: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
};
