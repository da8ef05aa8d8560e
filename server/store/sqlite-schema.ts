import type { Database } from './sqlite-driver.ts';

/** Marks a SQLite file as planroom's ("plan" in ASCII), so that another program's file is not taken for one. */
export const applicationId = 0x706c616e;

/**
 * Ordered; entry n leads from version n to n + 1. Never edit one that was released: add another.
 *
 * `rooms.id` is never reused, so removing a room is one deleted row; what it leaves behind is listed in `removals` and
 * deleted bit by bit. A `crc` is the CRC-32 of the texts of its row. `summary` is JSON, for
 * SQLite would cut a plain text at a NUL character; `record` is the JSON array [change, undo, nags], in one column because
 * each further one costs more than what it holds.
 */
const migrations: readonly string[] = [
  `
  CREATE TABLE rooms (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    epoch TEXT NOT NULL,
    revision INTEGER NOT NULL,
    summary TEXT NOT NULL,
    crc INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE changes (
    room_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    mutation_id TEXT NOT NULL,
    record TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (room_id, revision)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX changes_by_mutation ON changes (room_id, mutation_id);
  CREATE TABLE snapshots (
    room_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    json TEXT NOT NULL,
    crc INTEGER NOT NULL,
    UNIQUE (room_id, revision)
  ) STRICT;
  CREATE TABLE removals (room_id INTEGER PRIMARY KEY) STRICT;
  `,
  `
  CREATE TABLE sights (
    room_id INTEGER NOT NULL,
    actor TEXT NOT NULL,
    dialect TEXT NOT NULL,
    revision INTEGER NOT NULL,
    sight TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (room_id, actor, dialect)
  ) STRICT, WITHOUT ROWID;
  `,
];

/** The version this code writes, and the highest it reads. */
export const schemaVersion = migrations.length;

/** Brings a file to `schemaVersion`, each step in its own transaction. Throws what SQLite throws; a failed step leaves nothing. */
export function migrate(database: Database, fromVersion: number): void {
  for (const [version, sql] of migrations.entries()) {
    if (version < fromVersion) continue;
    database.exec('BEGIN IMMEDIATE');
    try {
      database.exec(sql);
      database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version + 1}`);
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}
