import { describe, expect, test } from 'vitest';
import { nagCodes, onlyNag, PlanHarness } from '../support/plan-harness.ts';

describe('tasks.clean', () => {
  test('[S0-25] an empty group goes, and only that is reported', () => {
    const room = new PlanHarness().with('DB', 'tables').with('API', 'routes');
    room.accept({ type: 'task.remove', task: 'task-2' });
    expect(onlyNag(room.accept({ type: 'tasks.clean', keepPending: true }), 'cleaned')).toMatch(/\b1 empty group\b/);
    expect(room.list()).toEqual([['DB', 'task-1 pending tables']]);
  });

  test('[S0-26] keeping pending tasks removes the finished ones and reports how many', () => {
    const room = new PlanHarness().with('d', 'one', 'two', 'three');
    room.accept({ type: 'task.complete', task: 'task-2' });
    room.accept({ type: 'task.cancel', task: 'task-3' });
    expect(onlyNag(room.accept({ type: 'tasks.clean', keepPending: true }), 'cleaned')).toBe(
      'Removed 2 tasks: 1 completed, 1 cancelled.',
    );
    expect(room.list()).toEqual([['d', 'task-1 pending one']]);
  });

  test('it says of each kind how many went', () => {
    const room = new PlanHarness().with('A', 'one', 'two', 'three', 'four');
    room.accept({ type: 'task.start', task: 'task-4' });
    room.accept({ type: 'task.complete', task: 'task-1' });
    expect(onlyNag(room.accept({ type: 'tasks.clean', keepPending: true }), 'cleaned')).toBe(
      'Removed 1 completed task.',
    );
    room.with('A', 'five');
    room.accept({ type: 'task.complete', task: 'task-2' });
    expect(onlyNag(room.accept({ type: 'tasks.clean', keepPending: false }), 'cleaned')).toBe(
      'Removed 3 tasks: 1 completed, 2 pending.',
    );
  });

  test('[S0.3] without keeping them pending tasks go too; a task in progress always stays', () => {
    const room = new PlanHarness().with('A', 'one', 'two').with('B', 'three').with('C', 'four');
    room.accept({ type: 'task.start', task: 'task-1' });
    const record = room.accept({ type: 'tasks.clean', keepPending: false });
    expect(nagCodes(record)).toEqual(['cleaned', 'cleaned']);
    expect(record.nags.map((nag) => nag.message)).toEqual(['Removed 3 pending tasks.', 'Removed 2 empty groups.']);
    expect(room.list()).toEqual([['A', 'task-1 in_progress one']]);
  });

  test('[S0-28] an empty plan is cleaned without a nag', () => {
    expect(new PlanHarness().accept({ type: 'tasks.clean', keepPending: true }).nags).toEqual([]);
  });

  test('[S0.3] stale references are not nagged about', () => {
    const room = new PlanHarness().with('A', 'one', 'two');
    room.accept({ type: 'task.edit', task: 'task-2', dependsOn: ['task-1'] });
    room.accept({ type: 'task.complete', task: 'task-1' });
    expect(nagCodes(room.accept({ type: 'tasks.clean', keepPending: true }))).toEqual(['cleaned']);
    expect(room.task('task-2').dependsOn).toEqual(['task-1']);
  });

  test('with a base it is refused when anything changed after it', () => {
    const room = new PlanHarness().with('A', 'one', 'two');
    const refused = room.refuse('conflict', { type: 'tasks.clean', keepPending: true, base: 1 });
    expect(refused.facts).toEqual({ expected: 1, current: 2 });
    room.accept({ type: 'tasks.clean', keepPending: true, base: 2 });
  });
});
