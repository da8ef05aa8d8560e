import { z } from 'zod';
import { type Decision, Draft } from '../draft.ts';
import { refuseBusy, refuseTerminal, startClash } from '../in-progress.ts';
import { isTerminal, type Status, type Task, taskId } from '../model.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { assertNever, ok, type Result } from '../result.ts';
import { nagHolder, requireTask } from '../rules.ts';
import type { Stamp } from '../stamp.ts';
import { joinNames } from '../text.ts';
import { baseField, taskReference } from './fields.ts';

const target = { task: taskReference, base: baseField };

export const taskStart = z.strictObject({ type: z.literal('task.start'), ...target });
export const taskComplete = z.strictObject({ type: z.literal('task.complete'), ...target });
export const taskCancel = z.strictObject({ type: z.literal('task.cancel'), ...target });
/** Back to pending, from any other status. */
export const taskReopen = z.strictObject({ type: z.literal('task.reopen'), ...target });

export type TaskStatusMutation =
  | z.infer<typeof taskStart>
  | z.infer<typeof taskComplete>
  | z.infer<typeof taskCancel>
  | z.infer<typeof taskReopen>;

export function decideTaskStatus(plan: Plan, mutation: TaskStatusMutation, stamp: Stamp): Result<Decision, Rejection> {
  const found = requireTask(plan, mutation.task, mutation.base);
  if (!found.ok) return found;
  switch (mutation.type) {
    case 'task.start':
      return decideStart(plan, found.value, stamp);
    case 'task.complete':
      return decideCrossOff(plan, found.value, 'completed', stamp.actor);
    case 'task.cancel':
      return decideCrossOff(plan, found.value, 'cancelled', stamp.actor);
    case 'task.reopen':
      return decideReopen(plan, found.value);
    default:
      return assertNever(mutation);
  }
}

/** Dependencies never block a start; those not completed are nagged about [S0]. */
function decideStart(plan: Plan, task: Task, stamp: Stamp): Result<Decision, Rejection> {
  const allowed = mayStart(plan, task, stamp.actor);
  if (!allowed.ok) return allowed;
  const draft = new Draft(plan);
  draft.editTask(task, { status: 'in_progress', startedBy: stamp.actor });
  for (const dependency of task.dependsOn) {
    const other = plan.findTask(dependency);
    const status = other?.uid === task.uid ? 'in_progress' : other?.status;
    if (!other) {
      draft.nag('dependency_gone', `'${taskId(task)}' depends on '${dependency}', which no longer exists.`);
    } else if (status !== 'completed') {
      draft.nag('dependency_open', `'${taskId(task)}' depends on '${dependency}', which is ${status}.`);
    }
  }
  return ok(draft.finish());
}

function mayStart(plan: Plan, task: Task, actor: string): Result<void, Rejection> {
  const id = taskId(task);
  if (task.status === 'in_progress' && task.startedBy !== actor) {
    return rejection(
      'taken',
      `Task '${id}' is in progress by '${task.startedBy}'. Take another task, or have it reopened (task.reopen) first.`,
      { task: id, startedBy: task.startedBy },
    );
  }
  const start = { uid: task.uid, number: task.number, actor, from: task.status };
  const clash = startClash(plan, plan.policy, [start]);
  if (!clash) return ok(undefined);
  if (clash.type === 'terminal') return refuseTerminal(start, clash.status);
  const ids = clash.others.map(taskId);
  const message = `Only one task can be in progress at a time: ${joinNames(ids)} ${ids.length === 1 ? 'is' : 'are'}, so '${id}' cannot start. Complete or cancel that first.`;
  return refuseBusy(message, ids, plan.policy, { task: id });
}

/** Terminal is sticky: a finished task is not crossed off again, whichever way is asked [S0]. */
function decideCrossOff(
  plan: Plan,
  task: Task,
  status: 'completed' | 'cancelled',
  actor: string,
): Result<Decision, Rejection> {
  const id = taskId(task);
  if (isTerminal(task.status)) {
    return rejection(
      'terminal',
      `Task '${id}' is ${task.status} already. Reopen it (task.reopen) before you complete or cancel it again.`,
      {
        task: id,
        status: task.status,
      },
    );
  }
  const draft = new Draft(plan);
  draft.editTask(task, { status, startedBy: null });
  nagHolder(draft, task, actor);
  nagDependents(plan, draft, task, status);
  return ok(draft.finish());
}

function nagDependents(plan: Plan, draft: Draft, task: Task, status: Status): void {
  for (const other of plan.dependents(taskId(task), task.uid)) {
    if (other.uid === task.uid || isTerminal(other.status)) continue;
    draft.nag('dependents', `'${taskId(other)}' depends on '${taskId(task)}', which is now ${status}.`);
  }
}

function decideReopen(plan: Plan, task: Task): Result<Decision, Rejection> {
  if (task.status === 'pending') {
    return rejection('not_terminal', `Task '${taskId(task)}' is pending already; there is nothing to reopen.`, {
      task: taskId(task),
      status: task.status,
    });
  }
  const draft = new Draft(plan);
  draft.editTask(task, { status: 'pending', startedBy: null });
  return ok(draft.finish());
}
