import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteCode } from './sqlite-driver.ts';
import type { StoreError, StoreErrorCode } from './store.ts';

const remedies: Record<StoreErrorCode, string> = {
  store_corrupt: 'Stored data is damaged. Restore a backup of the data folder, or remove the room.',
  store_full: 'The disk is full, nothing was stored. Free some space, then try again.',
  store_read_only: 'The disk refuses writes, nothing was stored. Make it writable, then try again.',
  store_unavailable: 'The disk did not answer as it should, nothing was stored. Try again.',
  store_closed: 'The server is shutting down, nothing was stored. Try again at the next one.',
};

/** A store error with its usual words; `detail` says what was seen. */
export function storeError(code: StoreErrorCode, room?: string, detail?: string): StoreError {
  const subject = room === undefined ? '' : `Room ${room}: `;
  return {
    code,
    message: `${subject}${remedies[code]}${detail === undefined ? '' : ` (${detail})`}`,
    retryable: code !== 'store_corrupt',
    ...(room === undefined ? {} : { room }),
  };
}

/** Damage that planroom itself found in what it read. */
export class DamageError extends Error {
  override readonly name = 'DamageError';
}

const primary = { busy: 5, locked: 6, readOnly: 8, io: 10, corrupt: 11, full: 13, cannotOpen: 14, notDatabase: 26 };
const ioCorruptFileSystem = 10 | (33 << 8);

/** What stopped a read or write of the file in `folder`. May write and remove a small file to ask the disk. */
export function classify(error: unknown, folder: string): StoreErrorCode {
  if (error instanceof DamageError) return 'store_corrupt';
  const code = sqliteCode(error);
  // A number that no column of ours can hold.
  if (code === undefined) return isOutOfRange(error) ? 'store_corrupt' : 'store_unavailable';
  if (code === ioCorruptFileSystem) return 'store_corrupt';
  switch (code & 0xff) {
    case primary.corrupt:
    case primary.notDatabase:
      return 'store_corrupt';
    case primary.full:
      return 'store_full';
    case primary.readOnly:
      return 'store_read_only';
    case primary.io:
    case primary.cannotOpen:
      // SQLite names only some causes: a full disk can come as a failed truncate, a read-only one as a failed write.
      return probe(folder);
    default:
      return 'store_unavailable';
  }
}

/** Whether what is stored is damaged, as opposed to a disk that fails. */
export function isCorruption(error: unknown): boolean {
  return ((sqliteCode(error) ?? 0) & 0xff) === primary.corrupt;
}

/** Whether the file must be opened anew: there may be another one under its name once the disk is well again. */
export function needsReopen(error: unknown): boolean {
  const code = (sqliteCode(error) ?? 0) & 0xff;
  return code === primary.io || code === primary.cannotOpen || code === primary.readOnly;
}

function isOutOfRange(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

const probeBytes = 64 * 1024;

function probe(folder: string): StoreErrorCode {
  const path = join(folder, `planroom.probe-${process.pid}`);
  try {
    const file = openSync(path, 'w', 0o600);
    try {
      writeSync(file, Buffer.alloc(probeBytes));
      fsyncSync(file);
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
    return 'store_unavailable';
  } catch (error) {
    return systemCode(error);
  }
}

/** The store error for a failed call of the operating system. */
export function systemCode(error: unknown): StoreErrorCode {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return 'store_full';
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return 'store_read_only';
  return 'store_unavailable';
}
