import { afterEach, describe, expect, test } from 'vitest';
import type { SightOfChange, Submission } from '../../server/room/outcome.ts';
import type { RoomRegistry } from '../../server/room/registry.ts';
import { openMemoryStore } from '../../server/store/memory.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { Result } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import { sight } from '../support/appends.ts';
import { HeldStore } from '../support/held-store.ts';
import { add, brief, openRooms, submission } from '../support/room-harness.ts';
import { openStore, removeFolder, temporaryFolder } from '../support/sqlite-folder.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) removeFolder(folder);
});

/** Sees every task of the plan it is told; notes what it was told. */
function looking(dialect = 'todo') {
  const told: { revision: number; tasks: string[] }[] = [];
  const sees = (plan: Plan) => {
    const tasks = [...plan.tasks()];
    told.push({ revision: plan.revision, tasks: tasks.map(({ description }) => description) });
    return { shown: tasks.map(({ uid }) => uid) };
  };
  const sightOfChange: SightOfChange = { dialect, sees };
  return { told, sight: sightOfChange };
}

function seeing(mutation: Mutation, actor = 'ann', look = looking()): Submission {
  return { ...submission(mutation, actor), sight: look.sight };
}

async function openRoom(rooms: RoomRegistry) {
  const opened = await rooms.open('r');
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

async function read(rooms: RoomRegistry, actor = 'ann', dialect = 'todo'): Promise<Sight | undefined> {
  return value((await openRoom(rooms)).readSight(actor, dialect));
}

async function value<T>(result: Promise<Result<T, unknown>>): Promise<T> {
  const settled = await result;
  if (!settled.ok) throw new Error(JSON.stringify(settled.error));
  return settled.value;
}

function heldRooms() {
  const store = new HeldStore(openMemoryStore());
  return { store, rooms: openRooms(store) };
}

describe('a Change with a sight', () => {
  test('once it is acknowledged its sight is there, also for the next process', async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    let store = await openStore(folder);
    const first = openRooms(store);
    await first.submit('r', submission(add('before'), 'bob'));
    const outcome = await first.submit('r', seeing(add('mine')));
    const uids = (await openRoom(first)).snapshot().tasks.map(({ uid }) => uid);
    const expected = { actor: 'ann', dialect: 'todo', revision: 2, shown: uids };
    expect([brief(outcome), await read(first)]).toEqual(['ack 2', expected]);
    await store.close();
    store = await openStore(folder);
    expect(await read(openRooms(store))).toEqual(expected);
    await store.close();
  });

  test('is told the plan with its own Change, and nothing that was decided after it', async () => {
    const { store, rooms } = heldRooms();
    const looks = [looking(), looking('tasks')] as const;
    const answers = [
      rooms.submit('r', seeing(add('one'), 'ann', looks[0])),
      rooms.submit('r', seeing(add('two'), 'ann', looks[1])),
      rooms.submit('r', submission(add('three'))),
    ];
    await store.letThrough();
    await Promise.all(answers);
    expect(looks.map(({ told }) => told)).toEqual([
      [{ revision: 1, tasks: ['one'] }],
      [{ revision: 2, tasks: ['one', 'two'] }],
    ]);
    expect([(await read(rooms))?.revision, (await read(rooms, 'ann', 'tasks'))?.revision]).toEqual([1, 2]);
  });

  test('both are in one append, which has only the last sight of an actor', async () => {
    const { store, rooms } = heldRooms();
    const answers = [
      rooms.submit('r', seeing(add('one'))),
      rooms.submit('r', seeing(add('two'))),
      rooms.submit('r', seeing(add('three'), 'bob')),
    ];
    const { records, sights } = await store.arrived();
    expect(records.map(({ change }) => change.revision)).toEqual([1, 2, 3]);
    expect(sights?.map(({ actor, revision, shown }) => [actor, revision, shown?.length])).toEqual([
      ['ann', 2, 2],
      ['bob', 3, 3],
    ]);
    expect(await read(rooms)).toBeUndefined();
    await store.letThrough();
    await Promise.all(answers);
    expect((await read(rooms))?.revision).toBe(2);
  });
});

describe('no sight is stored', () => {
  test('when the append fails, and those that wait with it are taken back too', async () => {
    const { store, rooms } = heldRooms();
    const lost = [rooms.submit('r', seeing(add('one')))];
    await store.arrived();
    lost.push(rooms.submit('r', seeing(add('two'), 'bob')));
    await store.fail();
    expect((await Promise.all(lost)).map(brief)).toEqual(['error store_full', 'error store_full']);
    const next = rooms.submit('r', submission(add('after')));
    expect((await store.arrived()).sights ?? []).toEqual([]);
    await store.letThrough();
    expect(brief(await next)).toBe('ack 1');
    expect([await read(rooms), await read(rooms, 'bob')]).toEqual([undefined, undefined]);
  });

  test('when the mutation is refused, changes nothing, or is a retry', async () => {
    const rooms = openRooms();
    const look = looking();
    const first = submission(add('one'));
    await rooms.submit('r', first);
    const answers = [
      await rooms.submit('r', seeing({ type: 'task.start', task: 'task-9' }, 'ann', look)),
      await rooms.submit('r', seeing({ type: 'task.edit', task: 'task-1', description: 'one' }, 'ann', look)),
      await rooms.submit('r', { ...first, sight: look.sight }),
    ];
    expect(answers.map(brief)).toEqual(['reject task_not_found', 'ack 1', 'ack 1 again']);
    expect([look.told, await read(rooms)]).toEqual([[], undefined]);
  });

  test('when looking throws: that mutation is a fault, and the plan is as it was before it', async () => {
    const faults: unknown[] = [];
    const rooms = openRooms(openMemoryStore(), (error) => faults.push(error));
    const sees = () => {
      throw new Error('mine');
    };
    await rooms.submit('r', submission(add('one')));
    const bad = rooms.submit('r', { ...submission(add('two')), sight: { dialect: 'todo', sees } });
    const good = rooms.submit('r', seeing(add('three')));
    expect([brief(await bad), brief(await good), faults.length]).toEqual(['fault', 'ack 2', 1]);
    const { tasks } = (await openRoom(rooms)).snapshot();
    expect(tasks.map(({ number, description }) => `${number} ${description}`)).toEqual(['1 one', '2 three']);
  });
});

describe('another writer on the same store', () => {
  test('what is decided again is looked at again, and that sight is stored', async () => {
    const store = openMemoryStore();
    const [here, there] = [openRooms(store), openRooms(store)];
    await here.submit('r', submission(add('one')));
    await there.submit('r', submission(add('theirs'), 'bob'));
    const look = looking();
    expect(brief(await here.submit('r', seeing(add('mine'), 'ann', look)))).toBe('ack 3');
    expect(look.told).toEqual([
      { revision: 2, tasks: ['one', 'mine'] },
      { revision: 3, tasks: ['one', 'theirs', 'mine'] },
    ]);
    expect(await read(here)).toMatchObject({ revision: 3, shown: { length: 3 } });
  });
});

describe('a sight without a Change', () => {
  test('is kept for its actor and dialect, in place of the one before', async () => {
    const rooms = openRooms();
    await rooms.submit('r', seeing(add('one')));
    const room = await openRoom(rooms);
    for (const shown of [null, ['u1']]) await value(room.saveSight(sight('ann', 1, { shown })));
    expect(await read(rooms)).toEqual(sight('ann', 1, { shown: ['u1'] }));
    expect(await read(rooms, 'ann', 'tasks')).toBeUndefined();
    await rooms.evictIdle(0);
    expect(await read(rooms)).toEqual(sight('ann', 1, { shown: ['u1'] }));
  });

  test('of a room without a Change is not kept', async () => {
    const rooms = openRooms();
    const room = await openRoom(rooms);
    await value(room.saveSight(sight('ann', 0)));
    expect(await value(room.readSight('ann', 'todo'))).toBeUndefined();
    await rooms.submit('r', submission(add('one')));
    expect(await value(room.readSight('ann', 'todo'))).toBeUndefined();
  });

  test('of a room that was deleted and made anew is not taken for one of the new room', async () => {
    const rooms = openRooms();
    await rooms.submit('r', seeing(add('one')));
    const old = await openRoom(rooms);
    await rooms.delete('r', undefined);
    await rooms.submit('r', submission(add('new')));
    await value(old.saveSight(sight('ann', 1)));
    await value(rooms.saveSight('r', old.position.epoch, sight('ann', 1)));
    expect([await read(rooms), await value(old.readSight('ann', 'todo'))]).toEqual([undefined, undefined]);
    const { epoch } = (await openRoom(rooms)).position;
    await value(rooms.saveSight('r', epoch, sight('ann', 1)));
    expect(await value(rooms.readSight('r', epoch, 'ann', 'todo'))).toEqual(sight('ann', 1));
  });
});
