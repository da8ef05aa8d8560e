import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../server/store/sqlite.ts';
import { openDatabase } from '../../server/store/sqlite-driver.ts';
import type { Store } from '../../server/store/store.ts';

/** The compiled worker; the global setup builds it. */
export const workerUrl = new URL('../../dist/server/store/sqlite-worker.js', import.meta.url);

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'planroom-test-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Opens the store in a folder; an open error fails the test. */
export async function openStore(folder: string, fileBytesMax?: number): Promise<Store> {
  const opened = await openSqliteStore({ folder, fileBytesMax, workerUrl });
  if (!opened.ok) throw new Error(`cannot open: ${opened.error.message}`);
  return opened.value;
}

/** Changes the closed store's file. */
export function write(folder: string, text: string, ...values: (string | number)[]): void {
  const database = openDatabase(join(folder, 'planroom.db'), 1_000);
  try {
    // Only `exec` lets go of the file at once in every driver.
    if (values.length === 0) database.exec(text);
    else database.prepare(text).run(...values);
  } finally {
    database.close();
  }
}

/** Rows of the store's file. */
export function read(folder: string, text: string): unknown[] {
  const database = openDatabase(join(folder, 'planroom.db'), 1_000);
  try {
    return database.prepare(text).all();
  } finally {
    database.close();
  }
}
