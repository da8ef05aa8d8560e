import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../server/store/store.ts';
import { append, epoch, snapshot } from '../support/appends.ts';
import { openStore, removeFolder, temporaryFolder } from '../support/sqlite-folder.ts';

let root: string;
let folder: string;
let store: Store;
beforeEach(async () => {
  root = temporaryFolder();
  folder = join(root, 'data');
  store = await openStore(folder);
  for (let revision = 0; revision < 3; revision += 1) {
    expect(await store.append(append('plan', revision))).toEqual({ type: 'appended' });
  }
});
afterEach(async () => {
  await store.close();
  removeFolder(root);
});

const log = () => join(folder, 'planroom.db-wal');
const unavailable = { code: 'store_unavailable', retryable: true, message: expect.stringContaining('planroom.db-wal') };

/** The revision of the room for a process that begins from what is on disk now, as after kill -9. */
async function revisionAfterCrash(room: string): Promise<number | undefined> {
  const copy = join(root, 'copy');
  mkdirSync(copy);
  for (const name of ['planroom.db', 'planroom.db-wal']) {
    if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(copy, name));
  }
  const other = await openStore(copy);
  const loaded = await other.load(room);
  await other.close();
  rmSync(copy, { recursive: true });
  return loaded.ok ? loaded.value?.revision : undefined;
}

describe('a log that loses its name under the open store', () => {
  const takeAway: Record<string, () => void> = {
    'is removed': () => rmSync(log()),
    'is moved away': () => renameSync(log(), join(root, 'elsewhere')),
    'is replaced by an older copy': () => {
      copyFileSync(log(), join(root, 'older'));
      renameSync(join(root, 'older'), log());
    },
  };

  test.each(Object.keys(takeAway))(
    'and %s is noticed by the next write, and nothing that was stored is lost',
    async (how) => {
      takeAway[how]?.();
      expect(await store.append(append('plan', 3))).toMatchObject({ type: 'failed', error: unavailable });
      expect(await revisionAfterCrash('plan')).toBe(3);
      expect(await store.append(append('plan', 3))).toEqual({ type: 'appended' });
      expect(await revisionAfterCrash('plan')).toBe(4);
      expect(await store.load('plan')).toMatchObject({ ok: true, value: { epoch, revision: 4 } });
    },
  );

  test('is noticed by snapshots and removals too', async () => {
    rmSync(log());
    expect(await store.saveSnapshot(snapshot('plan', 3))).toMatchObject({ ok: false, error: unavailable });
    expect(await store.saveSnapshot(snapshot('plan', 3))).toMatchObject({ ok: true });
    rmSync(log());
    expect(await store.remove('plan')).toMatchObject({ ok: false, error: unavailable });
    expect(await revisionAfterCrash('plan')).toBe(3);
    expect(await store.remove('plan')).toMatchObject({ ok: true, value: { type: 'removed' } });
    expect(await revisionAfterCrash('plan')).toBeUndefined();
  });
});

test.each([0, 0.5])(
  'a log that is cut to %d of its length takes no more writes; the next are kept again',
  async (part) => {
    truncateSync(log(), Math.floor(statSync(log()).size * part));
    expect(await store.append(append('plan', 3))).toMatchObject({ type: 'failed', error: unavailable });
    expect(await store.append(append('new', 0))).toEqual({ type: 'appended' });
    expect(await revisionAfterCrash('new')).toBe(1);
    expect(await store.load('new')).toMatchObject({ ok: true, value: { revision: 1 } });
  },
);

test('a log that starts again after checkpoints of our own is no loss', async () => {
  for (let revision = 3; revision < 4_000; revision += 50) {
    expect(await store.append(append('plan', revision, 50))).toEqual({ type: 'appended' });
    if (revision % 500 < 50) await store.saveSnapshot(snapshot('plan', revision));
  }
  expect(await store.remove('plan')).toMatchObject({ ok: true, value: { type: 'removed' } });
  expect(await store.append(append('new', 0, 2))).toEqual({ type: 'appended' });
  expect(await revisionAfterCrash('new')).toBe(2);
});
