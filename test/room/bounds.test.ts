import { expect, test } from 'vitest';
import { readNewest, readOldest } from '../../server/room/read-pieces.ts';
import type { EncodedRecord } from '../../server/store/store.ts';
import { ok } from '../../shared/plan/result.ts';
import { record } from '../support/appends.ts';
import { add, openRooms, submission } from '../support/room-harness.ts';

/** A history of `count` Changes of about `characters` each, that notes how many were asked for at once. */
function historyOf(count: number, characters: number) {
  const asked: number[] = [];
  const read = async (from: number, to: number) => {
    asked.push(to - from + 1);
    const records: EncodedRecord[] = [];
    for (let revision = from; revision <= Math.min(to, count); revision += 1) {
      records.push({ ...record(revision), changeText: 'x'.repeat(characters) });
    }
    return ok(records);
  };
  return { read, asked };
}

async function revisions(reading: ReturnType<typeof readOldest>): Promise<number[]> {
  const read = await reading;
  return read.ok ? read.value.map(({ change }) => change.revision) : [];
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('small Changes are read in few pieces, oldest or newest first, all of them in order', async () => {
  const { read, asked } = historyOf(2_000, 100);
  expect(await revisions(readOldest(read, 1, 2_000, 1_000_000))).toEqual(range(1, 2_000));
  expect(await revisions(readNewest(read, 1, 2_000, 1_000_000))).toEqual(range(1, 2_000));
  expect(asked.length).toBeLessThan(14);
});

test('large Changes are read a few at a time, and only as many as fit', async () => {
  const { read, asked } = historyOf(1_000, 1_000);
  expect(await revisions(readOldest(read, 101, 1_000, 10_000))).toEqual(range(101, 110));
  expect(await revisions(readNewest(read, 1, 900, 10_000))).toEqual(range(891, 900));
  expect(Math.max(...asked)).toBeLessThanOrEqual(8);
});

test('a Change over the bound is given alone to who reads forward, and not kept by who reads back', async () => {
  const { read } = historyOf(3, 1_000);
  expect(await revisions(readOldest(read, 1, 3, 10))).toEqual([1]);
  expect(await revisions(readNewest(read, 1, 3, 10))).toEqual([]);
});

test('where history is missing the read ends; newest first it never has a gap to its end', async () => {
  const { read } = historyOf(5, 10);
  expect(await revisions(readOldest(read, 4, 20, 1_000))).toEqual([4, 5]);
  expect(await revisions(readNewest(read, 1, 20, 1_000))).toEqual([]);
});

test('names that are made up do not fill the memory; rooms in use stay', async () => {
  const rooms = openRooms();
  await rooms.submit('kept', submission(add('a task')));
  for (let index = 0; index < 2_000; index += 1) await rooms.open(`made-up-${index}`);
  expect(rooms.liveCount).toBe(2_001);
  // They count as unused after a second.
  const clock = Date.now;
  Date.now = () => clock() + 2_000;
  try {
    for (let index = 2_000; index < 6_000; index += 1) await rooms.open(`made-up-${index}`);
    await expect.poll(() => rooms.liveCount).toBeLessThan(4_100);
  } finally {
    Date.now = clock;
  }
  expect(await rooms.submit('kept', submission(add('another')))).toMatchObject({ ack: { revision: 2 } });
});
