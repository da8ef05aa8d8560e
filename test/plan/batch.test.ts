import { describe, expect, test } from 'vitest';
import { apply, markOf } from '../../shared/plan/apply.ts';
import { limits } from '../../shared/plan/limits.ts';
import { mutationSchema } from '../../shared/plan/mutation.ts';
import { nagCodes, PlanHarness } from '../support/plan-harness.ts';

describe('batch', () => {
  test('is one Change, in which later mutations see what earlier ones did', () => {
    const room = new PlanHarness();
    const record = room.accept({
      type: 'batch',
      mutations: [
        { type: 'task.add', group: 'A', description: 'one' },
        { type: 'task.add', group: 'A', description: 'two', dependsOn: ['task-1'] },
        { type: 'task.start', task: 'task-2' },
        { type: 'task.complete', task: 'task-1' },
      ],
    });
    expect(record.change.revision).toBe(1);
    expect(nagCodes(record)).toEqual(['dependency_open', 'dependents']);
    expect(room.list()).toEqual([['A', 'task-1 completed one', 'task-2 in_progress two']]);
    expect(record.change.patch.tasks).toHaveLength(2);
    expect(room.task('task-2')).toMatchObject({ revision: 1, createdRevision: 1, startedBy: 'ann' });
  });

  test('is all or nothing: the refusal names the mutation, and the plan is as it was', () => {
    const room = new PlanHarness().with('A', 'one');
    const refused = room.refuse('task_not_found', {
      type: 'batch',
      mutations: [
        { type: 'document.write', content: 'a' },
        { type: 'plan.policy', inProgress: 'any' },
        { type: 'group.edit', group: 'A', title: 'B' },
        { type: 'task.remove', task: 'task-1' },
        { type: 'task.start', task: 'task-1' },
      ],
    });
    expect(refused.message).toMatch(/^Mutation 5 of 5.*none took effect/);
    expect(refused.facts).toMatchObject({ index: 4, task: 'task-1' });
  });

  test('a refused batch leaves even the order in which busy tasks are named', () => {
    const room = new PlanHarness().with('A', 'one', 'two', 'three');
    room.accept({ type: 'plan.policy', inProgress: 'any' });
    for (const task of ['task-2', 'task-1']) room.accept({ type: 'task.start', task });
    const busy = (): string[] => room.plan.inProgress().map((task) => task.description);
    expect(busy()).toEqual(['one', 'two']);
    room.refuse('task_not_found', {
      type: 'batch',
      mutations: [
        { type: 'task.complete', task: 'task-1' },
        { type: 'task.start', task: 'ghost' },
      ],
    });
    expect(busy()).toEqual(['one', 'two']);
  });

  test('a document may be written and labelled in the first Change of a room', () => {
    const room = new PlanHarness();
    room.accept({
      type: 'batch',
      mutations: [
        { type: 'document.write', content: 'a' },
        { type: 'document.status', status: 'draft' },
        { type: 'document.write', title: 'T', mode: 'update' },
      ],
    });
    expect(room.plan.document).toMatchObject({ content: 'a', status: 'draft', title: 'T', revision: 1 });
  });

  test('the guard of a later mutation does not conflict with the work of the batch itself', () => {
    const room = new PlanHarness().with('A', 'one');
    room.accept({ type: 'document.write', content: 'a' });
    room.accept({
      type: 'batch',
      mutations: [
        { type: 'task.edit', task: 'task-1', description: 'two', base: 1 },
        { type: 'task.start', task: 'task-1', base: 1 },
        { type: 'document.write', content: 'b', base: 2 },
        { type: 'document.status', status: 'c', base: 2 },
      ],
    });
    expect(room.task('task-1')).toMatchObject({ description: 'two', status: 'in_progress', revision: 3 });
  });

  test('the guard of a later mutation still sees what others changed, under the work of the batch', () => {
    const room = new PlanHarness().with('A', 'one');
    room.accept({ type: 'task.edit', task: 'task-1', description: 'by bob' }, 'bob');
    room.refuse('conflict', {
      type: 'batch',
      mutations: [
        { type: 'task.edit', task: 'task-1', labels: ['x'] },
        { type: 'task.edit', task: 'task-1', description: 'mine', base: 1 },
      ],
    });
  });

  test('a row that goes and comes back with the same uid keeps nothing of the old one, and can be taken back', () => {
    const room = new PlanHarness();
    room.accept({
      type: 'task.add',
      uid: 'same-uid-1',
      group: 'A',
      description: 'old',
      dependsOn: ['x'],
      priority: 'high',
      labels: ['l'],
    });
    room.accept({ type: 'task.start', task: 'task-1' });
    const before = room.plan.toSnapshot();
    const mark = markOf(room.plan);
    const { undo } = room.accept({
      type: 'batch',
      mutations: [
        { type: 'task.remove', task: 'task-1' },
        { type: 'task.add', uid: 'same-uid-1', group: 'A', description: 'new' },
      ],
    });
    expect(JSON.parse(JSON.stringify(room.task('task-1')))).toMatchObject({ status: 'pending', dependsOn: [] });
    for (const field of ['startedBy', 'priority', 'labels']) {
      expect(JSON.parse(JSON.stringify(room.task('task-1')))).not.toHaveProperty(field);
    }
    apply(room.plan, undo, mark);
    expect(room.plan.toSnapshot()).toEqual(before);
  });
});

test('a batch holds few mutations of the whole plan: at the limit it goes through, one past it is refused whole', () => {
  const clean = { type: 'tasks.clean', keepPending: true } as const;
  const harness = new PlanHarness().with('G', 'one');
  expect(limits.wholePlanMutationsPerBatchMax).toBe(2);
  harness.accept({ type: 'batch', mutations: [clean, clean] });
  const message = harness.refuse('too_long', { type: 'batch', mutations: [clean, clean, clean] }).message;
  expect(message).toContain('tasks.clean');
});

describe('keys of a batch', () => {
  test('an add can be named by later mutations through its key, which is not kept', () => {
    const room = new PlanHarness().with('A', 'one');
    const record = room.accept({
      type: 'batch',
      mutations: [
        { type: 'task.add', group: 'A', description: 'parser', key: 'parser' },
        { type: 'task.add', group: 'A', description: 'tests', key: 'tests', dependsOn: ['parser', 'task-1'] },
        { type: 'task.add', group: 'A', description: 'docs', dependsOn: ['tests', 'nobody'] },
        { type: 'task.start', task: 'parser' },
        { type: 'task.move', task: 'tests', before: 'parser' },
      ],
    });
    expect(nagCodes(record)).toEqual(['unknown_dependency']);
    expect(room.list()).toEqual([
      ['A', 'task-1 pending one', 'task-3 pending tests', 'task-2 in_progress parser', 'task-4 pending docs'],
    ]);
    expect(room.task('task-3').dependsOn).toEqual(['task-2', 'task-1']);
    expect(room.task('task-4').dependsOn).toEqual(['task-3', 'nobody']);
    expect(JSON.stringify(record.change)).not.toContain('"key"');
  });

  test('a key twice, or one with the shape of an id, is refused', () => {
    const room = new PlanHarness().with('A', 'one');
    const twice = [1, 2].map((n) => ({ type: 'task.add', description: `d${n}`, key: 'k' }) as const);
    room.refuse('duplicate_key', { type: 'batch', mutations: twice });
    expect(mutationSchema.safeParse({ type: 'task.add', description: 'x', key: 'task-1' }).success).toBe(false);
  });
});
