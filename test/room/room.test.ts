import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../server/store/memory.ts';
import { HeldStore } from '../support/held-store.ts';
import { add, brief, Mirror, openRooms, submission } from '../support/room-harness.ts';

function heldRooms() {
  const store = new HeldStore(openMemoryStore());
  return { store, rooms: openRooms(store) };
}

async function openRoom(rooms: ReturnType<typeof openRooms>, name = 'r') {
  const opened = await rooms.open(name);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

describe('durable before visible', () => {
  test('nothing is acknowledged, told or read before its commit', async () => {
    const { store, rooms } = heldRooms();
    const room = await openRoom(rooms);
    const mirror = new Mirror();
    await room.subscribe(mirror, undefined);
    let answered = false;
    const ack = room.submit(submission(add('one'))).then((outcome) => {
      answered = true;
      return outcome;
    });
    await store.arrived();
    expect([answered, mirror.told, room.snapshot().tasks.length, room.position.revision]).toEqual([false, [], 0, 0]);
    await store.letThrough();
    expect(brief(await ack)).toBe('ack 1');
    expect([mirror.told, room.snapshot().tasks.length]).toEqual([[1], 1]);
  });

  test('a refusal waits for what it was decided on', async () => {
    const { store, rooms } = heldRooms();
    const room = await openRoom(rooms);
    const order: string[] = [];
    const note = (outcome: Parameters<typeof brief>[0]): unknown => order.push(brief(outcome));
    const first = room.submit(submission(add('one'))).then(note);
    await store.arrived();
    const completed = room.submit(submission({ type: 'task.complete', task: 'task-1' })).then(note);
    const again = room.submit(submission({ type: 'task.complete', task: 'task-1' })).then(note);
    await store.letThrough();
    await first;
    expect(order).toEqual(['ack 1']);
    await store.letThrough();
    await Promise.all([completed, again]);
    expect(order).toEqual(['ack 1', 'ack 2', 'reject terminal']);
  });

  test('what comes while a commit runs shares the next one', async () => {
    const { store, rooms } = heldRooms();
    const room = await openRoom(rooms);
    const answers = [room.submit(submission(add('one')))];
    await store.arrived();
    for (let index = 0; index < 10; index += 1) answers.push(room.submit(submission(add(`more ${index}`))));
    await store.letThrough();
    expect((await store.arrived()).records.map((record) => record.change.revision)).toEqual([
      2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
    await store.letThrough();
    expect((await Promise.all(answers)).map(brief).at(-1)).toBe('ack 11');
  });
});

describe('an append that fails', () => {
  test('takes everything that waits with it, and the room goes on from its last durable plan', async () => {
    const { store, rooms } = heldRooms();
    const room = await openRoom(rooms);
    const mirror = new Mirror();
    await room.subscribe(mirror, undefined);
    const kept = room.submit(submission(add('kept')));
    await store.letThrough();
    await kept;
    const before = room.snapshot();
    const lost = [
      room.submit(submission({ type: 'task.start', task: 'task-1' })),
      room.submit(submission(add('lost'))),
    ];
    await store.arrived();
    lost.push(room.submit(submission({ type: 'task.remove', task: 'task-2' })));
    lost.push(room.submit(submission({ type: 'task.remove', task: 'task-9' })));
    await store.fail();
    expect((await Promise.all(lost)).map(brief)).toEqual(Array(4).fill('error store_full'));
    expect(room.snapshot()).toEqual(before);
    const next = room.submit(submission(add('after')));
    await store.letThrough();
    const outcome = await next;
    expect(outcome.type === 'ack' && outcome.ack.created[0]?.id).toBe('task-2');
    expect(mirror.told).toEqual([1, 2]);
    expect(mirror.plan?.toSnapshot()).toEqual(room.snapshot());
  });
});

describe('exactly once', () => {
  test('a retry while the first is under way gets its answer, and takes effect once', async () => {
    const { store, rooms } = heldRooms();
    const room = await openRoom(rooms);
    const answers = [1, 2].map(() => room.submit(submission(add('one'), 'ann', 'same')));
    await store.letThrough();
    expect((await Promise.all(answers)).map(brief)).toEqual(['ack 1', 'ack 1 again']);
    expect(room.snapshot().tasks.length).toBe(1);
  });

  test('a retry after the answer gets the first answer, nags and new ids included', async () => {
    const rooms = openRooms();
    const mutation = { type: 'task.add', description: 'x', dependsOn: ['nope'] } as const;
    const first = await rooms.submit('r', submission({ ...mutation, dependsOn: ['nope'] }, 'ann', 'same'));
    await rooms.submit('r', submission(add('other')));
    const again = await rooms.submit('r', submission({ ...mutation, dependsOn: ['nope'] }, 'ann', 'same'));
    expect(again).toEqual({ type: 'ack', ack: { ...(first.type === 'ack' && first.ack), repeated: true } });
  });

  test('a retry of a mutation that only the store remembers gets the first answer, and those beside it are decided anew', async () => {
    const store = openMemoryStore();
    const rooms = openRooms(store);
    await rooms.submit('r', submission(add('one'), 'ann', 'old'));
    for (let index = 0; index < 4_200; index += 1) {
      await rooms.submit('r', submission({ type: 'task.edit', task: 'task-1', description: `text ${index}` }));
    }
    const [left, retry, right] = await Promise.all([
      rooms.submit('r', submission(add('left'))),
      rooms.submit('r', submission(add('one'), 'ann', 'old')),
      rooms.submit('r', submission(add('right'))),
    ]);
    expect([left, retry, right].map(brief)).toEqual(['ack 4202', 'ack 1 again', 'ack 4203']);
    const room = await openRoom(rooms);
    expect(room.snapshot().tasks.map((task) => task.description)).toEqual(['text 4199', 'left', 'right']);
  });

  test('a retry that would be refused now, or would change nothing, gets the first answer though only the store remembers', async () => {
    const store = openMemoryStore();
    const first = openRooms(store);
    await first.submit('r', submission(add('one')));
    const complete = submission({ type: 'task.complete', task: 'task-1' });
    const edit = submission({ type: 'task.edit', task: 'task-1', description: 'better' });
    expect([brief(await first.submit('r', complete)), brief(await first.submit('r', edit))]).toEqual([
      'ack 2',
      'ack 3',
    ]);
    for (let index = 0; index < 120; index += 1) await first.submit('r', submission(add(`more ${index}`)));
    // Letting go saves a snapshot: the next load brings the plan, and not the Changes before it.
    await first.evictIdle(0);
    const answers = [await first.submit('r', complete), await first.submit('r', edit)];
    expect(answers.map(brief)).toEqual(['ack 2 again', 'ack 3 again']);
    expect(brief(await first.submit('r', submission({ type: 'task.complete', task: 'task-1' })))).toBe(
      'reject terminal',
    );
  });

  test('an id that was used for something else is refused', async () => {
    const rooms = openRooms();
    await rooms.submit('r', submission(add('one'), 'ann', 'same'));
    expect(brief(await rooms.submit('r', submission(add('one'), 'bob', 'same')))).toBe('reject mutation_id_reused');
    const other = submission({ type: 'tasks.clean', keepPending: false }, 'ann', 'same');
    expect(brief(await rooms.submit('r', other))).toBe('reject mutation_id_reused');
  });
});

describe('coming back', () => {
  test('brings nothing, the missing Changes or a snapshot, whichever is right', async () => {
    const rooms = openRooms();
    const mirror = new Mirror();
    await rooms.subscribe('r', mirror, mirror.position);
    await rooms.submit('r', submission(add('one')));
    mirror.leave();
    await rooms.subscribe('r', mirror, mirror.position);
    mirror.leave();
    for (let index = 0; index < 3; index += 1) await rooms.submit('r', submission(add(`more ${index}`)));
    await rooms.subscribe('r', mirror, mirror.position);
    mirror.leave();
    await rooms.subscribe('r', mirror, { epoch: 'another', revision: 2 });
    mirror.leave();
    await rooms.subscribe('r', mirror, { epoch: mirror.position?.epoch ?? '', revision: 99 });
    expect(mirror.catchUps).toEqual(['snapshot', 'current', 'changes', 'snapshot', 'snapshot']);
    expect(mirror.told).toEqual([1, 2, 3, 4]);
    expect(mirror.plan?.toSnapshot()).toEqual((await openRoom(rooms)).snapshot());
  });

  test('after the room was let go and loaded again, the Changes still come from the store', async () => {
    const store = openMemoryStore();
    const rooms = openRooms(store);
    const mirror = new Mirror();
    for (let index = 0; index < 150; index += 1)
      await rooms.submit('r', submission(add(`task ${index} ${'x'.repeat(400)}`)));
    await rooms.subscribe('r', mirror, undefined);
    mirror.leave();
    await rooms.submit('r', submission(add('one more')));
    await rooms.evictIdle(0);
    expect(rooms.liveCount).toBe(0);
    await rooms.subscribe('r', mirror, mirror.position);
    expect(mirror.catchUps).toEqual(['snapshot', 'changes']);
    expect(mirror.told).toEqual([151]);
  });

  test('a base from before what memory holds is read from the store', async () => {
    const rooms = openRooms(openMemoryStore());
    for (let index = 0; index < 120; index += 1) await rooms.submit('r', submission(add(`task ${index}`)));
    await rooms.evictIdle(0);
    const reverted = await rooms.submit('r', submission({ type: 'plan.revert', revision: 7 }));
    expect(brief(reverted)).toBe('ack 121');
    const room = await openRoom(rooms);
    expect(room.snapshot().tasks.some((task) => task.description === 'task 6')).toBe(false);
  });
});

describe('another writer on the same store', () => {
  test('its Changes are taken over, told to subscribers, and what waited is decided anew', async () => {
    const store = openMemoryStore();
    const [here, there] = [openRooms(store), openRooms(store)];
    const mirror = new Mirror();
    await here.submit('r', submission(add('one')));
    await here.subscribe('r', mirror, undefined);
    await there.submit('r', submission({ type: 'task.complete', task: 'task-1' }, 'bob'));
    const answers = await Promise.all([
      here.submit('r', submission({ type: 'task.complete', task: 'task-1' })),
      here.submit('r', submission(add('two'))),
    ]);
    expect(answers.map(brief)).toEqual(['reject terminal', 'ack 3']);
    expect(mirror.told).toEqual([2, 3]);
    expect(mirror.plan?.toSnapshot()).toEqual((await openRoom(here)).snapshot());
  });

  test('a room it deleted, or made first, is over here: subscribers are told and nothing is written to the new one', async () => {
    const store = openMemoryStore();
    const [here, there] = [openRooms(store), openRooms(store)];
    const mirrors = { deleted: new Mirror(), unborn: new Mirror() };
    await here.submit('deleted', submission(add('one')));
    await here.subscribe('deleted', mirrors.deleted, undefined);
    await here.subscribe('unborn', mirrors.unborn, undefined);
    await there.delete('deleted', undefined);
    await there.submit('unborn', submission(add('theirs')));
    const answers = await Promise.all(['deleted', 'unborn'].map((room) => here.submit(room, submission(add('late')))));
    expect(answers.map(brief)).toEqual(['reject epoch_changed', 'reject epoch_changed']);
    expect([mirrors.deleted.deletions.length, mirrors.unborn.deletions.length]).toEqual([1, 1]);
    expect(brief(await here.submit('unborn', submission(add('again'))))).toBe('ack 2');
  });
});
