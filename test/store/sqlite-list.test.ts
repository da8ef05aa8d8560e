import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Store } from '../../server/store/store.ts';
import { append } from '../support/appends.ts';
import { openStore, removeFolder, temporaryFolder } from '../support/sqlite-folder.ts';

/** More than two pages of the list. */
const names = Array.from({ length: 500 }, (_, index) => `room-${String((index * 7) % 500).padStart(3, '0')}`);

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = temporaryFolder();
  store = await openStore(folder);
  await Promise.all(names.map((name) => store.append(append(name, 0))));
});
afterEach(async () => {
  await store.close();
  removeFolder(folder);
});

async function listed(): Promise<string[]> {
  const list = await store.list();
  if (!list.ok) throw new Error(list.error.message);
  expect(list.value.warnings).toEqual([]);
  return list.value.rooms.map(({ room }) => room);
}

test('many rooms are listed by name, each once', async () => {
  expect(await listed()).toEqual([...names].sort());
});

test('an append does not wait for the end of a list that was asked for before it', async () => {
  const order: string[] = [];
  await Promise.all([
    listed().then(() => order.push('list')),
    store.append(append('room-000', 1)).then(() => order.push('append')),
  ]);
  expect(order).toEqual(['append', 'list']);
});

test('a room that is removed and made again while it is listed is there once', async () => {
  const list = store.list();
  await store.remove('room-000');
  await store.append(append('room-000', 0, 2, { epoch: 'epoch-2' }));
  const { ok, value } = (await list) as Extract<Awaited<typeof list>, { ok: true }>;
  expect(ok).toBe(true);
  expect(value.rooms.map(({ room }) => room)).toEqual([...names].sort());
  expect(await listed()).toEqual([...names].sort());
});
