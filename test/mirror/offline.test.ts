import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { readRefusals } from '../../shared/mirror/refusals.ts';
import { Random, runs, testSeed } from '../support/random.ts';
import { type Client, MirrorRoom, told } from './harness.ts';

/** Who wins between two blind writes in Yjs is the higher client id; every rule here must hold for both. */
const bothWays = [
  ['the client id of the server is higher', 0xffff_fff0],
  ['the client id of the server is lower', 1],
] as const;

function begin(serverId = 1) {
  const room = new MirrorRoom();
  room.mirror.doc.clientID = serverId;
  room.with('A', 'one', 'two', 'three').with('B', 'four');
  return { room, ann: room.client('ann'), bob: room.client('bob') };
}

describe.each(bothWays)('offline edits, when %s', (_, serverId) => {
  test('closed and renamed both survive', () => {
    const { room, ann, bob } = begin(serverId);
    const task = room.uid('task-1');
    ann.set(task, { description: 'renamed' });
    bob.set(task, { status: 'completed' });
    room.accept({ type: 'task.edit', task, priority: 'high' }, 'cy');
    for (const client of [ann, bob]) expect(client.sync().refusals).toEqual([]);
    expect(room.harness.task('task-1')).toMatchObject({
      description: 'renamed',
      status: 'completed',
      priority: 'high',
    });
  });

  test('of two blind edits of one field the last to arrive counts, as everywhere else', () => {
    const { room, ann } = begin(serverId);
    const task = room.uid('task-1');
    ann.set(task, { description: 'by ann' });
    room.accept({ type: 'task.edit', task, description: 'by cy' }, 'cy');
    expect(ann.sync().refusals).toEqual([]);
    expect(room.harness.task('task-1').description).toBe('by ann');
  });

  test('a blind edit of a value that was corrected meanwhile counts as well', () => {
    const { room, ann } = begin(serverId);
    const task = room.uid('task-1');
    ann.set(task, { description: ' ' });
    room.receive(Y.encodeStateAsUpdate(ann.doc, Y.encodeStateVector(room.mirror.doc)), 'ann');
    ann.set(task, { description: 'better' });
    expect(ann.sync().refusals).toEqual([]);
    expect(room.harness.task('task-1').description).toBe('better');
  });

  test.each(['completed', 'cancelled'] as const)(
    'a blind start of a task that was %s meanwhile is refused',
    (status) => {
      const { room, ann } = begin(serverId);
      const task = room.uid('task-1');
      ann.set(task, { status: 'in_progress', description: 'and renamed' });
      room.accept({ type: status === 'completed' ? 'task.complete' : 'task.cancel', task }, 'bob');
      const outcome = ann.sync();
      expect(told(outcome)).toEqual([`conflict ${task}:status`]);
      expect(outcome.refusals[0]?.message).toContain(`became ${status}`);
      expect(room.harness.task('task-1')).toMatchObject({ status, description: 'and renamed' });
    },
  );

  test('of two who start one task the first has it, and the other is told', () => {
    const { room, ann, bob } = begin(serverId);
    const task = room.uid('task-1');
    ann.set(task, { status: 'in_progress' });
    bob.set(task, { status: 'in_progress' });
    expect(ann.sync().refusals).toEqual([]);
    expect(told(bob.sync())).toEqual([`taken ${task}:status`]);
    expect(bob.get(task, 'startedBy')).toBe('ann');
  });

  test('a blind completion of a task that another has started goes through', () => {
    const { room, ann } = begin(serverId);
    const task = room.uid('task-1');
    ann.set(task, { status: 'completed' });
    room.accept({ type: 'task.start', task }, 'bob');
    expect(ann.sync().refusals).toEqual([]);
    expect(room.harness.task('task-1').status).toBe('completed');
  });

  test('an edit of a task that was removed meanwhile is refused, and its text kept', () => {
    const { room, ann } = begin(serverId);
    const task = room.uid('task-1');
    ann.set(task, { description: 'much work', priority: 'high' });
    room.accept({ type: 'task.remove', task });
    const outcome = ann.sync();
    expect(told(outcome)).toEqual([`task_not_found ${task}:description`, `task_not_found ${task}:priority`]);
    expect(readRefusals(ann.root)[0]).toMatchObject({ value: 'much work', actor: 'ann' });
    expect([...ann.root.keys()].filter((key) => key.startsWith(task))).toEqual([]);
  });

  test('removed stays removed, in either order, also from an edit of two fields', () => {
    for (const turn of [0, 1]) {
      const { room, ann, bob } = begin(serverId);
      const task = room.uid('task-1');
      ann.set(task, { description: 'renamed', status: 'completed' });
      bob.remove(task);
      for (const client of turn ? [ann, bob] : [bob, ann]) client.sync();
      expect(room.plan.task(task)).toBeUndefined();
    }
  });

  test('what is renamed and moved while another removes it stays, in either order', () => {
    for (const turn of [0, 1]) {
      const { room, ann, bob } = begin(serverId);
      const task = room.uid('task-1');
      ann.set(task, { description: 'renamed', group: room.group('B'), pos: 'a5' });
      bob.remove(task);
      for (const client of turn ? [ann, bob] : [bob, ann]) client.sync();
      expect(room.plan.task(task)).toMatchObject({ description: 'renamed', group: room.group('B') });
    }
  });

  test('a task that was added to a group while another removed the group', () => {
    const { room, ann } = begin(serverId);
    const group = room.group('B');
    ann.remove(group).remove(room.uid('task-4'));
    room.accept({ type: 'task.add', group, description: 'five' });
    expect(told(ann.sync())).toEqual([`group_not_empty ${group}:title`]);
    expect(room.harness.list()[1]).toEqual(['B', 'task-5 pending five']);
  });
});

test('two who add tasks offline at one place both keep theirs, with numbers of the plan', () => {
  for (const turn of [0, 1]) {
    const { room, ann, bob } = begin();
    ann.addTask('ann-added-1', room.group('A'), 'by ann', { pos: 'a3', number: 5 });
    bob.addTask('bob-added-1', room.group('A'), 'by bob', { pos: 'a3', number: 5 });
    for (const client of turn ? [ann, bob] : [bob, ann]) expect(client.sync().refusals).toEqual([]);
    const numbers = ['ann-added-1', 'bob-added-1'].map((uid) => room.plan.task(uid)?.number);
    expect(numbers.sort()).toEqual([5, 6]);
    ann.pull();
    expect(ann.get('ann-added-1', 'pos')).not.toBe(ann.get('bob-added-1', 'pos'));
  }
});

test('two who begin one row with the same uid end with one', () => {
  const { room, ann, bob } = begin();
  ann.addTask('same-uid-1', room.group('A'), 'by ann');
  bob.addTask('same-uid-1', room.group('B'), 'by bob', { priority: 'high' });
  ann.sync();
  bob.sync();
  expect(room.plan.task('same-uid-1')).toMatchObject({
    description: 'by bob',
    group: room.group('B'),
    priority: 'high',
  });
  expect(room.plan.taskCount).toBe(5);
});

test('an offline doc with edits of two page loads arrives in one piece', () => {
  const { room, ann } = begin();
  const task = room.uid('task-1');
  ann.set(task, { description: 'first load' });
  const second = room.client('ann');
  Y.applyUpdate(second.doc, Y.encodeStateAsUpdate(ann.doc));
  second.set(task, { description: 'second load', status: 'completed' }).addTask('second-task', room.group('A'), 'new');
  expect(second.sync().refusals).toEqual([]);
  expect(room.harness.task('task-1')).toMatchObject({ description: 'second load', status: 'completed' });
  expect(room.plan.task('second-task')?.number).toBe(5);
});

test('update and correction are one update for the others, who never see the illegal value', () => {
  const { room, ann, bob } = begin();
  const task = room.uid('task-1');
  const seen: unknown[] = [];
  bob.root.observe(() => seen.push(bob.get(task, 'description')));
  ann.set(task, { description: ' ' }).sync();
  Y.applyUpdate(bob.doc, room.lastUpdate ?? new Uint8Array());
  expect(seen).toEqual(['one']);
  expect(Object.fromEntries(bob.root.entries())).toEqual(Object.fromEntries(room.mirror.doc.getMap('plan').entries()));
});

describe('undo in a client', () => {
  const undoOf = (client: Client) =>
    new Y.UndoManager(client.root, { trackedOrigins: new Set(['user']), captureTimeout: 0 });

  test('of an edit, of an addition and of a removal', () => {
    const { room, ann } = begin();
    const undo = undoOf(ann);
    const task = room.uid('task-1');
    ann.set(task, { description: 'renamed', status: 'completed' }).sync();
    undo.undo();
    expect(ann.sync().refusals).toEqual([]);
    expect(room.harness.task('task-1')).toMatchObject({ description: 'one', status: 'pending' });
    undo.redo();
    ann.sync();
    expect(room.harness.task('task-1')).toMatchObject({ description: 'renamed', status: 'completed' });
    ann.addTask('undone-task', room.group('A'), 'new').sync();
    undo.undo();
    ann.sync();
    expect(room.plan.task('undone-task')).toBeUndefined();
    ann.remove(task).sync();
    expect(room.plan.task(task)).toBeUndefined();
    undo.undo();
    ann.sync();
    expect(room.plan.task(task)).toMatchObject({ description: 'renamed', status: 'completed' });
  });

  test('across a correction it converges and stays legal', () => {
    const { room, ann } = begin();
    const undo = undoOf(ann);
    ann.set(room.uid('task-1'), { description: 'fine' }).sync();
    ann.set(room.uid('task-1'), { description: ' ' }).sync();
    for (let step = 0; step < 3; step += 1) {
      undo.undo();
      ann.sync();
    }
    undo.redo();
    ann.sync();
    room.expectSame();
  });
});

test(
  'any number of clients with any edits, legal or not, end with the plan, in whatever order they come',
  () => {
    const seed = testSeed('offline clients');
    let accepted = 0;
    let refused = 0;
    for (let run = 0; run < runs(60, 2_000); run += 1) {
      const random = new Random(seed + run);
      const { room } = begin(random.between(1, 0xffff_ffff));
      const clients = ['ann', 'bob', 'cy'].map((actor) => room.client(actor));
      const undos = clients.map((client) => new Y.UndoManager(client.root, { trackedOrigins: new Set(['user']) }));
      for (let step = 0; step < 60; step += 1) {
        const index = random.between(0, clients.length - 1);
        const client = clients[index] as Client;
        if (random.next() < 0.08) undos[index]?.undo();
        else if (random.next() < 0.04) undos[index]?.redo();
        else if (random.next() < 0.1) acceptSomething(room, random);
        else if (random.next() < 0.2) {
          const outcome = client.sync();
          if (outcome.accepted) accepted += 1;
          refused += outcome.refusals.length;
          for (const { message } of outcome.refusals) expect(message.length).toBeGreaterThan(10);
        } else editSomething(client, room, random);
      }
      for (const client of clients) client.sync();
      for (const client of clients) client.pull();
      const all = clients.map((client) => Object.fromEntries(client.root.entries()));
      expect(all[1], `seed ${seed + run}`).toEqual(all[0]);
      expect(all[2], `seed ${seed + run}`).toEqual(all[0]);
    }
    expect(accepted).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  },
  runs(60_000, 900_000),
);

function acceptSomething(room: MirrorRoom, random: Random): void {
  const task = `task-${random.between(1, 6)}`;
  const mutation = random.pick([
    { type: 'task.remove', task },
    { type: 'task.complete', task },
    { type: 'task.start', task },
    { type: 'task.edit', task, description: `text ${random.between(1, 9)}` },
    { type: 'task.move', task, before: `task-${random.between(1, 6)}` },
    { type: 'tasks.clean', keepPending: true },
    { type: 'plan.policy', inProgress: random.pick(['any', 'one-per-plan', 'one-per-actor'] as const) },
    { type: 'document.write', content: `text ${random.between(1, 9)}` },
  ] as const);
  if (room.harness.submit(mutation, 'dee').ok) room.catchUp();
}

const values = [
  '',
  ' ',
  'text',
  'pending',
  'in_progress',
  'completed',
  'cancelled',
  'a1',
  'Zz',
  '["x"]',
  7,
  true,
  'any',
];
const fields = [
  'description',
  'status',
  'group',
  'pos',
  'title',
  'labels',
  'dependsOn',
  'priority',
  'number',
  'startedBy',
];

function editSomething(client: Client, room: MirrorRoom, random: Random): void {
  const items = [...new Set([...client.root.keys()].map((key) => key.split(':')[0] as string))];
  const item = random.pick([...items, `made-${client.actor}-${random.between(1, 4)}`]);
  const groups = [...room.plan.groups().map(({ uid }) => uid), 'lost-group'];
  switch (random.between(0, 7)) {
    case 0:
      client.remove(item);
      break;
    case 1:
      client.root.delete(random.pick([...client.root.keys()]));
      break;
    case 2:
      client.addTask(`made-${client.actor}-${random.between(1, 4)}`, random.pick(groups), 'new', {
        status: random.pick(['pending', 'in_progress', 'completed']),
        pos: random.pick(['a0', 'a1', 'a1V', 'a3']),
      });
      break;
    case 3:
      client.set(item, { status: random.pick(['pending', 'in_progress', 'completed', 'cancelled']) });
      break;
    case 4:
      client.set(item, { group: random.pick(groups), pos: random.pick(['Zz', 'a0', 'a1', 'a1V', 'a3']) });
      break;
    case 5:
      client.set(`group-${random.between(1, 3)}-uid`, {
        title: random.pick(['A', 'C', '']),
        pos: random.pick(['Zz', 'a1']),
      });
      break;
    default:
      client.set(item, { [random.pick(fields)]: random.pick(values) });
  }
}
