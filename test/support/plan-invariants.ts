import { expect } from 'vitest';
import type { Task } from '../../shared/plan/model.ts';
import { compareRows, Plan } from '../../shared/plan/plan.ts';

/** What holds for every plan at every revision: the indexes say what a recount from the bare rows says. */
export function expectSound(plan: Plan): void {
  const snapshot = plan.toSnapshot();
  const { groups, tasks } = snapshot;
  expect(Plan.fromSnapshot(JSON.parse(JSON.stringify(snapshot))).toSnapshot()).toEqual(snapshot);
  expect([...groups].sort(compareRows)).toEqual(groups);
  expect(tasks).toHaveLength(plan.taskCount);
  expect(groups).toHaveLength(plan.groupCount);
  expect(new Set(tasks.map((task) => task.number)).size, 'numbers are unique').toBe(tasks.length);
  expect(plan.highestNumber).toBe(Math.max(0, ...tasks.map((task) => task.number)));
  const place = new Map(groups.map((group, index) => [group.uid, index]));
  const inOrder = (a: Task, b: Task): number =>
    (place.get(a.group) ?? -1) - (place.get(b.group) ?? -1) || compareRows(a, b);
  expect([...tasks].sort(inOrder)).toEqual(tasks);
  for (const task of tasks) expectSoundTask(plan, task);
  for (const title of new Set(groups.map((group) => group.title))) {
    expect(plan.findGroup(title)).toBe(groups.find((group) => group.title === title));
  }
  for (const status of ['pending', 'in_progress', 'completed', 'cancelled'] as const) {
    expect(plan.countByStatus()[status]).toBe(tasks.filter((task) => task.status === status).length);
  }
  expect(plan.inProgress()).toEqual(tasks.filter((task) => task.status === 'in_progress'));
  for (const reference of new Set(tasks.flatMap((task) => task.dependsOn))) {
    expect(plan.dependents(reference)).toEqual(tasks.filter((task) => task.dependsOn.includes(reference)));
  }
  expectNothingLeftBehind(plan);
}

/** What is gone from the rows is gone from every index: a plan that lives long must not grow. */
function expectNothingLeftBehind({ rows }: Plan): void {
  const tasks = [...rows.tasks.values()];
  expect(rows.groupsByTitle.size).toBe(new Set([...rows.groups.values()].map((group) => group.title)).size);
  expect(rows.tasksByGroup.size).toBe(new Set(tasks.map((task) => task.group)).size);
  expect(rows.dependents.size).toBe(new Set(tasks.flatMap((task) => task.dependsOn)).size);
  expect(rows.uidByNumber.size).toBe(tasks.length);
}

function expectSoundTask(plan: Plan, task: Task): void {
  expect(plan.group(task.group), 'the group of every task is there').toBeDefined();
  expect(plan.task(task.uid)).toBe(task);
  expect(plan.taskByNumber(task.number)).toBe(task);
  expect(task.startedBy !== undefined, 'startedBy exactly while in progress').toBe(task.status === 'in_progress');
  expect(task.labels?.length, 'no labels are no field').not.toBe(0);
  expect(task.createdRevision).toBeLessThanOrEqual(task.revision);
  expect(task.revision).toBeLessThanOrEqual(plan.revision);
}

/** Whether the tasks in progress are within the policy of the room. */
export function keepsPolicy(plan: Plan): boolean {
  const holders = plan.inProgress().map((task) => task.startedBy);
  switch (plan.policy.inProgress) {
    case 'any':
      return true;
    case 'one-per-plan':
      return holders.length <= 1;
    default:
      return new Set(holders).size === holders.length;
  }
}
