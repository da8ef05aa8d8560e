import { chmodSync, existsSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openSqliteStore } from '../../server/store/sqlite.ts';
import type { AppendOutcome, Store } from '../../server/store/store.ts';
import { append, epoch, record, snapshot, storedRun } from '../support/appends.ts';
import { limitFileSize, mountFileDisk, mountMemoryDisk } from '../support/disk.ts';
import { openStore, removeFolder, temporaryFolder, workerUrl } from '../support/sqlite-folder.ts';

const mebibyte = 1024 * 1024;
const appended = { type: 'appended' };
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function openIn(folder: string, fileBytesMax?: number): Promise<Store> {
  const store = await openStore(folder, fileBytesMax);
  undo.push(() => store.close());
  return store;
}

function newFolder(): string {
  const folder = temporaryFolder();
  undo.push(() => removeFolder(folder));
  return folder;
}

/** An append of one record of about `bytes`. */
function large(room: string, expectedRevision: number, bytes: number) {
  const patch = { document: { content: 'x'.repeat(bytes) } };
  return append(room, expectedRevision, 1, { records: [record(expectedRevision + 1, { patch })] });
}

/** Appends until one fails; the revision reached, and the outcome that was none. */
async function fill(store: Store, room: string, bytes: number): Promise<{ revision: number; outcome: AppendOutcome }> {
  for (let revision = 0; revision < 1_000; revision += 1) {
    const outcome = await store.append(large(room, revision, bytes));
    if (outcome.type !== 'appended') return { revision, outcome };
  }
  throw new Error('the disk never filled up');
}

async function expectRevision(store: Store, room: string, revision: number): Promise<void> {
  const loaded = await store.load(room);
  expect(loaded).toMatchObject({ ok: true, value: { epoch, revision } });
  expect(loaded.ok && loaded.value?.tail.map(({ change }) => change.revision)).toEqual(
    Array.from({ length: revision }, (_, index) => index + 1),
  );
}

describe('a full disk', () => {
  test('refuses every append of the commit, keeps what was stored, and serves again once there is space', async (context) => {
    const disk = mountMemoryDisk(2 * mebibyte);
    if (!disk) return context.skip('this process may not mount a disk; the next test fills a bounded file instead');
    undo.push(() => disk.remove());
    const ballast = join(disk.folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(mebibyte / 2));
    const folder = join(disk.folder, 'data');
    const store = await openIn(folder);
    expect(await store.append(append('other', 0, 2))).toEqual(appended);

    const { revision, outcome } = await fill(store, 'plan', 40_000);
    const full = {
      type: 'failed',
      error: { code: 'store_full', retryable: true, message: expect.stringContaining('full') },
    };
    expect(outcome).toMatchObject(full);
    const together = await Promise.all([
      store.append(large('plan', revision, 40_000)),
      store.append(large('other', 2, 40_000)),
    ]);
    expect(together).toMatchObject([full, full]);
    expect(
      await store.saveSnapshot({ ...snapshot('plan', 1), epoch: epoch, updatedAt: 'x'.repeat(100_000) }),
    ).toMatchObject({
      ok: false,
      error: { code: 'store_full' },
    });
    await expectRevision(store, 'plan', revision);
    await expectRevision(store, 'other', 2);

    unlinkSync(ballast);
    expect(
      await Promise.all([store.append(large('plan', revision, 40_000)), store.append(append('other', 2))]),
    ).toEqual([appended, appended]);
    await store.close();
    const again = await openIn(folder);
    await expectRevision(again, 'plan', revision + 1);
    expect(await again.load('other')).toMatchObject({ ok: true, value: { tail: storedRun(1, 3) } });
  });

  test('a file at its bound answers the same, and removing a room makes space', async () => {
    const store = await openIn(newFolder(), 2 * mebibyte);
    expect(await store.append(large('other', 0, 400_000))).toEqual(appended);
    const { revision, outcome } = await fill(store, 'plan', 40_000);
    expect(outcome).toMatchObject({ type: 'failed', error: { code: 'store_full', retryable: true } });
    await expectRevision(store, 'plan', revision);
    expect(await store.remove('other')).toMatchObject({ ok: true, value: { type: 'removed' } });
    await vi.waitFor(async () => expect(await store.append(large('plan', revision, 40_000))).toEqual(appended));
    await expectRevision(store, 'plan', revision + 1);
  });

  test('no store can be opened on it anew, and the error names the file', async (context) => {
    const disk = mountMemoryDisk(mebibyte / 8);
    if (!disk) return context.skip('this process may not mount a disk');
    undo.push(() => disk.remove());
    try {
      for (let block = 0; ; block += 1) writeFileSync(join(disk.folder, `ballast-${block}`), Buffer.alloc(4_096));
    } catch {
      // Full now.
    }
    const opened = await openSqliteStore({ folder: disk.folder, workerUrl });
    expect(opened).toMatchObject({
      ok: false,
      error: { code: 'store_full', message: expect.stringContaining('planroom.db') },
    });
    expect(existsSync(join(disk.folder, 'planroom.db'))).toBe(false);
  });
});

describe('a disk that refuses writes', () => {
  test('while the store is open fails appends, and serves again once it is mounted anew', async (context) => {
    const disk = mountFileDisk(16 * mebibyte);
    if (!disk) return context.skip('this process may not mount a disk; the test of failing writes covers the way back');
    undo.push(() => disk.remove());
    const folder = join(disk.folder, 'data');
    const store = await openIn(folder);
    expect(await store.append(append('plan', 0, 3))).toEqual(appended);

    disk.failAsDevice();
    const refused = { type: 'failed', error: { code: 'store_read_only', retryable: true } };
    expect(await store.append(append('plan', 3))).toMatchObject(refused);
    expect(await store.append(append('new', 0))).toMatchObject(refused);

    disk.unmount();
    expect(await store.load('plan')).toMatchObject({
      ok: false,
      error: { code: 'store_unavailable', retryable: true },
    });
    expect(await store.append(append('plan', 0))).toMatchObject({
      type: 'failed',
      error: { code: 'store_unavailable' },
    });
    // The empty folder under the mount is not taken for a new beginning.
    expect(existsSync(folder)).toBe(false);

    disk.mountAgain();
    expect(await store.append(append('plan', 3))).toEqual(appended);
    expect(await store.load('plan')).toMatchObject({ ok: true, value: { tail: storedRun(1, 4) } });
    expect(await store.load('new')).toEqual({ ok: true, value: undefined });
  });

  test('cannot be opened, is left as it is, and can be opened once it takes writes', async (context) => {
    const disk = mountMemoryDisk(4 * mebibyte);
    if (!disk && process.geteuid?.() === 0)
      return context.skip('root that may not mount: no folder refuses its writes');
    const folder = disk?.folder ?? newFolder();
    if (disk) undo.push(() => disk.remove());
    const filled = await openStore(folder);
    expect(await filled.append(append('plan', 0, 3))).toEqual(appended);
    await filled.close();
    const before = readFileSync(join(folder, 'planroom.db'));

    const setReadOnly = (readOnly: boolean) => {
      if (disk) return disk.setReadOnly(readOnly);
      chmodSync(join(folder, 'planroom.db'), readOnly ? 0o400 : 0o600);
      chmodSync(folder, readOnly ? 0o500 : 0o700);
    };
    setReadOnly(true);
    const opened = await openSqliteStore({ folder, workerUrl });
    const error = { code: 'store_read_only', message: expect.stringContaining(join(folder, 'planroom.db')) };
    expect(opened).toMatchObject({ ok: false, error });
    expect(readFileSync(join(folder, 'planroom.db')).equals(before)).toBe(true);

    setReadOnly(false);
    const store = await openIn(folder);
    expect(await store.load('plan')).toMatchObject({ ok: true, value: { tail: storedRun(1, 3) } });
    expect(await store.append(append('plan', 3))).toEqual(appended);
  });

  test('fails every append while writes fail, and serves again afterwards', async (context) => {
    if (!limitFileSize(undefined)) return context.skip('no prlimit here: writes cannot be made to fail');
    const ignore = () => {};
    process.on('SIGXFSZ', ignore);
    undo.push(() => process.off('SIGXFSZ', ignore));
    const folder = newFolder();
    const store = await openIn(folder);
    expect(await store.append(append('plan', 0, 3))).toEqual(appended);

    limitFileSize(statSync(join(folder, 'planroom.db-wal')).size + 8_192);
    undo.push(() => limitFileSize(undefined));
    const outcomes = await Promise.all([store.append(large('plan', 3, 500_000)), store.append(append('new', 0))]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ type: 'failed', error: { retryable: true } });

    limitFileSize(undefined);
    expect(await store.append(large('plan', 3, 500_000))).toEqual(appended);
    expect(await store.append(append('new', 0))).toEqual(appended);
    await expectRevision(store, 'plan', 4);
  });
});
