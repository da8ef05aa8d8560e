import { createRequire } from 'node:module';

/** The part of SQLite's two drivers that planroom uses; `node:sqlite` and `@photostructure/sqlite` both have it. */
export interface Database {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): Statement;
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

/** SQLite's extended result code, or undefined when the error is not SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
