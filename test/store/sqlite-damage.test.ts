import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../server/store/sqlite.ts';
import type { Store } from '../../server/store/store.ts';
import { append, epoch, record, sight, snapshot, storedRun } from '../support/appends.ts';
import { openStore, read, removeFolder, temporaryFolder, workerUrl, write } from '../support/sqlite-folder.ts';

let root: string;
let folder: string;
let store: Store | undefined;
beforeEach(async () => {
  root = temporaryFolder();
  folder = root;
  await use(async (filled) => {
    for (const room of ['damaged', 'sound'])
      expect(await filled.append(append(room, 0, 20))).toEqual({ type: 'appended' });
  });
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  removeFolder(root);
});

async function use<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const opened = await openStore(folder);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

async function reopen(): Promise<Store> {
  store = await openStore(folder);
  return store;
}

const file = () => join(folder, 'planroom.db');
const roomId = `(SELECT id FROM rooms WHERE name = 'damaged')`;
const corrupt = {
  code: 'store_corrupt',
  retryable: false,
  room: 'damaged',
  message: expect.stringContaining('damaged'),
};
const failed = { ok: false, error: corrupt };

/** One byte of the record is another one; its length and the rest of the file are as they were. */
const flipRecord = (revision: number) =>
  write(
    folder,
    `UPDATE changes SET record = replace(record, 'Title', 'Uitle') WHERE room_id = ${roomId} AND revision = ${revision}`,
  );

describe('a damaged Change', () => {
  test('stops its room with an error that names it, and no other room', async () => {
    flipRecord(7);
    const opened = await reopen();
    expect(await opened.load('damaged')).toEqual(failed);
    expect(await opened.history('damaged', epoch, 7, 7)).toEqual(failed);
    expect(await opened.history('damaged', epoch, 1, 20)).toEqual(failed);
    expect(await opened.findMutation('damaged', epoch, 'm-7')).toEqual(failed);
    expect(await opened.history('damaged', epoch, 8, 20)).toEqual({ ok: true, value: storedRun(8, 20) });
    expect(await opened.load('sound')).toMatchObject({ ok: true, value: { revision: 20, tail: storedRun(1, 20) } });
    expect(await opened.append(append('sound', 20))).toEqual({ type: 'appended' });
  });

  test('is not met by a bounded read that ends before it: no more is read than asked for', async () => {
    flipRecord(7);
    const opened = await reopen();
    const charactersMax = 3 * JSON.stringify(storedRun(1, 1)).length;
    for (const newest of [false, true]) {
      const read = await opened.history('damaged', epoch, 1, 20, { charactersMax, newest });
      expect(read.ok && read.value.length).toBeGreaterThanOrEqual(3);
    }
    expect(await opened.history('damaged', epoch, 1, 20, { charactersMax: 1_000_000 })).toEqual(failed);
  });

  test('before a snapshot does not keep the plan from loading', async () => {
    await use((opened) => opened.saveSnapshot(snapshot('damaged', 10)));
    flipRecord(7);
    const loaded = await (await reopen()).load('damaged');
    expect(loaded).toMatchObject({ ok: true, value: { snapshot: snapshot('damaged', 10), tail: storedRun(11, 20) } });
  });

  test('that is missing is a gap, not a shorter history', async () => {
    write(folder, `DELETE FROM changes WHERE room_id = ${roomId} AND revision = 7`);
    const opened = await reopen();
    expect(await opened.load('damaged')).toEqual(failed);
    expect(await opened.history('damaged', epoch, 5, 9)).toEqual(failed);
    expect(await opened.history('damaged', epoch, 7, 7)).toEqual(failed);
  });

  test.each([
    ['missing', `DELETE FROM changes WHERE room_id = ${roomId} AND revision = 20`],
    ['one too many', `UPDATE changes SET revision = 21 WHERE room_id = ${roomId} AND revision = 20`],
  ])('at the end that is %s stops reads and appends alike', async (_, change) => {
    write(folder, change);
    const opened = await reopen();
    expect(await opened.load('damaged')).toEqual(failed);
    const outcomes = [append('sound', 20), append('damaged', 20), append('new', 0)].map((each) => opened.append(each));
    const [sound, damaged, other] = await Promise.all(outcomes);
    expect(sound).toEqual({ type: 'appended' });
    expect(damaged).toEqual({ type: 'failed', error: corrupt });
    expect(other).toEqual({ type: 'appended' });
    expect(await opened.list()).toMatchObject({ ok: true, value: { rooms: [{ room: 'new' }, { room: 'sound' }] } });
  });

  test('that is whole by its checksum but no JSON is an error as well', async () => {
    const text = '[{"revision":7},';
    const { crc32 } = await import('node:zlib');
    write(
      folder,
      `UPDATE changes SET record = ?, crc = ? WHERE room_id = ${roomId} AND revision = 7`,
      text,
      crc32(text),
    );
    const opened = await reopen();
    expect(await opened.load('damaged')).toEqual(failed);
    expect(await opened.findMutation('damaged', epoch, 'm-7')).toEqual(failed);
  });

  test('at the end makes the room a warning in lists', async () => {
    flipRecord(20);
    expect(await (await reopen()).list()).toMatchObject({
      ok: true,
      value: { rooms: [{ room: 'sound' }], warnings: [{ room: 'damaged', message: expect.stringContaining('20') }] },
    });
  });
});

describe('a damaged row in the list of rooms', () => {
  test.each(['epoch', 'summary'])('(%s) is an error and a warning, never an absent room', async (column) => {
    write(folder, `UPDATE rooms SET ${column} = ${column} || ' ' WHERE name = 'damaged'`);
    const opened = await reopen();
    expect(await opened.load('damaged')).toEqual(failed);
    expect(await opened.append(append('damaged', 0))).toEqual({ type: 'failed', error: corrupt });
    expect(await opened.remove('damaged', { epoch, revision: 20 })).toEqual(failed);
    expect(await opened.list()).toMatchObject({
      ok: true,
      value: { rooms: [{ room: 'sound' }], warnings: [{ room: 'damaged' }] },
    });
  });

  test('does not keep the room from being removed, and made again', async () => {
    write(folder, `UPDATE rooms SET epoch = 'x' WHERE name = 'damaged'`);
    flipRecord(7);
    const opened = await reopen();
    expect(await opened.remove('damaged')).toEqual({ ok: true, value: { type: 'removed', position: undefined } });
    expect(await opened.load('damaged')).toEqual({ ok: true, value: undefined });
    expect(await opened.append(append('damaged', 0, 1, { epoch: 'epoch-2' }))).toEqual({ type: 'appended' });
    expect(await opened.list()).toMatchObject({ ok: true, value: { rooms: [{}, {}], warnings: [] } });
  });
});

describe('a damaged snapshot', () => {
  const damage = (revision: number) =>
    write(
      folder,
      `UPDATE snapshots SET json = replace(json, 'epoch-1', 'fpoch-1') WHERE room_id = ${roomId} AND revision = ${revision}`,
    );
  beforeEach(() =>
    use(async (opened) => {
      for (const revision of [5, 10, 15]) await opened.saveSnapshot(snapshot('damaged', revision));
    }),
  );

  test('is replaced by the one before it', async () => {
    damage(15);
    const value = { epoch, revision: 20, snapshot: snapshot('damaged', 10), tail: storedRun(11, 20) };
    expect(await (await reopen()).load('damaged')).toEqual({ ok: true, value });
  });

  test('is replaced by the whole history when no other is sound', async () => {
    damage(15);
    damage(10);
    const value = { epoch, revision: 20, snapshot: undefined, tail: storedRun(1, 20) };
    expect(await (await reopen()).load('damaged')).toEqual({ ok: true, value });
  });

  test('is an error when the history cannot replace it', async () => {
    damage(15);
    damage(10);
    flipRecord(7);
    expect(await (await reopen()).load('damaged')).toEqual(failed);
  });

  test('that is whole by its checksum but no snapshot of the room is passed over', async () => {
    const { crc32 } = await import('node:zlib');
    for (const text of ['{', 'null', JSON.stringify(snapshot('sound', 15))]) {
      write(folder, 'UPDATE snapshots SET json = ?, crc = ? WHERE revision = 15', text, crc32(text));
      const loaded = await use((opened) => opened.load('damaged'));
      expect(loaded).toMatchObject({ ok: true, value: { snapshot: { revision: 10 } } });
    }
  });

  test('only the newest two are kept', () => {
    expect(read(folder, 'SELECT revision FROM snapshots ORDER BY revision')).toMatchObject([
      { revision: 10 },
      { revision: 15 },
    ]);
  });
});

describe('a damaged sight', () => {
  const damage = (change: string, ...values: (string | number)[]) =>
    write(folder, `UPDATE sights SET ${change} WHERE room_id = ${roomId} AND actor = 'ada'`, ...values);
  const see = async (opened: Store, actor: string) => opened.readSight('damaged', epoch, actor, 'todo');
  beforeEach(() =>
    use(async (opened) => {
      const sights = [sight('ada', 21), sight('bob', 21)];
      expect(await opened.append(append('damaged', 20, 1, { sights }))).toEqual({ type: 'appended' });
    }),
  );

  test('is not there; its room, the others and a new one in its place are', async () => {
    damage(`sight = replace(sight, 'uid', 'vid')`);
    const opened = await reopen();
    expect(await see(opened, 'ada')).toEqual({ ok: true, value: undefined });
    expect(await see(opened, 'bob')).toEqual({ ok: true, value: sight('bob', 21) });
    expect(await opened.load('damaged')).toMatchObject({ ok: true, value: { revision: 21 } });
    expect(await opened.saveSight('damaged', epoch, sight('ada', 20))).toEqual({ ok: true, value: undefined });
    expect(await see(opened, 'ada')).toEqual({ ok: true, value: sight('ada', 20) });
  });

  test('that is whole by its checksum but not the one of its actor is not there', async () => {
    const { crc32 } = await import('node:zlib');
    for (const text of ['{', 'null', JSON.stringify(sight('bob', 21))]) {
      damage('sight = ?, crc = ?', text, crc32(text));
      expect(await use((opened) => see(opened, 'ada'))).toEqual({ ok: true, value: undefined });
    }
  });

  test('does not hide that its room is damaged', async () => {
    write(folder, `UPDATE rooms SET epoch = 'x' WHERE name = 'damaged'`);
    const opened = await reopen();
    expect(await see(opened, 'ada')).toEqual(failed);
    expect(await opened.saveSight('damaged', epoch, sight('ada', 20))).toEqual(failed);
    expect(await opened.append(append('sound', 20))).toEqual({ type: 'appended' });
  });
});

describe('a file that cannot be opened', () => {
  const open = async () => {
    const before = readFileSync(file());
    const opened = await openSqliteStore({ folder, workerUrl });
    if (opened.ok) await opened.value.close();
    expect(readFileSync(file()).equals(before)).toBe(true);
    return opened;
  };

  test.each([4_096 * 3, 50, 0])('truncated to %i bytes is refused by name and left as it is', async (bytes) => {
    truncateSync(file(), bytes);
    expect(await open()).toMatchObject({ ok: false, error: { message: expect.stringContaining(file()) } });
  });

  test('that is no database, or not planroom’s, is refused by name and left as it is', async () => {
    const error = { code: 'not_a_database', message: expect.stringContaining(file()) };
    write(folder, 'PRAGMA application_id = 1');
    expect(await open()).toEqual({ ok: false, error });
    writeFileSync(file(), 'not a database\n'.repeat(1_000));
    expect(await open()).toEqual({ ok: false, error });
  });

  test('of a newer schema is refused with both versions and left as it is', async () => {
    write(folder, 'PRAGMA user_version = 99');
    expect(await open()).toMatchObject({
      ok: false,
      error: { code: 'schema_newer', message: expect.stringContaining('schema 99') },
    });
    expect(readdirSync(folder)).toEqual(['planroom.db']);
  });

  test('that is gone while its log is there is not begun anew', async () => {
    const gone = await openStore(folder);
    await gone.append(append('sound', 20));
    const log = readFileSync(`${file()}-wal`);
    await gone.close();
    rmSync(file());
    writeFileSync(`${file()}-wal`, log);
    const opened = await openSqliteStore({ folder, workerUrl });
    expect(opened).toMatchObject({
      ok: false,
      error: { code: 'store_corrupt', message: expect.stringContaining(file()) },
    });
  });

  test('a worker that cannot be started is an error too', async () => {
    const opened = await openSqliteStore({ folder, workerUrl: new URL('./no-such-worker.js', import.meta.url) });
    expect(opened).toMatchObject({ ok: false, error: { code: 'store_unavailable' } });
  });
});

describe('the files', () => {
  test('can be read by their owner only, and hold every commit in the log', async () => {
    folder = join(folder, 'data');
    const opened = await reopen();
    await opened.append(append('plan', 0));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(read(folder, 'PRAGMA journal_mode')).toMatchObject([{ journal_mode: 'wal' }]);
  });

  test('a draft that a crash left behind is replaced', async () => {
    folder = join(folder, 'data');
    await use(async () => {});
    rmSync(file());
    writeFileSync(`${file()}.new`, 'half');
    const opened = await reopen();
    expect(await opened.append(append('plan', 0))).toEqual({ type: 'appended' });
    expect(readdirSync(folder).sort()).toEqual(['planroom.db', 'planroom.db-shm', 'planroom.db-wal']);
  });

  test('removed rooms leave no rows behind', async () => {
    await use(async (opened) => {
      const sights = Array.from({ length: 600 }, (_, index) => sight(`actor-${index}`, 1));
      await opened.append(append('damaged', 20, 2_000, { sights }));
      await opened.saveSight('sound', epoch, sight('ada', 20));
      await opened.remove('damaged');
    });
    // What the first process did not get to is taken up by the next.
    const opened = await reopen();
    const counts = ['changes', 'sights', 'removals'].map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
    const left = () => read(folder, `SELECT ${counts.join(', ')}`);
    let rows: unknown[] = left();
    for (let turn = 0; turn < 1_000 && JSON.stringify(rows) !== '[{"changes":20,"sights":1,"removals":0}]'; turn += 1) {
      await opened.list();
      rows = left();
    }
    expect(rows).toEqual([{ changes: 20, sights: 1, removals: 0 }]);
  });
});

test('any flipped byte is an error, a warning or without effect; never another plan or a missing room', {
  timeout: 120_000,
}, async () => {
  await use(async (opened) => {
    await opened.append(
      append('big', 0, 1, { records: [record(1, { patch: { document: { content: 'x'.repeat(20_000) } } })] }),
    );
    await opened.saveSnapshot(snapshot('sound', 12));
  });
  const whole = readFileSync(file());
  const sound = await use(async (opened) => [
    await opened.load('sound'),
    await opened.load('damaged'),
    await opened.load('big'),
  ]);
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const flips = Number(process.env.FLIPS ?? 60);
  for (let flip = 0; flip < flips; flip += 1) {
    const random = mix(seed + flip);
    const offset = random % whole.length;
    const bytes = Buffer.from(whole);
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 << (random >>> 29));
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    writeFileSync(file(), bytes);
    const opened = await openSqliteStore({ folder, workerUrl });
    if (!opened.ok) continue;
    store = opened.value;
    for (const [index, room] of ['sound', 'damaged', 'big'].entries()) {
      const loaded = await store.load(room);
      const whichever = `seed ${seed}, flip ${flip}, offset ${offset}, room ${room}`;
      if (!loaded.ok)
        expect(loaded.error, `${whichever} ${loaded.error.message}`).toMatchObject({ code: 'store_corrupt' });
      else if (loaded.value)
        expect({ ...loaded.value, snapshot: 0, tail: 0 }, whichever).toEqual({
          ...valueIn(sound[index]),
          snapshot: 0,
          tail: 0,
        });
      else expect(loaded.value, whichever).toBeDefined();
      if (loaded.ok) expect(loaded.value?.tail.at(-1), whichever).toEqual(valueIn(sound[index])?.tail.at(-1));
    }
    await store.close();
    store = undefined;
  }
});

function valueIn(loaded: Awaited<ReturnType<Store['load']>> | undefined) {
  return loaded?.ok ? loaded.value : undefined;
}

/** A 32-bit number from a counter, spread over all bits. */
function mix(counter: number): number {
  let bits = Math.imul(counter ^ 0x9e3779b9, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
