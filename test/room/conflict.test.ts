import { expect, test } from 'vitest';
import { openMemoryStore } from '../../server/store/memory.ts';
import type { Store } from '../../server/store/store.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { HeldReads } from '../support/held-reads.ts';
import { HeldStore } from '../support/held-store.ts';
import { add, brief, openRooms, submission } from '../support/room-harness.ts';

const revert = (revision: number): Mutation => ({ type: 'plan.revert', revision });

/** Two servers on one store; appends and reads of history of the first one wait for the test. */
async function twoServers() {
  const memory = openMemoryStore();
  const before = openRooms(memory);
  for (const text of ['one', 'two']) await before.submit('r', submission(add(text)));
  const opened = await before.open('r');
  if (opened.ok) await memory.saveSnapshot(opened.value.snapshot());
  const reads = new HeldReads(memory);
  const appends = new HeldStore(reads.store);
  const [here, there] = [openRooms(appends), openRooms(memory)];
  const outcomes: string[] = [];
  const submitHere = async (what: string, mutation: Mutation, actor?: string): Promise<void> => {
    outcomes.push(`${what}: ${brief(await here.submit('r', submission(mutation, actor)))}`);
  };
  const texts = async (rooms: typeof here) => {
    const room = await rooms.open('r');
    return room.ok ? room.value.snapshot().tasks.map(({ description }) => description) : [];
  };
  return { memory, reads, appends, here, there, outcomes, submitHere, texts };
}

test('another server writes while one mutation is being appended and another waits for history', async () => {
  const { memory, reads, appends, here, there, outcomes, submitHere, texts } = await twoServers();
  await here.open('r');
  const added = submitHere('add', add('by ann'));
  await appends.arrived();
  await there.submit('r', submission(add('by another server')));
  reads.hold();
  const reverted = submitHere('revert', revert(2), 'bob');
  await reads.arrived(1);
  await appends.letThrough();
  // The conflict is known, what the other server wrote is taken over, and the add is on its way again.
  await appends.arrived();
  reads.release();
  await appends.letThrough();
  await added;
  await appends.letThrough();
  await reverted;
  expect(outcomes).toEqual(['add: ack 4', 'revert: ack 5']);
  expect(await texts(here)).toEqual(['one', 'by another server', 'by ann']);
  expect(await texts(openRooms(memory))).toEqual(await texts(here));
  const later = submitHere('later', add('later'));
  await appends.letThrough();
  await later;
  expect(outcomes.at(-1)).toBe('later: ack 6');
});

test('what was decided from history is decided again after a conflict, before what the same actor sent later', async () => {
  const { appends, here, there, outcomes, submitHere, texts } = await twoServers();
  await here.open('r');
  const reverted = submitHere('revert', revert(2));
  const completed = submitHere('complete', { type: 'task.complete', task: 'task-2' });
  await appends.arrived();
  await there.submit('r', submission(add('by another server')));
  await appends.letThrough();
  await appends.letThrough();
  await reverted;
  await completed;
  expect(outcomes).toEqual(['revert: ack 4', 'complete: reject task_not_found']);
  expect(await texts(here)).toEqual(['one', 'by another server']);
});

test('a store that throws costs what waits, and the room goes on', async () => {
  const memory = openMemoryStore();
  const faults: unknown[] = [];
  let broken = false;
  const append: Store['append'] = (batch) => {
    if (broken) throw new Error('a bug of the store');
    return memory.append(batch);
  };
  const store: Store = Object.assign(Object.create(memory), { append });
  const rooms = openRooms(store, (error) => faults.push(error));
  const submit = async (mutation: Mutation) => brief(await rooms.submit('r', submission(mutation)));
  expect(await submit(add('one'))).toBe('ack 1');
  broken = true;
  expect(await Promise.all([submit(add('lost')), submit({ type: 'task.start', task: 'task-1' })])).toEqual([
    'fault',
    'fault',
  ]);
  broken = false;
  expect(faults).toHaveLength(1);
  expect(await submit(add('two'))).toBe('ack 2');
  const room = await rooms.open('r');
  expect(room.ok && room.value.snapshot().tasks.map((task) => `${task.description} ${task.status}`)).toEqual([
    'one pending',
    'two pending',
  ]);
  expect(room.ok && brief(await rooms.submit('r', submission(revert(2))))).toBe('ack 3');
});

test('a store that throws while the room learns what another server wrote costs what waits, and no more', async () => {
  const memory = openMemoryStore();
  const faults: unknown[] = [];
  const there = openRooms(memory);
  await there.submit('r', submission(add('one')));
  let broken = false;
  const load: Store['load'] = (room) => {
    if (broken) throw new Error('a bug of the store');
    return memory.load(room);
  };
  const here = openRooms(Object.assign(Object.create(memory), { load }), (error) => faults.push(error));
  await here.open('r');
  await there.submit('r', submission(add('two')));
  broken = true;
  expect(brief(await here.submit('r', submission(add('lost'))))).toBe('fault');
  broken = false;
  expect(faults).toHaveLength(1);
  expect(brief(await here.submit('r', submission(add('three'))))).toBe('ack 3');
});

test('a watcher of rooms that throws costs nobody an answer', async () => {
  const faults: unknown[] = [];
  const rooms = openRooms(openMemoryStore(), (error) => faults.push(error));
  rooms.watch(() => {
    throw new Error('mine');
  });
  expect(brief(await rooms.submit('r', submission(add('one'))))).toBe('ack 1');
  expect(brief(await rooms.submit('r', submission(add('two'))))).toBe('ack 2');
  expect(faults).toHaveLength(2);
});
