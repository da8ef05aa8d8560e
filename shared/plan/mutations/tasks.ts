import { z } from 'zod';
import { type Decision, Draft } from '../draft.ts';
import { isTerminal, type Task } from '../model.ts';
import type { Plan } from '../plan.ts';
import type { Rejection } from '../rejection.ts';
import { ok, type Result } from '../result.ts';
import { requireUnchangedPlan } from '../rules.ts';
import { baseField } from './fields.ts';

/** Takes finished tasks away, pending ones too unless kept, and every group that is empty then [S0]. */
export const tasksClean = z.strictObject({
  type: z.literal('tasks.clean'),
  keepPending: z.boolean(),
  base: baseField,
});

export type TasksClean = z.infer<typeof tasksClean>;

export function decideClean(plan: Plan, mutation: TasksClean): Result<Decision, Rejection> {
  const guard = requireUnchangedPlan(plan, mutation.base);
  if (!guard.ok) return guard;
  const draft = new Draft(plan);
  const removed: Task[] = [];
  let groups = 0;
  for (const group of plan.groups()) {
    const members = plan.tasksOf(group.uid);
    const gone = members.filter(
      (task) => isTerminal(task.status) || (task.status === 'pending' && !mutation.keepPending),
    );
    for (const task of gone) draft.removeTask(task);
    removed.push(...gone);
    if (gone.length < members.length) continue;
    draft.removeGroup(group);
    groups += 1;
  }
  if (removed.length > 0) draft.nag('cleaned', sayRemoved(removed));
  if (groups > 0) draft.nag('cleaned', `Removed ${groups} empty ${groups === 1 ? 'group' : 'groups'}.`);
  return ok(draft.finish());
}

/** `Removed 1 completed task.`; `Removed 3 tasks: 2 completed, 1 pending.` */
function sayRemoved(tasks: readonly Task[]): string {
  const counts = (['completed', 'cancelled', 'pending'] as const)
    .map((status) => ({ status, count: tasks.filter((task) => task.status === status).length }))
    .filter(({ count }) => count > 0);
  const [only, another] = counts;
  if (only && !another) return `Removed ${only.count} ${only.status} ${only.count === 1 ? 'task' : 'tasks'}.`;
  return `Removed ${tasks.length} tasks: ${counts.map(({ status, count }) => `${count} ${status}`).join(', ')}.`;
}
