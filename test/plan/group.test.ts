import { describe, expect, test } from 'vitest';
import { onlyNag, PlanHarness } from '../support/plan-harness.ts';

const titles = (room: PlanHarness): string[] => room.plan.groups().map((group) => group.title);

describe('group.verify', () => {
  test('[S0-29] is recorded although the group has open tasks, with a nag; an unknown group is refused by name', () => {
    const room = new PlanHarness().with('API', 'routes');
    const verify = { type: 'group.verify', group: 'API' } as const;
    expect(onlyNag(room.accept(verify), 'verified_with_open_tasks')).toMatch(/'API'.*1 of its tasks is still open/);
    room.with('API', 'more');
    expect(onlyNag(room.accept(verify), 'verified_with_open_tasks')).toMatch(/2 of its tasks are still open/);
    expect(room.plan.findGroup('API')?.testsVerified).toBe(true);
    expect(room.refuse('group_not_found', { type: 'group.verify', group: 'ghost' }).message).toContain('ghost');
  });

  test('[S0.3] an empty or finished group is verified without a nag', () => {
    const room = new PlanHarness().with('API', 'routes');
    room.accept({ type: 'task.cancel', task: 'task-1' });
    expect(room.accept({ type: 'group.verify', group: 'API' }).nags).toEqual([]);
    room.accept({ type: 'group.add', title: 'empty' });
    expect(room.accept({ type: 'group.verify', group: 'empty' }).nags).toEqual([]);
  });

  test('[S0.3] nothing that happens to its tasks takes the flag back, only the group can lose it', () => {
    const room = new PlanHarness().with('A', 'one', 'two').with('B', 'three');
    room.accept({ type: 'group.verify', group: 'A', evidence: 'all pass' });
    room.accept({ type: 'task.start', task: 'task-1' });
    room.accept({ type: 'task.edit', task: 'task-1', description: 'x', group: 'B' });
    room.accept({ type: 'task.edit', task: 'task-3', group: 'A' });
    room.accept({ type: 'task.remove', task: 'task-2' });
    room.accept({ type: 'task.complete', task: 'task-3' });
    room.with('A', 'new');
    expect(room.plan.findGroup('A')).toMatchObject({ testsVerified: true, evidence: 'all pass' });
    expect(room.plan.findGroup('B')?.testsVerified).toBe(false);
    room.accept({ type: 'tasks.clean', keepPending: false });
    room.with('A', 'again');
    expect(room.plan.findGroup('A')?.testsVerified).toBe(false);
  });

  test('taking it back takes the evidence with it', () => {
    const room = new PlanHarness().with('A', 'one');
    room.accept({ type: 'group.verify', group: 'A', evidence: 'all pass' });
    room.accept({ type: 'group.verify', group: 'A', verified: false });
    expect(room.plan.findGroup('A')?.testsVerified).toBe(false);
    expect(room.plan.findGroup('A')?.evidence).toBeUndefined();
  });
});

describe('group.add, edit, move and remove', () => {
  test('[S0.1] two groups may have one title; it then means the first in list order', () => {
    const room = new PlanHarness();
    for (let times = 0; times < 2; times += 1) room.accept({ type: 'group.add', title: 'A' });
    room.accept({ type: 'group.verify', group: 'A' });
    expect(room.plan.groups().map((group) => group.testsVerified)).toEqual([true, false]);
    const [first, second] = room.plan.groups();
    room.accept({ type: 'group.move', group: second?.uid ?? '', before: first?.uid ?? '' });
    room.with('A', 'one');
    expect(room.plan.tasksOf(second?.uid ?? '')).toHaveLength(1);
  });

  test('[S0.3] titles are compared exactly', () => {
    expect(titles(new PlanHarness().with('A', 'one').with('a', 'two').with('A ', 'three'))).toEqual(['A', 'a', 'A ']);
  });

  test('a group gets another title and another place, and takes its tasks along', () => {
    const room = new PlanHarness().with('A', 'one').with('B', 'two').with('C', 'three');
    room.accept({ type: 'group.edit', group: 'B', title: 'Bee' });
    room.accept({ type: 'group.move', group: 'C', before: 'A' });
    room.accept({ type: 'group.move', group: 'A', after: 'Bee' });
    expect(room.list().map(([title, task]) => `${title}: ${task}`)).toEqual([
      'C: task-3 pending three',
      'Bee: task-2 pending two',
      'A: task-1 pending one',
    ]);
    room.accept({ type: 'group.move', group: 'C' });
    expect(titles(room)).toEqual(['Bee', 'A', 'C']);
    room.refuse('group_not_found', { type: 'group.move', group: 'A', before: 'ghost' });
    room.refuse('invalid', { type: 'group.move', group: 'A', before: 'A' });
  });

  test('a group that holds tasks goes only when asked to take them with it', () => {
    const room = new PlanHarness().with('A', 'one', 'two').with('B', 'three');
    expect(room.refuse('group_not_empty', { type: 'group.remove', group: 'A' }).facts).toMatchObject({ tasks: 2 });
    room.accept({ type: 'group.remove', group: 'A', withTasks: true });
    expect(room.list()).toEqual([['B', 'task-3 pending three']]);
  });

  test('a group that changed after the base is a conflict', () => {
    const room = new PlanHarness().with('A', 'one');
    room.accept({ type: 'group.edit', group: 'A', title: 'B' }, 'bob');
    room.refuse('conflict', { type: 'group.edit', group: 'B', title: 'C', base: 1 });
    room.accept({ type: 'group.edit', group: 'B', title: 'C', base: 2 });
  });
});
