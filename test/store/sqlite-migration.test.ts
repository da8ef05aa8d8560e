import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../server/store/sqlite.ts';
import { openDatabase } from '../../server/store/sqlite-driver.ts';
import { applicationId, schemaVersion } from '../../server/store/sqlite-schema.ts';
import { append, epoch, record, sight, snapshot, stored, storedRun, summary } from '../support/appends.ts';
import { openStore, read, removeFolder, temporaryFolder, workerUrl, write } from '../support/sqlite-folder.ts';

/** The schema that planroom 0.1 released as version 1, spelled out here so that editing the migration is noticed. */
const firstVersion = `
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
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = 1;
`;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  openDatabase(join(folder, 'planroom.db'), 1_000).close();
  write(folder, firstVersion);
});
afterEach(() => removeFolder(folder));

/** A room of `count` Changes and a snapshot of the second, as version 1 wrote them. */
function fill(room: string, count: number): void {
  const text = JSON.stringify(summary);
  const insertRoom = 'INSERT INTO rooms (id, name, epoch, revision, summary, crc) VALUES (1, ?, ?, ?, ?, ?)';
  write(folder, insertRoom, room, epoch, count, text, crc32(`${room}\n${epoch}\n${count}\n${text}`));
  for (let revision = 1; revision <= count; revision += 1) {
    const { change, undo, nags } = stored(record(revision));
    const row = JSON.stringify([change, undo, nags]);
    write(folder, 'INSERT INTO changes VALUES (1, ?, ?, ?, ?)', revision, change.mutationId, row, crc32(row));
  }
  const json = JSON.stringify(snapshot(room, 2));
  write(folder, 'INSERT INTO snapshots VALUES (1, 2, ?, ?)', json, crc32(json));
}

const version = () => read(folder, 'PRAGMA user_version');
const schemaOf = (where: string) =>
  read(where, 'SELECT type, name, sql FROM sqlite_schema ORDER BY name').map((row) => JSON.stringify(row));

test('a file of version 1 is brought up with all that is in it, and keeps sights from then on', async () => {
  fill('plan', 3);
  let store = await openStore(folder);
  const before = { epoch, revision: 3, snapshot: snapshot('plan', 2), tail: storedRun(3, 3) };
  expect(await store.load('plan')).toEqual({ ok: true, value: before });
  expect(await store.history('plan', epoch, 1, 3)).toEqual({ ok: true, value: storedRun(1, 3) });
  expect(await store.list()).toEqual({
    ok: true,
    value: { rooms: [{ ...summary, room: 'plan', epoch, revision: 3 }], warnings: [] },
  });
  expect(await store.readSight('plan', epoch, 'ada', 'todo')).toEqual({ ok: true, value: undefined });
  const sights = [sight('ada', 4)];
  expect(await store.append(append('plan', 3, 1, { sights }))).toEqual({ type: 'appended' });
  await store.close();
  expect(version()).toMatchObject([{ user_version: schemaVersion }]);

  store = await openStore(folder);
  expect(await store.readSight('plan', epoch, 'ada', 'todo')).toEqual({ ok: true, value: sight('ada', 4) });
  expect(await store.load('plan')).toMatchObject({ ok: true, value: { revision: 4, tail: storedRun(3, 4) } });
  await store.close();
});

test('it is then made as a new file is', async () => {
  const fresh = temporaryFolder();
  try {
    await (await openStore(folder)).close();
    await (await openStore(fresh)).close();
    const spaced = (text: string) => text.replaceAll(/(\\n|\s)+/g, ' ');
    expect(schemaOf(folder).map(spaced)).toEqual(schemaOf(fresh).map(spaced));
  } finally {
    removeFolder(fresh);
  }
});

test('a step that fails leaves the file as it was, at its version', async () => {
  fill('plan', 3);
  write(folder, 'CREATE TABLE sights (foreign_one TEXT)');
  const before = schemaOf(folder);
  const opened = await openSqliteStore({ folder, workerUrl });
  expect(opened).toMatchObject({ ok: false, error: { message: expect.stringContaining('sights already exists') } });
  expect(version()).toMatchObject([{ user_version: 1 }]);
  expect(schemaOf(folder)).toEqual(before);
});
