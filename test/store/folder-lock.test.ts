import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FolderLock } from '../../server/store/folder-lock.ts';
import { lockFolder } from '../../server/store/folder-lock.ts';
import { removeFolder, temporaryFolder } from '../support/sqlite-folder.ts';
import { StoreChild } from '../support/store-child.ts';

let root: string;
let folder: string;
let children: StoreChild[];
beforeEach(() => {
  root = temporaryFolder();
  folder = root;
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  removeFolder(root);
});

async function hold(...more: string[]): Promise<StoreChild> {
  const child = new StoreChild('hold', folder, ...more);
  children.push(child);
  await child.said(1);
  return child;
}

async function lock(): Promise<FolderLock> {
  const locked = await lockFolder(folder);
  if (!locked.ok) throw new Error(locked.error.message);
  return locked.value;
}

/** Every file of the folder with its bytes; never opens planroom.lock, which would let go of this process's own lock. */
function contents(): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name !== 'planroom.lock');
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

describe('the lock of the data folder', () => {
  test('a second process is refused, is told who holds the folder, and writes nothing', async () => {
    const first = await hold('http://127.0.0.1:4100');
    const before = contents();
    const second = await lockFolder(folder);
    const error = { code: 'folder_busy', pid: first.pid, url: 'http://127.0.0.1:4100' };
    expect(second).toMatchObject({ ok: false, error });
    if (!second.ok) expect(second.error.message).toContain(`process ${first.pid} at http://127.0.0.1:4100`);
    expect(contents()).toEqual(before);
    expect(statSync(join(folder, 'planroom.lock')).size).toBe(0);
  });

  test('a process is refused while this one holds the folder, also before an address is announced', async () => {
    const held = await lock();
    const child = await hold();
    expect(JSON.parse(child.lines[0] ?? '')).toEqual({
      code: 'folder_busy',
      pid: process.pid,
      message: expect.stringContaining(`process ${process.pid}.`),
    });
    held.release();
    expect(JSON.parse((await hold()).lines[0] ?? '')).toMatchObject({ code: 'held' });
  });

  test('the same process is refused too, and the refusal does not loosen the lock', async () => {
    const held = await lock();
    expect(await lockFolder(folder)).toMatchObject({ ok: false, error: { code: 'folder_busy', pid: process.pid } });
    expect(JSON.parse((await hold()).lines[0] ?? '')).toMatchObject({ code: 'folder_busy' });
    held.release();
  });

  test('after kill -9 the folder is free at once, and server.json names the next holder', async () => {
    const first = await hold();
    await first.kill();
    expect(JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')).pid).toBe(first.pid);
    const held = await lock();
    expect(JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8'))).toMatchObject({ pid: process.pid });
    held.release();
  });

  test('of many processes that start together exactly one gets the folder', async () => {
    const started = await Promise.all(Array.from({ length: 6 }, () => hold()));
    const answers = started.map((child) => JSON.parse(child.lines[0] ?? ''));
    const winner = answers.find((answer) => answer.code === 'held');
    const losers = answers.filter((answer) => answer.code === 'folder_busy');
    expect(losers).toHaveLength(5);
    for (const loser of losers) expect(loser.pid).toBe(winner.pid);
  });

  test('a server.json that is stale or no JSON is not believed', async () => {
    const held = await lock();
    for (const text of ['{"pid":', JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '' })]) {
      writeFileSync(join(folder, 'server.json'), text);
      const refused = await lockFolder(folder);
      expect(refused).toMatchObject({ ok: false, error: { code: 'folder_busy' } });
      expect(refused).not.toHaveProperty('error.pid');
    }
    held.release();
  });

  test('only the owner can read the files; server.json goes with a release, and releasing twice is nothing', async () => {
    folder = join(folder, 'new', 'folder');
    const held = await lock();
    held.announce('http://127.0.0.1:4100');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    held.release();
    held.release();
    held.announce('http://127.0.0.1:4100');
    expect(existsSync(join(folder, 'server.json'))).toBe(false);
  });

  test('a path that is a file cannot be a data folder', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    const refused = await lockFolder(path);
    expect(refused).toMatchObject({ ok: false, error: { code: 'folder_unusable' } });
    if (!refused.ok) expect(refused.error.message).toContain(path);
  });
});
