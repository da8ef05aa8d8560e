import { describe, expect, test } from 'vitest';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { PlanHarness } from '../support/plan-harness.ts';

/** Rows without the marks that tell when and by whom. */
function content(room: PlanHarness): unknown {
  const { document, groups, tasks, policy } = room.plan.toSnapshot();
  const { revision: _r, updatedAt: _u, ...body } = document;
  return JSON.parse(
    JSON.stringify({
      policy,
      body,
      groups: groups.map(({ revision: _, ...group }) => group),
      tasks: tasks.map(({ revision: _, updatedAt: _at, updatedBy: _by, ...task }) => task),
    }),
  );
}

/** Reverting the Change of this mutation gives the plan before it; reverting the revert gives the plan after it. */
function expectRevertible(room: PlanHarness, mutation: Mutation): void {
  const before = content(room);
  const { revision } = room.accept(mutation).change;
  const after = content(room);
  room.accept({ type: 'plan.revert', revision }, 'bob');
  expect(content(room)).toEqual(before);
  room.accept({ type: 'plan.revert', revision: revision + 1 }, 'bob');
  expect(content(room)).toEqual(after);
}

const start = (): PlanHarness => {
  const room = new PlanHarness().with('A', 'one', 'two').with('B', 'three');
  room.accept({ type: 'document.write', content: 'body', title: 'T' });
  return room;
};

describe('plan.revert', () => {
  test.each<Mutation>([
    { type: 'task.add', group: 'A', description: 'new', labels: ['x'] },
    { type: 'task.add', group: 'New', description: 'new' },
    { type: 'task.edit', task: 'task-1', description: 'x', group: 'B', priority: 'high', dependsOn: ['task-2'] },
    { type: 'task.move', task: 'task-2', before: 'task-1' },
    { type: 'task.start', task: 'task-1' },
    { type: 'task.remove', task: 'task-1' },
    { type: 'group.edit', group: 'A', title: 'Z' },
    { type: 'group.remove', group: 'A', withTasks: true },
    { type: 'group.verify', group: 'A', evidence: 'e' },
    { type: 'document.write', content: 'other', title: '', author: 'ann' },
    { type: 'document.status', status: 's' },
    { type: 'plan.policy', inProgress: 'any', strictTerminal: true },
    { type: 'tasks.clean', keepPending: false },
    { type: 'tasks.replace', items: [{ description: 'two' }, { description: 'new' }], base: 4 },
    { type: 'plan.load', markdown: '## X\n- [ ] a\n- [x] b' },
    {
      type: 'batch',
      mutations: [
        { type: 'task.edit', task: 'task-3', group: 'A' },
        { type: 'group.remove', group: 'B' },
        { type: 'task.complete', task: 'task-1' },
      ],
    },
  ])('takes back $type, and a revert of the revert does it again: %j', (mutation) => {
    expectRevertible(start(), mutation);
  });

  test('the first write of the document goes back to there being none', () => {
    const room = new PlanHarness();
    expectRevertible(room, { type: 'document.write', content: 'a', title: 'T' });
    room.accept({ type: 'plan.revert', revision: 3 });
    expect(JSON.parse(JSON.stringify(room.plan.document))).toEqual({ content: '', revision: 0, updatedAt: '' });
    room.accept({ type: 'document.write', content: 'b', mode: 'create' });
  });

  test('what others changed in other fields stays', () => {
    const room = start();
    room.accept({ type: 'task.edit', task: 'task-1', description: 'x' });
    room.accept({ type: 'task.edit', task: 'task-1', labels: ['l'] }, 'bob');
    room.accept({ type: 'plan.policy', strictTerminal: true });
    room.accept({ type: 'plan.policy', inProgress: 'any' });
    room.accept({ type: 'plan.revert', revision: 5 });
    room.accept({ type: 'plan.revert', revision: 7 });
    expect(room.task('task-1')).toMatchObject({ description: 'one', labels: ['l'] });
    expect(room.plan.policy).toMatchObject({ strictTerminal: false, inProgress: 'any' });
  });

  test('it is refused when a later Change touched the same fields', () => {
    const room = start();
    room.accept({ type: 'task.edit', task: 'task-1', description: 'x' });
    room.accept({ type: 'task.edit', task: 'task-1', description: 'y' }, 'bob');
    const { message } = room.refuse('cannot_revert', { type: 'plan.revert', revision: 5 });
    expect(message).toMatch(/Change 5.*'task-1' was changed later/);
    room.accept({ type: 'document.write', content: 'new' });
    room.refuse('cannot_revert', { type: 'plan.revert', revision: 4 });
  });

  test('it is refused when the row is gone, or is there again', () => {
    const room = start();
    room.accept({ type: 'task.edit', task: 'task-1', description: 'x' });
    room.accept({ type: 'task.remove', task: 'task-1' });
    room.refuse('cannot_revert', { type: 'plan.revert', revision: 5 });
    room.accept({ type: 'plan.revert', revision: 6 });
    room.refuse('cannot_revert', { type: 'plan.revert', revision: 6 });
  });

  test.each<[string, readonly Mutation[], RegExp]>([
    [
      'a policy',
      [
        { type: 'plan.policy', inProgress: 'any' },
        { type: 'plan.policy', inProgress: 'one-per-plan' },
      ],
      /policy/,
    ],
    [
      'a title',
      [
        { type: 'group.edit', group: 'A', title: 'X' },
        { type: 'group.edit', group: 'X', title: 'Y' },
      ],
      /'Y' was changed/,
    ],
    [
      'a group',
      [
        { type: 'group.edit', group: 'B', title: 'X' },
        { type: 'group.remove', group: 'X', withTasks: true },
      ],
      /group.*removed later/,
    ],
    [
      'a place',
      [
        { type: 'task.edit', task: 'task-3', group: 'A' },
        { type: 'group.remove', group: 'B' },
      ],
      /old group of 'task-3' is gone/,
    ],
    [
      'a new task',
      [
        { type: 'task.add', description: 'n', group: 'A' },
        { type: 'task.start', task: 'task-4' },
      ],
      /'task-4' was changed/,
    ],
    [
      'a status',
      [
        { type: 'task.complete', task: 'task-1' },
        { type: 'task.start', task: 'task-1' },
      ],
      /'task-1' was changed/,
    ],
  ])('it is refused when %s that it set is not what it was: %j', (_what, [first, ...later], message) => {
    const room = start();
    if (first) room.accept(first);
    for (const mutation of later) room.accept(mutation, 'bob');
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision: 5 }).message).toMatch(message);
  });

  test('it is refused when the document, or a group it took away, is not there or there again', () => {
    const room = new PlanHarness();
    room.accept({ type: 'document.write', content: 'a' });
    room.accept({ type: 'plan.revert', revision: 1 });
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision: 1 }).message).toMatch(/document is gone/);
    room.accept({ type: 'group.add', title: 'G' });
    const { revision } = room.accept({ type: 'group.remove', group: 'G' }).change;
    room.accept({ type: 'plan.revert', revision });
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision }).message).toMatch(/'G' is there again/);
  });

  test.each<[string, Mutation, readonly Mutation[], RegExp]>([
    [
      'a document',
      { type: 'document.write', content: 'mine' },
      [{ type: 'document.status', status: 'approved' }],
      /document was changed later/,
    ],
    [
      'a document of other labels',
      { type: 'document.write', content: 'mine' },
      [{ type: 'document.write', title: 'Theirs' }],
      /document was changed later/,
    ],
    [
      'a group that was renamed',
      { type: 'group.add', title: 'G' },
      [{ type: 'group.edit', group: 'G', title: 'Release' }],
      /'Release' was changed later/,
    ],
    [
      'a group that was verified',
      { type: 'group.add', title: 'G' },
      [{ type: 'group.verify', group: 'G', evidence: '214 passed' }],
      /'G' was changed later/,
    ],
    [
      'a group made for a task',
      { type: 'task.add', description: 'n', group: 'G' },
      [
        { type: 'group.edit', group: 'G', title: 'Theirs' },
        { type: 'task.remove', task: 'task-1' },
      ],
      /'Theirs' was changed later/,
    ],
    [
      'a task of other fields',
      { type: 'task.add', description: 'n', group: 'G' },
      [{ type: 'task.edit', task: 'task-1', labels: ['theirs'] }],
      /'task-1' was changed later/,
    ],
  ])('what it made is not taken away with the work of others in it: %s', (_what, made, later, message) => {
    const room = new PlanHarness();
    room.accept(made);
    for (const mutation of later) room.accept(mutation, 'bob');
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision: 1 }).message).toMatch(message);
  });

  test('a row that came and went within one Change has nothing to take back', () => {
    const room = start();
    const { revision } = room.accept({
      type: 'batch',
      mutations: [
        { type: 'task.add', description: 'tmp', group: 'A', uid: 'tmp-uid-1' },
        { type: 'task.remove', task: 'tmp-uid-1' },
        { type: 'task.edit', task: 'task-1', description: 'changed' },
      ],
    }).change;
    room.accept({ type: 'plan.revert', revision });
    expect(room.task('task-1').description).toBe('one');
    // As batches were stored before such rows were left out.
    const [row] = [{ uid: 'tmp-uid-2', removed: true }] as const;
    const old = room.accept({ type: 'task.edit', task: 'task-1', description: 'again' });
    room.records.splice(-1, 1, {
      ...old,
      change: { ...old.change, patch: { tasks: [row, ...(old.change.patch.tasks ?? [])], groups: [row] } },
      undo: { tasks: [row, ...(old.undo.tasks ?? [])], groups: [row] },
    });
    room.accept({ type: 'plan.revert', revision: old.change.revision });
    expect(room.task('task-1').description).toBe('one');
  });

  test('a task that came later under the uid of a removed one is another task', () => {
    const room = start();
    const add = { type: 'task.add', uid: 'task-uid-1', group: 'A' } as const;
    room.accept({ ...add, description: 'old' });
    room.accept({ type: 'task.edit', task: 'task-uid-1', priority: 'high' });
    room.accept({ type: 'task.remove', task: 'task-uid-1' });
    room.accept({ ...add, description: 'new', priority: 'high' }, 'bob');
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision: 6 }).message).toMatch(/removed later/);
    expect(room.accept({ type: 'plan.revert', revision: 5 }).change.patch).toEqual({});
    expect(room.task('task-uid-1')).toMatchObject({ description: 'new', priority: 'high' });
  });

  test('in a batch too: what the batch made under an old uid is not the row of the Change', () => {
    const room = start();
    const add = { type: 'task.add', uid: 'task-uid-1', group: 'A', description: 'x' } as const;
    room.accept(add);
    room.accept({ type: 'task.edit', task: 'task-uid-1', priority: 'high' });
    const again = { ...add, priority: 'high' };
    room.refuse('cannot_revert', {
      type: 'batch',
      mutations: [{ type: 'task.remove', task: 'task-uid-1' }, again, { type: 'plan.revert', revision: 6 }],
    });
  });

  test('where finished tasks are reopened before they start, it does not put one in progress', () => {
    const room = start();
    room.accept({ type: 'task.start', task: 'task-1' });
    const { revision } = room.accept({ type: 'task.complete', task: 'task-1' }).change;
    room.accept({ type: 'plan.policy', strictTerminal: true });
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision }).message).toMatch(/'task-1' is completed/);
    room.accept({ type: 'plan.policy', strictTerminal: false });
    room.accept({ type: 'plan.revert', revision });
  });

  test('a new row that others took away already needs no taking away', () => {
    const room = start();
    room.accept({ type: 'task.add', description: 'n', group: 'A' });
    room.accept({ type: 'task.remove', task: 'task-4' }, 'bob');
    expect(room.accept({ type: 'plan.revert', revision: 5 }).change.patch).toEqual({});
  });

  test('a task does not come back into a group that is gone, nor with an id that another has by now', () => {
    const room = start();
    room.accept({ type: 'task.remove', task: 'task-3' });
    room.with('A', 'another');
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision: 5 }).message).toContain('task-3');
    room.accept({ type: 'task.remove', task: 'task-3' });
    room.accept({ type: 'group.remove', group: 'B' });
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision: 5 }).message).toMatch(/group.*gone/);
  });

  test('a group is not taken away from tasks that came later, even ones the same Change had edited', () => {
    const room = start();
    const { revision } = room.accept({
      type: 'batch',
      mutations: [
        { type: 'group.add', title: 'New' },
        { type: 'task.edit', task: 'task-1', description: 'x' },
      ],
    }).change;
    room.accept({ type: 'task.move', task: 'task-1', group: 'New' }, 'bob');
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision }).message).toContain("'New' holds tasks");
  });

  test('it puts no second task in progress where the policy allows one', () => {
    const room = start();
    room.accept({ type: 'task.start', task: 'task-1' });
    const { revision } = room.accept({ type: 'task.complete', task: 'task-1' }).change;
    room.accept({ type: 'task.start', task: 'task-2' });
    expect(room.refuse('cannot_revert', { type: 'plan.revert', revision }, 'bob').message).toMatch(/second task/);
    room.accept({ type: 'task.reopen', task: 'task-2' });
    room.accept({ type: 'plan.revert', revision }, 'bob');
    expect(room.task('task-1')).toMatchObject({ status: 'in_progress', startedBy: 'ann' });
  });

  test('a Change that has not been, or whose record is lost, cannot be reverted', () => {
    const room = start();
    room.refuse('unknown_revision', { type: 'plan.revert', revision: 5 });
    room.lost.add(2);
    room.refuse('unknown_revision', { type: 'plan.revert', revision: 2 });
  });
});
