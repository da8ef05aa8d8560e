import { expect, test } from 'vitest';
import { RoomRegistry } from '../../server/room/registry.ts';
import { openMemoryStore } from '../../server/store/memory.ts';
import { TickScheduler } from '../../server/tick.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { add, brief, Mirror, submission } from '../support/room-harness.ts';

/** Rooms whose supply of uids fails when told to: a bug, as seen from the core. */
function faultyRooms() {
  const faults: unknown[] = [];
  const supply = { broken: false };
  let uids = 0;
  const rooms = new RoomRegistry({
    store: openMemoryStore(),
    now: () => '2026-01-01T00:00:00.000Z',
    newUid: () => {
      if (supply.broken) throw new Error('no uid');
      uids += 1;
      return `uid-${String(uids).padStart(6, '0')}`;
    },
    atEndOfTick: new TickScheduler().atEndOfTick,
    onFault: (error) => faults.push(error),
  });
  return { rooms, supply, faults };
}

test('a bug that a mutation brings to light costs that mutation: it is answered, told, and the room goes on', async () => {
  const { rooms, supply, faults } = faultyRooms();
  await rooms.submit('r', submission(add('one')));
  supply.broken = true;
  const batch: Mutation = {
    type: 'batch',
    mutations: [
      { type: 'task.start', task: 'task-1' },
      { type: 'task.add', description: 'two' },
    ],
  };
  const answers = await Promise.all([rooms.submit('r', submission(add('two'))), rooms.submit('r', submission(batch))]);
  expect(answers.map(brief)).toEqual(['fault', 'fault']);
  expect(faults.length).toBe(2);
  supply.broken = false;
  expect(brief(await rooms.submit('r', submission(add('three'))))).toBe('ack 2');
  const opened = await rooms.open('r');
  expect(opened.ok && opened.value.snapshot().tasks.map((task) => `${task.description} ${task.status}`)).toEqual([
    'one pending',
    'three pending',
  ]);
});

test('a subscriber that throws loses its subscription; the others are told', async () => {
  const { rooms, faults } = faultyRooms();
  const bad = new Mirror();
  const good = new Mirror();
  bad.onChanges = () => {
    throw new Error('mine');
  };
  await rooms.subscribe('r', bad, undefined);
  await rooms.subscribe('r', good, undefined);
  await rooms.submit('r', submission(add('one')));
  await rooms.submit('r', submission(add('two')));
  expect(good.told).toEqual([1, 2]);
  expect(faults.length).toBe(1);
});
