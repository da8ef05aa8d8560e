import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore, removeFolder, temporaryFolder } from '../support/sqlite-folder.ts';
import { StoreChild } from '../support/store-child.ts';

const rounds = 20;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

test('whatever was acknowledged is there after kill -9, without a gap, and the next process goes on', {
  timeout: 120_000,
}, async () => {
  const acked = new Map<string, number>();
  for (let round = 0; round < rounds; round += 1) {
    const child = new StoreChild('write', folder);
    // Another moment in each round: right after the first Acks, in the middle, around the first checkpoints.
    await child.said(1 + round * 37);
    await child.kill();
    for (const line of child.lines) {
      const [room = '', revision] = line.split(' ');
      acked.set(room, Number(revision));
    }
    await verify(acked);
  }
  expect(acked.size).toBe(4);
});

async function verify(acked: ReadonlyMap<string, number>): Promise<void> {
  const store = await openStore(folder);
  for (const [room, revision] of acked) {
    const loaded = await store.load(room);
    const history = await store.history(room, 'epoch-1', 1, Number.MAX_SAFE_INTEGER);
    if (!loaded.ok || !history.ok) throw new Error(JSON.stringify([loaded, history]));
    expect(loaded.value?.revision).toBeGreaterThanOrEqual(revision);
    expect(history.value.map(({ change }) => change.revision)).toEqual(history.value.map((_, index) => index + 1));
    expect(history.value).toHaveLength(loaded.value?.revision ?? 0);
    expect(history.value.at(-1)?.change.patch.document?.content).toBe(`${room} ${loaded.value?.revision} `.repeat(40));
  }
  await store.close();
}
