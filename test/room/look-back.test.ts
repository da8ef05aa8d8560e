import { describe, expect, test } from 'vitest';
import { RoomHistory } from '../../server/room/room-history.ts';
import { RowUndos } from '../../server/room/row-undos.ts';
import { openMemoryStore } from '../../server/store/memory.ts';
import { limits } from '../../shared/plan/limits.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { Plan } from '../../shared/plan/plan.ts';
import { HeldReads } from '../support/held-reads.ts';
import { add, brief, openRooms, submission } from '../support/room-harness.ts';

/** A room whose Changes are in the store and not in memory, with these mutations as its past. */
async function roomWithPast(past: readonly Mutation[]) {
  const memory = openMemoryStore();
  const before = openRooms(memory);
  for (const mutation of past) await before.submit('r', submission(mutation, 'bob'));
  const opened = await before.open('r');
  // With a snapshot, the next load brings no Change into memory.
  if (opened.ok) await memory.saveSnapshot(opened.value.snapshot());
  const reads = new HeldReads(memory);
  const rooms = openRooms(reads.store);
  const room = await rooms.open('r');
  if (!room.ok) throw new Error(room.error.message);
  const { epoch, revision } = room.value.position;
  const submit = async (mutation: Mutation, actor = 'ann') =>
    brief(await rooms.submit('r', submission(mutation, actor)));
  return { memory, reads, rooms, room: room.value, epoch, revision, submit };
}

const tasks = (count: number): Mutation[] => Array.from({ length: count }, (_, index) => add(`task ${index + 1}`));
const replace = (base: number): Mutation => ({ type: 'tasks.replace', base, items: [{ description: 'mine' }] });

/** More of them, each with a body that large, than one decision may read. */
function documents(): Mutation[] {
  const size = limits.contentBytesMax;
  const count = Math.ceil(limits.historyReadBytesPerDecisionMax / size / 2) + 2;
  return Array.from({ length: count }, (_, index) => ({
    type: 'document.write',
    content: String(index % 10).repeat(size),
  }));
}

describe('what a decision reads of the past', () => {
  test('each Change to revert, and none between them', async () => {
    const { reads, submit } = await roomWithPast(tasks(40));
    const reverts: Mutation = {
      type: 'batch',
      mutations: [
        { type: 'plan.revert', revision: 2 },
        { type: 'plan.revert', revision: 30 },
      ],
    };
    expect(await submit(reverts)).toBe('ack 41');
    expect(reads.asked).toEqual([
      [2, 2],
      [30, 30],
    ]);
  });

  test('nothing for a batch that is refused for having too many that look at the whole plan', async () => {
    const { reads, submit } = await roomWithPast(tasks(5));
    const revert = (revision: number) => ({ type: 'plan.revert', revision }) as const;
    expect(await submit({ type: 'batch', mutations: [1, 2, 3].map(revert) })).toBe('reject too_long');
    expect(reads.asked).toEqual([]);
  });

  test('no more than a decision may, however many documents came since: the writer is told to re-read', async () => {
    const { reads, room, submit } = await roomWithPast([...tasks(2), ...documents(), add('last')]);
    expect(await submit(replace(2))).toBe('reject unknown_revision');
    expect(reads.characters).toBeLessThan(limits.historyReadBytesPerDecisionMax + 3 * limits.contentBytesMax);
    expect(await room.rowsAt(2)).toEqual({ ok: true, value: undefined });
    expect(await submit(replace(room.position.revision - 1))).toMatch(/^ack/);
  });

  test('a base older than as many Changes as a decision looks at is refused without reading', async () => {
    const reads = new HeldReads(openMemoryStore());
    const plan = new Plan('r', 'epoch');
    plan.rows.revision = limits.historyChangesPerDecisionMax + 1;
    const past = new RoomHistory(plan, reads.store);
    expect([new RowUndos(past, 0).takeHeld(), new RowUndos(past, 1).takeHeld()]).toEqual([true, false]);
    expect(reads.asked).toEqual([]);
  });

  test('of the Changes since, only what takes back their rows is kept; past the bound, nothing', async () => {
    const past: Mutation[] = [add('one'), { type: 'document.write', content: 'x'.repeat(5_000) }];
    past.push({ type: 'document.write', content: 'y' }, { type: 'task.edit', task: 'task-1', description: 'two' });
    const { reads, room, epoch, revision } = await roomWithPast(past);
    const plan = Plan.fromSnapshot(room.snapshot());
    const lookBack = async (keptCharacters: number) => {
      const undos = new RowUndos(new RoomHistory(plan, reads.store), 1, {
        changes: 10,
        keptCharacters,
        readCharacters: 100_000,
      });
      while (!undos.takeHeld()) expect(await undos.readMore()).toBeUndefined();
      return undos.newestFirst(1);
    };
    expect([epoch, revision]).toEqual([plan.epoch, 4]);
    expect(await lookBack(1_000)).toMatchObject([{ tasks: [{ description: 'one' }] }, {}, {}]);
    expect(JSON.stringify(await lookBack(1_000)).length).toBeLessThan(1_000);
    expect(await lookBack(100)).toBeUndefined();
  });
});

describe('while a decision waits for history', () => {
  test('others are decided, and only what the same actor sends after it waits behind it', async () => {
    const { reads, room, submit } = await roomWithPast(tasks(3));
    reads.hold();
    const order: string[] = [];
    const note = (what: string) => (outcome: string) => order.push(`${what} ${outcome}`);
    const mine = [
      submit({ type: 'plan.revert', revision: 2 }).then(note('revert')),
      submit({ type: 'task.complete', task: 'task-2' }).then(note('complete')),
    ];
    await reads.arrived(1);
    await submit({ type: 'task.start', task: 'task-1' }, 'bob').then(note('start'));
    reads.release();
    await Promise.all(mine);
    expect(order).toEqual(['start ack 4', 'revert ack 5', 'complete reject task_not_found']);
    expect(room.snapshot().tasks.map(({ description }) => description)).toEqual(['task 1', 'task 3']);
  });

  test('what others do meanwhile is merged with, and nothing of theirs is lost', async () => {
    const { reads, room, submit } = await roomWithPast([...tasks(3), add('by bob')]);
    reads.hold();
    const written = submit({ type: 'tasks.replace', base: 3, items: [{ description: 'task 1' }] });
    await reads.arrived(1);
    await submit(add('in between'), 'bob');
    reads.release();
    expect(await written).toBe('ack 6');
    expect(room.snapshot().tasks.map(({ description }) => description)).toEqual(['task 1', 'by bob', 'in between']);
  });

  test('a store that fails to read answers that one request, and the room goes on', async () => {
    const { reads, memory, submit } = await roomWithPast(tasks(3));
    const { history } = memory;
    const error = { code: 'store_unavailable', message: 'Not now.', retryable: true } as const;
    memory.history = async () => ({ ok: false, error });
    expect(await submit({ type: 'plan.revert', revision: 2 })).toBe('error store_unavailable');
    memory.history = history;
    expect(await submit({ type: 'plan.revert', revision: 2 })).toBe('ack 4');
    expect(reads.asked.length).toBe(2);
  });
});

test('a room gives its rows at an earlier revision, whether it must read for them or not', async () => {
  const { room, submit } = await roomWithPast([...tasks(2), { type: 'task.remove', task: 'task-1' }]);
  const textsAt = async (revision: number) => {
    const rows = await room.rowsAt(revision);
    return rows.ok && rows.value?.tasks.map(({ description }) => description);
  };
  expect(await textsAt(2)).toEqual(['task 1', 'task 2']);
  await submit(add('more'));
  expect(await textsAt(3)).toEqual(['task 2']);
  expect(await textsAt(4)).toEqual(['task 2', 'more']);
  expect(await textsAt(5)).toBeUndefined();
});
