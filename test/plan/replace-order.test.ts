import { describe, expect, test } from 'vitest';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { nagCodes, onlyNag, PlanHarness } from '../support/plan-harness.ts';

type Items = Extract<Mutation, { type: 'tasks.replace' }>['items'];

const items = (...texts: readonly string[]): Items => texts.map((description) => ({ description }));
const messages = (record: { readonly nags: readonly { readonly message: string }[] }): string =>
  record.nags.map((nag) => nag.message).join('\n');

describe('the order of a full list', () => {
  test('a move of another stays when the writer moved nothing', () => {
    const room = new PlanHarness().with('G', 'a', 'b', 'c');
    room.accept({ type: 'task.move', task: 'task-3', before: 'task-1' }, 'bob');
    const { change } = room.accept({ type: 'tasks.replace', items: items('a', 'b', 'c'), base: 3 });
    expect(room.texts()).toEqual(['c', 'a', 'b']);
    expect(change.patch.tasks).toBeUndefined();
  });

  test('a task the writer moved goes behind the one it follows in the list, wherever that is by now', () => {
    const room = new PlanHarness().with('G', 'a', 'b', 'c', 'd');
    room.accept({ type: 'task.move', task: 'task-1', after: 'task-4' }, 'bob');
    room.accept({ type: 'tasks.replace', items: items('a', 'd', 'b', 'c'), base: 4 });
    expect(room.texts()).toEqual(['b', 'c', 'a', 'd']);
  });

  test('tasks of others stay behind the neighbour they follow', () => {
    const room = new PlanHarness().with('G', 'a', 'b', 'c');
    room.accept({ type: 'task.add', group: 'G', description: 'foreign' }, 'bob');
    room.accept({ type: 'task.move', task: 'task-4', after: 'task-1' }, 'bob');
    room.accept({ type: 'tasks.replace', items: items('new', 'a', 'newer', 'b', 'c', 'last'), base: 3 });
    expect(room.texts()).toEqual(['new', 'a', 'foreign', 'newer', 'b', 'c', 'last']);
  });

  test('a task that others put into another group stays where they put it', () => {
    const room = new PlanHarness().with('G', 'a', 'b').with('H', 'h');
    room.accept({ type: 'task.move', task: 'task-1', group: 'H' }, 'bob');
    room.accept({ type: 'tasks.replace', items: items('b', 'a', 'h'), base: 3 });
    expect(room.list()).toEqual([
      ['G', 'task-2 pending b'],
      ['H', 'task-3 pending h', 'task-1 pending a'],
    ]);
  });

  test('groups follow the list, and a new one stands where the list has it', () => {
    const room = new PlanHarness().with('A', 'a').with('B', 'b');
    const list = [
      { description: 'b', group: 'B' },
      { description: 'n', group: 'New' },
      { description: 'a', group: 'A' },
    ];
    room.accept({ type: 'tasks.replace', items: list, base: 2 });
    expect(room.list().map(([title]) => title)).toEqual(['B', 'New', 'A']);
  });

  test('tasks of one group that stand apart keep their groups, and the writer is told', () => {
    const room = new PlanHarness().with('A', 'a1', 'a2').with('B', 'b1');
    const record = room.accept({ type: 'tasks.replace', items: items('a2', 'b1', 'a1'), base: 3 });
    expect(room.texts()).toEqual(['a2', 'a1', 'b1']);
    expect(onlyNag(record, 'merged')).toMatch(/stand apart/);
  });

  test('a new first item goes to the group of the task it stands before', () => {
    const room = new PlanHarness().with('A', 'a').with('B', 'b');
    room.accept({ type: 'tasks.replace', items: items('first', 'b', 'last'), base: 2 });
    expect(room.list()).toEqual([['A'], ['B', 'task-3 pending first', 'task-2 pending b', 'task-4 pending last']]);
  });

  test('a group is meant by the title it had when the writer looked', () => {
    const room = new PlanHarness().with('A', 'a').with('B', 'b');
    room.accept({ type: 'group.edit', group: 'A', title: 'Alpha' }, 'bob');
    const list = [
      { description: 'a', group: 'A' },
      { description: 'b', group: 'A' },
    ];
    room.accept({ type: 'tasks.replace', items: list, base: 2 });
    expect(room.list()).toEqual([['Alpha', 'task-1 pending a', 'task-2 pending b'], ['B']]);
  });
});

describe('what the writer of a full list is told', () => {
  test('fields that others changed and it did not', () => {
    const room = new PlanHarness().with('G', 'a', 'b');
    room.accept({ type: 'task.complete', task: 'task-1' }, 'bob');
    const list: Items = [
      { description: 'a', status: 'pending' },
      { description: 'b', status: 'pending' },
    ];
    const record = room.accept({ type: 'tasks.replace', items: list, base: 2 });
    expect(onlyNag(record, 'merged')).toMatch(/'task-1'.*'bob'.*status \(now completed\)/);
  });

  test('fields that both changed: the value of the writer stands', () => {
    const room = new PlanHarness().with('G', 'a');
    room.accept({ type: 'task.edit', task: 'task-1', priority: 'low' }, 'bob');
    const record = room.accept({
      type: 'tasks.replace',
      items: [{ description: 'a', priority: 'high', labels: [] }],
      base: 1,
    });
    expect(room.task('task-1').priority).toBe('high');
    expect(onlyNag(record, 'merged')).toMatch(/priority.*yours stands/);
  });

  test('a writer that never saw the plan hears once, with bounds, of all that was there', () => {
    const room = new PlanHarness();
    room.accept({ type: 'tasks.replace', items: items(...Array.from({ length: 200 }, (_, index) => `t${index}`)) });
    const record = room.accept({ type: 'tasks.replace', items: items('T7', 'mine') }, 'bob');
    expect(room.plan.taskCount).toBe(201);
    expect(nagCodes(record)).toEqual(['merged', 'merged']);
    expect(messages(record)).toMatch(/task-8.*not added again.*\n.*and 149 more were there before/);
  });

  test('nothing of rows its dialect hides from it', () => {
    const room = new PlanHarness().with('G', 'a', 'b');
    room.accept({ type: 'task.complete', task: 'task-2' });
    const shown = [room.task('task-1').uid];
    expect(room.accept({ type: 'tasks.replace', items: items('a'), base: 3, shown }).nags).toEqual([]);
    expect(room.plan.taskCount).toBe(2);
  });

  test('work that a hidden task has finished may be asked for again; a finished item is that task', () => {
    const room = new PlanHarness().with('G', 'a', 'run tests');
    room.accept({ type: 'task.complete', task: 'task-2' });
    const shown = [room.task('task-1').uid];
    const done: Items = [{ description: 'a' }, { description: 'run tests', status: 'completed' }];
    room.accept({ type: 'tasks.replace', items: done, base: 3, shown });
    expect(room.plan.taskCount).toBe(2);
    room.accept({ type: 'tasks.replace', items: items('a', 'run tests'), base: 4, shown });
    expect(room.list()).toEqual([['G', 'task-1 pending a', 'task-2 completed run tests', 'task-3 pending run tests']]);
  });
});

describe('names and dependencies of a full list', () => {
  test('an id that was given after the base names a task the writer cannot mean', () => {
    const room = new PlanHarness().with('G', 'a');
    room.accept({ type: 'task.add', group: 'G', description: 'other' }, 'bob');
    const item = { description: 'other', task: 'task-2' };
    room.refuse('stale_task', { type: 'tasks.replace', items: [item], base: 1 });
    room.accept({ type: 'tasks.replace', items: [{ ...item, task: room.task('task-2').uid }], base: 1 });
  });

  test('a dependency on an id that has another task by now is left out, and nagged about', () => {
    const room = new PlanHarness().with('G', 'a', 'b');
    room.accept({ type: 'task.remove', task: 'task-2' }, 'bob');
    room.accept({ type: 'task.add', group: 'G', description: 'other' }, 'bob');
    const list = [{ description: 'a', dependsOn: ['task-2', 'task-1'] }];
    const record = room.accept({ type: 'tasks.replace', items: list, base: 2 });
    expect(room.task('task-1').dependsOn).toEqual(['task-1']);
    expect(nagCodes(record)).toEqual(['unknown_dependency', 'dependency_cycle', 'merged']);
  });

  test('[S1] one nag per cycle that an item is in, by its first member; an item that waits for one is not named', () => {
    const room = new PlanHarness();
    const record = room.accept({
      type: 'tasks.replace',
      items: [
        { description: 'waits', dependsOn: ['b'] },
        { description: 'b', key: 'b', dependsOn: ['c'] },
        { description: 'c', key: 'c', dependsOn: ['b'] },
        { description: 'self', key: 'self', dependsOn: ['self'] },
      ],
    });
    expect(nagCodes(record)).toEqual(['dependency_cycle', 'dependency_cycle']);
    expect(record.nags.map((nag) => /^'(task-\d)'/.exec(nag.message)?.[1])).toEqual(['task-2', 'task-4']);
  });

  test('a cycle that others made is not the business of this writer', () => {
    const room = new PlanHarness();
    room.accept({ type: 'task.add', group: 'G', description: 'a', dependsOn: ['task-1'] }, 'bob');
    const record = room.accept({ type: 'tasks.replace', items: [{ description: 'b', dependsOn: [] }] });
    expect(nagCodes(record)).toEqual(['merged']);
  });

  test('empty labels and null take labels and priority away', () => {
    const room = new PlanHarness();
    room.accept({ type: 'task.add', description: 'a', labels: ['x'], priority: 'high' });
    room.accept({ type: 'tasks.replace', items: [{ description: 'a', labels: [], priority: null }], base: 1 });
    expect(JSON.parse(JSON.stringify(room.task('task-1')))).not.toHaveProperty('labels');
    expect(room.task('task-1').priority).toBeUndefined();
  });
});

describe('policies and batches', () => {
  test('one-per-plan counts what others have in progress, seen or not', () => {
    const room = new PlanHarness().with('G', 'a', 'b');
    room.accept({ type: 'plan.policy', inProgress: 'one-per-plan' });
    room.accept({ type: 'task.start', task: 'task-1' }, 'bob');
    const list: Items = [{ description: 'b', status: 'in_progress' }];
    const shown = [room.task('task-2').uid];
    expect(room.refuse('busy', { type: 'tasks.replace', items: list, base: 4, shown }).facts).toMatchObject({
      busy: ['task-1', 'task-2'],
    });
    room.accept({ type: 'plan.policy', inProgress: 'one-per-actor' });
    room.accept({ type: 'tasks.replace', items: list, base: 4, shown });
  });

  test('where lists replace, no history is asked for, and what others changed since gives way', () => {
    const room = new PlanHarness().with('G', 'a', 'b');
    room.accept({ type: 'plan.policy', fullListWrites: 'replace' });
    room.accept({ type: 'task.edit', task: 'task-2', description: 'by bob' }, 'bob');
    for (let revision = 1; revision <= 4; revision += 1) room.lost.add(revision);
    expect(room.accept({ type: 'tasks.replace', items: items('a'), base: 2 }).nags).toEqual([]);
    expect(room.texts()).toEqual(['a']);
  });

  test('in a batch the base is the plan before the batch, whatever its steps did to the rows', () => {
    const room = new PlanHarness().with('G', 'a', 'b');
    room.accept({ type: 'task.start', task: 'task-1' });
    const record = room.accept({
      type: 'batch',
      mutations: [
        { type: 'plan.load', markdown: '## G\n- [ ] c' },
        { type: 'tasks.replace', items: items('a', 'b', 'd'), base: 2 },
      ],
    });
    expect(room.texts()).toEqual(['c', 'd']);
    expect(messages(record)).toMatch(/task-1.*was removed/);
  });
});
