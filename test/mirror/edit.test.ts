import { generateKeyBetween } from 'fractional-indexing';
import { describe, expect, test } from 'vitest';
import { readRefusals } from '../../shared/mirror/refusals.ts';
import { MirrorRoom, told } from './harness.ts';

/** A room with tasks 1 to 3 in A and 4 in B, and somebody who edits it. */
function begin() {
  const room = new MirrorRoom().with('A', 'one', 'two', 'three').with('B', 'four');
  return { room, ann: room.client('ann') };
}

describe('an edit of a task', () => {
  test.each([
    ['description', 'uno', { description: 'uno' }],
    ['priority', 'high', { priority: 'high' }],
    ['labels', '["x", "y"]', { labels: ['x', 'y'] }],
    ['dependsOn', '["task-1","ghost"]', { dependsOn: ['task-1', 'ghost'] }],
  ])('of its %s', (field, value, wanted) => {
    const { room, ann } = begin();
    const task = room.uid('task-2');
    const outcome = ann.set(task, { [field]: value }).sync();
    expect(outcome.accepted).toEqual({ type: 'task.edit', task, ...wanted });
    expect(outcome.refusals).toEqual([]);
    expect(room.harness.task('task-2')).toMatchObject({ ...wanted, updatedBy: 'ann' });
  });

  test('that removes a field clears it', () => {
    const { room, ann } = begin();
    room.accept({ type: 'task.edit', task: 'task-1', priority: 'low', labels: ['x'], dependsOn: ['task-2'] });
    ann.pull();
    const task = room.uid('task-1');
    for (const field of ['priority', 'labels', 'dependsOn']) ann.root.delete(`${task}:${field}`);
    const outcome = ann.sync();
    expect(outcome.refusals).toEqual([]);
    expect(outcome.accepted).toMatchObject({ type: 'batch' });
    expect(room.harness.task('task-1')).toMatchObject({ priority: undefined, labels: undefined, dependsOn: [] });
  });

  test.each([
    ['pending', 'in_progress', 'task.start'],
    ['pending', 'completed', 'task.complete'],
    ['pending', 'cancelled', 'task.cancel'],
    ['in_progress', 'pending', 'task.reopen'],
    ['in_progress', 'completed', 'task.complete'],
    ['completed', 'pending', 'task.reopen'],
    ['completed', 'in_progress', 'task.start'],
  ])('from %s to %s is %s', (from, to, type) => {
    const { room, ann } = begin();
    const task = room.uid('task-1');
    if (from === 'in_progress') room.accept({ type: 'task.start', task });
    if (from === 'completed') room.accept({ type: 'task.complete', task });
    ann.pull();
    expect(ann.set(task, { status: to }).sync().accepted).toEqual({ type, task });
    expect(room.harness.task('task-1').status).toBe(to);
    expect(ann.get(task, 'startedBy')).toBe(to === 'in_progress' ? 'ann' : undefined);
  });

  test('what ends one task comes before what starts another', () => {
    const { room, ann } = begin();
    ann.set(room.uid('task-2'), { status: 'in_progress' }).sync();
    ann.set(room.uid('task-1'), { status: 'in_progress' }).set(room.uid('task-2'), { status: 'completed' });
    expect(ann.sync().refusals).toEqual([]);
    expect(room.harness.list()[0]).toEqual([
      'A',
      'task-1 in_progress one',
      'task-2 completed two',
      'task-3 pending three',
    ]);
  });

  test('several fields are one Change', () => {
    const { room, ann } = begin();
    const before = room.plan.revision;
    ann.set(room.uid('task-1'), { description: 'uno', status: 'completed', priority: 'high' }).sync();
    expect(room.plan.revision).toBe(before + 1);
    expect(room.harness.records.at(-1)?.change.action).toBe('batch');
  });
});

describe('order', () => {
  test('a new position is a move, and a key made as the plan makes it is kept', () => {
    const { room, ann } = begin();
    const [one, two, three] = ['task-1', 'task-2', 'task-3'].map((id) => room.uid(id)) as [string, string, string];
    const pos = generateKeyBetween(String(ann.get(one, 'pos')), String(ann.get(two, 'pos')));
    const outcome = ann.set(three, { pos }).sync();
    const group = room.group('A');
    expect(outcome.accepted).toEqual({ type: 'task.move', task: three, group, after: one });
    expect(outcome.corrected).toEqual([]);
    expect(ann.get(three, 'pos')).toBe(pos);
  });

  test('to the front, with a key of another make, which is rewritten', () => {
    const { room, ann } = begin();
    const outcome = ann.set(room.uid('task-3'), { pos: 'A' }).sync();
    expect(outcome.refusals).toEqual([]);
    expect(room.harness.texts()).toEqual(['three', 'one', 'two', 'four']);
    expect(ann.get(room.uid('task-3'), 'pos')).not.toBe('A');
  });

  test('a whole list turned around', () => {
    const { room, ann } = begin();
    for (const [index, id] of ['task-3', 'task-2', 'task-1'].entries()) ann.set(room.uid(id), { pos: `b${index}` });
    expect(ann.sync().refusals).toEqual([]);
    expect(room.harness.texts()).toEqual(['three', 'two', 'one', 'four']);
  });

  test('into another group, to its place there', () => {
    const { room, ann } = begin();
    room.with('B', 'five');
    ann.pull();
    const pos = generateKeyBetween(
      String(ann.get(room.uid('task-4'), 'pos')),
      String(ann.get(room.uid('task-5'), 'pos')),
    );
    expect(ann.set(room.uid('task-1'), { group: room.group('B'), pos }).sync().refusals).toEqual([]);
    expect(room.harness.texts()).toEqual(['two', 'three', 'four', 'one', 'five']);
  });

  test('equal keys come apart, and a long one is written anew', () => {
    const { room, ann } = begin();
    const [one, two] = [room.uid('task-1'), room.uid('task-2')];
    ann.set(one, { pos: String(ann.get(two, 'pos')) }).sync();
    expect(ann.get(one, 'pos')).not.toBe(ann.get(two, 'pos'));
    ann.set(one, { pos: `a0${'V'.repeat(60)}` }).sync();
    expect(String(ann.get(one, 'pos')).length).toBeLessThan(50);
    room.expectSame();
  });

  test('a key that changes no order is set back and is no Change', () => {
    const { room, ann } = begin();
    const before = room.plan.revision;
    const outcome = ann.set(room.uid('task-3'), { pos: 'zz' }).sync();
    expect(outcome.accepted).toBeUndefined();
    expect(outcome.corrected).toHaveLength(1);
    expect(room.plan.revision).toBe(before);
  });

  test('groups move too', () => {
    const { room, ann } = begin();
    ann.set(room.group('B'), { pos: 'Z' }).sync();
    expect(room.plan.groups().map(({ title }) => title)).toEqual(['B', 'A']);
  });
});

describe('rows', () => {
  test('a new task gets its number from the plan, and every field it came with', () => {
    const { room, ann } = begin();
    ann.addTask('new-task-uid', room.group('A'), 'new', { labels: '["x"]', priority: 'low', dependsOn: '["task-1"]' });
    expect(ann.sync().refusals).toEqual([]);
    const task = {
      number: 5,
      labels: ['x'],
      priority: 'low',
      dependsOn: ['task-1'],
      createdBy: 'ann',
      status: 'pending',
    };
    expect(room.plan.task('new-task-uid')).toMatchObject(task);
    expect(ann.get('new-task-uid', 'number')).toBe(5);
  });

  test.each(['in_progress', 'completed', 'cancelled'])('a new task that is %s already', (status) => {
    const { room, ann } = begin();
    expect(ann.addTask('new-task-uid', room.group('A'), 'new', { status }).sync().refusals).toEqual([]);
    expect(room.plan.task('new-task-uid')).toMatchObject({ status });
  });

  test('new tasks are numbered in the order of the list and stand where they were put', () => {
    const { room, ann } = begin();
    const one = String(ann.get(room.uid('task-1'), 'pos'));
    const two = String(ann.get(room.uid('task-2'), 'pos'));
    ann.addTask('zzzz-task', room.group('A'), 'between', { pos: generateKeyBetween(one, two) });
    ann.addTask('aaaa-task', room.group('B'), 'last');
    ann.sync();
    expect(room.harness.texts()).toEqual(['one', 'between', 'two', 'three', 'four', 'last']);
    expect([room.plan.task('zzzz-task')?.number, room.plan.task('aaaa-task')?.number]).toEqual([5, 6]);
    expect(ann.get('zzzz-task', 'pos')).toBe(generateKeyBetween(one, two));
  });

  test('a new group with a new task in it', () => {
    const { room, ann } = begin();
    ann.set('new-group-uid', { title: 'C', pos: 'Zz', verified: true, evidence: 'ok' });
    ann.addTask('new-task-uid', 'new-group-uid', 'new');
    expect(ann.sync().refusals).toEqual([]);
    expect(room.harness.list()[0]).toEqual(['C', 'task-5 pending new']);
    expect(room.plan.group('new-group-uid')).toMatchObject({ testsVerified: true, evidence: 'ok' });
  });

  test('removing all keys of a row removes it, and so does removing its description', () => {
    const { room, ann } = begin();
    const two = room.uid('task-2');
    ann.remove(room.uid('task-1')).root.delete(`${two}:description`);
    expect(ann.sync().refusals).toEqual([]);
    expect(room.harness.texts()).toEqual(['three', 'four']);
    expect(ann.get(two, 'status')).toBeUndefined();
  });

  test('a group goes with its tasks, but not without', () => {
    const { room, ann } = begin();
    const group = room.group('B');
    expect(told(ann.remove(group).sync())).toEqual([`group_not_empty ${group}:title`]);
    expect(ann.get(group, 'title')).toBe('B');
    expect(ann.remove(group).remove(room.uid('task-4')).sync().refusals).toEqual([]);
    expect(room.plan.groups().map(({ title }) => title)).toEqual(['A']);
  });

  test('a group is renamed, verified, and loses its evidence and its mark again', () => {
    const { room, ann } = begin();
    const group = room.group('A');
    ann.set(group, { title: 'Alpha', verified: true, evidence: 'all pass' }).sync();
    expect(room.plan.group(group)).toMatchObject({ title: 'Alpha', testsVerified: true, evidence: 'all pass' });
    ann.root.delete(`${group}:evidence`);
    expect(ann.sync().refusals).toEqual([]);
    expect(room.plan.group(group)).toMatchObject({ testsVerified: true, evidence: undefined });
    ann.set(group, { evidence: 'again' }).sync();
    ann.set(group, { verified: false }).sync();
    expect(room.plan.group(group)).toMatchObject({ testsVerified: false, evidence: undefined });
  });
});

describe('document and policy', () => {
  test('body and labels are written, and labels cleared', () => {
    const { room, ann } = begin();
    ann.set('doc', { content: '# Plan', title: 'T', author: 'ann', status: 'draft' });
    expect(ann.sync().refusals).toEqual([]);
    expect(room.plan.document).toMatchObject({ content: '# Plan', title: 'T', author: 'ann', status: 'draft' });
    expect(ann.set('doc', { status: 'ready' }).sync().accepted).toEqual({
      type: 'document.status',
      status: 'ready',
    });
    ann.root.delete('doc:title');
    ann.root.delete('doc:status');
    ann.sync();
    expect(room.plan.document).toMatchObject({ content: '# Plan', title: undefined, status: undefined });
  });

  test('a body too large for the mirror cannot be overwritten by who has not seen it', () => {
    const { room, ann } = begin();
    room.accept({ type: 'document.write', content: 'x'.repeat(300_000) });
    ann.pull();
    expect(told(ann.set('doc', { content: 'mine' }).sync())).toEqual(['too_long doc:content']);
    expect(room.plan.document.content).toHaveLength(300_000);
    expect(ann.get('doc', 'content')).toBeUndefined();
  });

  test('a policy counts before what needs it', () => {
    const { room, ann } = begin();
    ann.set('policy', { inProgress: 'any' });
    ann.set(room.uid('task-1'), { status: 'in_progress' }).set(room.uid('task-2'), { status: 'in_progress' });
    expect(ann.sync().refusals).toEqual([]);
    expect(room.plan.inProgress()).toHaveLength(2);
  });
});

describe('an edit that is not allowed is set back and explained', () => {
  const first = (room: MirrorRoom): string => room.uid('task-1');
  test.each<[string, string, string | number | boolean]>([
    ['invalid', 'description', 7],
    ['blank_text', 'description', ' '],
    ['too_long', 'description', 'x'.repeat(5_000)],
    ['invalid', 'status', 'done'],
    ['invalid', 'labels', 'x, y'],
    ['invalid', 'labels', '[1]'],
    ['invalid', 'labels', '[""]'],
    ['invalid', 'dependsOn', '['.repeat(100_000)],
    ['invalid', 'dependsOn', JSON.stringify(Array.from({ length: 257 }, () => 'x'))],
    ['invalid', 'priority', true],
    ['invalid', 'pos', 7],
    ['group_not_found', 'group', 'no-such-group'],
    ['invalid', 'number', 99],
    ['invalid', 'startedBy', 'eve'],
    ['invalid', 'created', '[1,"eve"]'],
    ['invalid', 'constructor', 'x'],
    ['invalid', 'nosuchfield', 'x'],
  ])('%s: %s of a task', (code, field, value) => {
    const { room, ann } = begin();
    const task = first(room);
    const before = room.plan.toSnapshot();
    const outcome = ann.set(task, { [field]: value }).sync();
    expect(told(outcome)).toEqual([`${code} ${task}:${field}`]);
    expect(outcome.accepted).toBeUndefined();
    expect(room.plan.toSnapshot()).toEqual(before);
    const [kept] = readRefusals(ann.root);
    expect(kept).toMatchObject({ n: 0, code, key: `${task}:${field}`, actor: 'ann' });
    expect(kept?.message).not.toBe('');
    expect(String(kept?.value).length).toBeLessThanOrEqual(1_000);
    expect(String(value).startsWith(String(kept?.value).slice(0, 900))).toBe(true);
  });

  test.each<[string, string, string, string | number | boolean]>([
    ['invalid', 'policy', 'inProgress', 'whatever'],
    ['invalid', 'policy', 'strictTerminal', 1],
    ['invalid', 'meta', 'schema', 2],
    ['invalid', 'meta', 'epoch', 'mine'],
    ['invalid', 'meta', 'x', 'y'],
    ['document_not_found', 'doc', 'title', 'T'],
    ['invalid', 'doc', 'contentBytes', 5],
    ['invalid', 'refused', '0', '{}'],
    ['task_not_found', 'nobodyknows', 'status', 'completed'],
    ['group_not_found', 'nobodyknows', 'title', 'A'],
  ])('%s: %s:%s', (code, item, field, value) => {
    const { room, ann } = begin();
    expect(told(ann.set(item, { [field]: value }).sync())).toEqual([`${code} ${item}:${field}`]);
    room.expectSame();
  });

  test('a required field alone cannot be removed', () => {
    const { room, ann } = begin();
    const task = first(room);
    for (const field of ['status', 'pos', 'group']) {
      ann.root.delete(`${task}:${field}`);
      expect(told(ann.sync())).toEqual([`invalid ${task}:${field}`]);
    }
  });

  test('field by field: what is right of an edit is kept', () => {
    const { room, ann } = begin();
    const task = first(room);
    ann.set(task, { description: '', priority: 'high', labels: 'x' });
    expect(told(ann.sync()).sort()).toEqual([`blank_text ${task}:description`, `invalid ${task}:labels`]);
    expect(room.harness.task('task-1')).toMatchObject({ description: 'one', priority: 'high' });
  });

  test('a new row with a bad uid or no text is not made, and said once', () => {
    const { room, ann } = begin();
    ann.addTask('short', room.group('A'), 'x', { priority: 'high' });
    ann.addTask('task-77', room.group('A'), 'x');
    ann.addTask('blank-blank', room.group('A'), ' ', { status: 'completed', labels: '["x"]' });
    const expected = ['invalid short:description', 'invalid task-77:description', 'blank_text blank-blank:description'];
    expect(told(ann.sync()).sort()).toEqual(expected.sort());
    expect(room.plan.taskCount).toBe(4);
  });

  test('a new task in a group that is not there is kept, in another one', () => {
    const { room, ann } = begin();
    expect(told(ann.addTask('new-task-uid', 'no-such-group', 'new').sync())).toEqual([
      'group_not_found new-task-uid:group',
    ]);
    expect(room.plan.group(room.plan.task('new-task-uid')?.group ?? '')?.title).toBe('Tasks');
  });

  test('busy, taken, terminal: in the words of the plan', () => {
    const { room, ann } = begin();
    room.accept({ type: 'task.start', task: 'task-1' }, 'ann');
    room.accept({ type: 'task.complete', task: 'task-3' }, 'bob');
    ann.pull();
    ann.set(room.uid('task-2'), { status: 'in_progress' }).set(room.uid('task-3'), { status: 'cancelled' });
    const outcome = ann.sync();
    expect(outcome.refusals.map(({ code }) => code).sort()).toEqual(['busy', 'terminal']);
    expect(outcome.refusals.find(({ code }) => code === 'busy')?.message).toContain("'task-1'");
  });

  test('what the client wrote for the server is no offence when it is right', () => {
    const { room, ann } = begin();
    expect(ann.set(first(room), { status: 'in_progress', startedBy: 'ann' }).sync().refusals).toEqual([]);
    ann.root.delete(`${first(room)}:startedBy`);
    expect(ann.set(first(room), { status: 'completed' }).sync().refusals).toEqual([]);
  });

  test('refusals are bounded, the newest stay, and removing one dismisses it', () => {
    const { room, ann } = begin();
    for (let index = 0; index < 30; index += 1) ann.set(first(room), { [`bad${index}`]: index });
    ann.sync();
    expect(readRefusals(ann.root)).toHaveLength(20);
    expect(readRefusals(ann.root).at(-1)?.message).toContain('10 more');
    for (let index = 0; index < 60; index += 1) ann.set(first(room), { bad: index }).sync();
    const kept = readRefusals(ann.root);
    expect(kept).toHaveLength(50);
    expect(kept.at(-1)).toMatchObject({ n: 79, value: 59 });
    ann.root.delete('refused:29');
    expect(ann.sync()).toEqual({ accepted: undefined, refusals: [], corrected: [] });
    expect(readRefusals(room.client().root)).toHaveLength(49);
  });

  test('more than a thousand steps: the first thousand are one Change, the rest is refused', () => {
    const { room, ann } = begin();
    const before = room.plan.revision;
    for (let index = 0; index < 1_010; index += 1) ann.addTask(`many-${index + 1_000}`, room.group('A'), 'x');
    const outcome = ann.sync();
    expect(outcome.refusals).toHaveLength(10);
    expect(new Set(outcome.refusals.map(({ code }) => code))).toEqual(new Set(['too_long']));
    expect([room.plan.taskCount, room.plan.revision]).toEqual([1_004, before + 1]);
  });

  test('moves that would take long are refused past a bound', () => {
    const room = new MirrorRoom();
    const one = (index: number) => ({ type: 'task.add', group: 'A', description: `task ${index}` }) as const;
    room.accept({ type: 'batch', mutations: [one(0), ...Array.from({ length: 799 }, (_, index) => one(index + 1))] });
    const ann = room.client();
    const tasks = [...room.plan.tasks()];
    for (const [index, { uid }] of tasks.entries()) ann.set(uid, { pos: `z${String(9_999 - index)}` });
    const outcome = ann.sync();
    expect(room.plan.tasksOf(room.group('A'))[0]?.uid).toBe(tasks[799]?.uid);
    expect(new Set(outcome.refusals.map(({ code }) => code))).toEqual(new Set(['too_long']));
    expect(outcome.refusals.length).toBeGreaterThan(400);
  });

  test('whoever may not write is told so for every edit', () => {
    const { room, ann } = begin();
    const refuse = { code: 'invalid', message: 'You may only read.' } as const;
    room.harness.submit = () => ({ ok: false, error: refuse });
    const outcome = ann.set(first(room), { description: 'x', status: 'completed' }).sync();
    expect(outcome.refusals.map(({ message }) => message)).toEqual(['You may only read.', 'You may only read.']);
    expect(outcome.corrected).toHaveLength(2);
  });
});
