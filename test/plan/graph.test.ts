import { describe, expect, test } from 'vitest';
import { blockedTasks, blockers, cycles, readyTasks, waitingFor } from '../../shared/plan/graph.ts';
import { type Task, taskId } from '../../shared/plan/model.ts';
import { PlanHarness } from '../support/plan-harness.ts';

const ids = (tasks: readonly Task[]): string[] => tasks.map(taskId);

/** Tasks 1, 2, … that depend on these numbers. */
function graph(...dependencies: readonly (readonly (number | string)[])[]): PlanHarness {
  const room = new PlanHarness();
  for (const dependsOn of dependencies) {
    const named = dependsOn.map((each) => (typeof each === 'number' ? `task-${each}` : each));
    room.accept({ type: 'task.add', group: 'g', description: 't', dependsOn: named });
  }
  return room;
}

describe('what is derived from dependencies', () => {
  test('a pending task is ready when every dependency that is there is completed', () => {
    const room = graph([], [1], ['ghost'], [1, 2]);
    expect(ids(readyTasks(room.plan))).toEqual(['task-1', 'task-3']);
    room.accept({ type: 'task.complete', task: 'task-1' });
    expect(ids(readyTasks(room.plan))).toEqual(['task-2', 'task-3']);
    room.accept({ type: 'task.cancel', task: 'task-2' });
    expect(ids(blockers(room.plan, room.task('task-4')))).toEqual(['task-2']);
    expect(blockedTasks(room.plan).map(({ task, by }) => [taskId(task), ids(by)])).toEqual([['task-4', ['task-2']]]);
  });

  test('one cycle per strongly connected set, members in list order, sets by their first member', () => {
    const room = graph([3], [2], [1], [1], [6], [7], [5], []);
    expect(cycles(room.plan).map(ids)).toEqual([['task-1', 'task-3'], ['task-2'], ['task-5', 'task-6', 'task-7']]);
    expect(cycles(graph([2], [3], []).plan)).toEqual([]);
  });

  test('dependencies by uid and by id are the same edge', () => {
    const room = graph([2], []);
    room.accept({ type: 'task.edit', task: 'task-2', dependsOn: [room.task('task-1').uid] });
    expect(cycles(room.plan).map(ids)).toEqual([['task-1', 'task-2']]);
    expect([...waitingFor(room.plan, room.task('task-2'))].sort()).toEqual(
      [room.task('task-1').uid, room.task('task-2').uid].sort(),
    );
  });

  test('a chain of ten thousand tasks is walked without running out of stack', () => {
    const room = new PlanHarness();
    const count = 10_000;
    const items = Array.from({ length: count }, (_, index) => ({
      description: `t${index}`,
      key: `k${index}`,
      dependsOn: [`k${(index + 1) % count}`],
    }));
    room.accept({ type: 'tasks.replace', items });
    expect(cycles(room.plan).map((members) => members.length)).toEqual([count]);
    expect(waitingFor(room.plan, room.task('task-1')).size).toBe(count);
  });
});
