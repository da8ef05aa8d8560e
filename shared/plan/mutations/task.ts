import { z } from 'zod';
import { type Decision, Draft } from '../draft.ts';
import { waitingFor } from '../graph.ts';
import { limits } from '../limits.ts';
import { type Task, taskId } from '../model.ts';
import { orderAtEnd } from '../order.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { assertNever, ok, type Result } from '../result.ts';
import {
  nagHolder,
  requireDescription,
  requireFreshUid,
  requireRoomForGroup,
  requireRoomForTasks,
  requireTask,
  requireTaskFields,
  requireText,
} from '../rules.ts';
import type { Stamp } from '../stamp.ts';
import { joinNames } from '../text.ts';
import {
  baseField,
  dependsOnField,
  groupReference,
  keyField,
  labelsField,
  priorityField,
  taskReference,
  textField,
  uidField,
} from './fields.ts';
import { placeAmong } from './group.ts';

/** The group of a task that names none. */
export const defaultGroupTitle = 'Tasks';

/** A group title that is not there is made, at the end. */
export const taskAdd = z.strictObject({
  type: z.literal('task.add'),
  description: textField,
  group: groupReference.optional(),
  dependsOn: dependsOnField.optional(),
  priority: priorityField.optional(),
  labels: labelsField.optional(),
  uid: uidField.optional(),
  /** Names the task for later mutations of the same batch; not kept. */
  key: keyField.optional(),
});
/** Absent fields keep their value; `null` takes priority or labels away; `dependsOn` replaces the whole list. */
export const taskEdit = z.strictObject({
  type: z.literal('task.edit'),
  task: taskReference,
  description: textField.optional(),
  group: groupReference.optional(),
  dependsOn: dependsOnField.optional(),
  priority: priorityField.nullable().optional(),
  labels: labelsField.nullable().optional(),
  base: baseField,
});
/** Within its group, or beside a task of the group it goes to; without `before` and `after` to the end. */
export const taskMove = z.strictObject({
  type: z.literal('task.move'),
  task: taskReference,
  group: groupReference.optional(),
  before: taskReference.optional(),
  after: taskReference.optional(),
  base: baseField,
});
export const taskRemove = z.strictObject({ type: z.literal('task.remove'), task: taskReference, base: baseField });

type Add = z.infer<typeof taskAdd>;
type Edit = z.infer<typeof taskEdit>;
type Move = z.infer<typeof taskMove>;
export type TaskMutation = Add | Edit | Move | z.infer<typeof taskRemove>;

export function decideTask(plan: Plan, mutation: TaskMutation, stamp: Stamp): Result<Decision, Rejection> {
  if (mutation.type === 'task.add') return decideAdd(plan, mutation, stamp);
  const found = requireTask(plan, mutation.task, mutation.base);
  if (!found.ok) return found;
  switch (mutation.type) {
    case 'task.edit':
      return decideEdit(plan, found.value, mutation, stamp);
    case 'task.move':
      return decideMove(plan, found.value, mutation, stamp);
    case 'task.remove':
      return decideRemove(plan, found.value, stamp);
    default:
      return assertNever(mutation);
  }
}

function decideAdd(plan: Plan, mutation: Add, stamp: Stamp): Result<Decision, Rejection> {
  const texts = checkTexts(mutation);
  if (!texts.ok) return texts;
  const fresh = requireFreshUid(plan, mutation.uid);
  if (!fresh.ok) return fresh;
  const room = requireRoomForTasks(plan, 1);
  if (!room.ok) return room;
  const draft = new Draft(plan);
  const group = groupFor(plan, mutation.group ?? defaultGroupTitle, draft, stamp);
  if (!group.ok) return group;
  const number = plan.highestNumber + 1;
  const { description, dependsOn, priority, labels } = mutation;
  draft.addTask({
    uid: mutation.uid ?? stamp.newUid(),
    number,
    group: group.value,
    order: orderAtEnd(plan.tasksOf(group.value)),
    description,
    ...(dependsOn && dependsOn.length > 0 && { dependsOn }),
    ...(priority !== undefined && { priority }),
    ...(labels && labels.length > 0 && { labels }),
  });
  nagDependencies(plan, draft, { number, uid: mutation.uid }, dependsOn ?? []);
  return ok(draft.finish());
}

function checkTexts(mutation: Add | Edit): Result<void, Rejection> {
  if (mutation.description !== undefined) {
    const description = requireDescription(mutation.description);
    if (!description.ok) return description;
  }
  return requireTaskFields(mutation);
}

/** uid of the group the reference names; a title that is not there becomes a new group at the end. */
function groupFor(plan: Plan, reference: string, draft: Draft, stamp: Stamp): Result<string, Rejection> {
  const group = plan.findGroup(reference);
  if (group) return ok(group.uid);
  const title = requireText('group title', reference, limits.groupTitleBytesMax, 'allowed');
  if (!title.ok) return title;
  const room = requireRoomForGroup(plan);
  if (!room.ok) return room;
  const uid = stamp.newUid();
  draft.addGroup({ uid, title: reference, order: orderAtEnd(plan.groups()) });
  return ok(uid);
}

function decideEdit(plan: Plan, task: Task, mutation: Edit, stamp: Stamp): Result<Decision, Rejection> {
  const texts = checkTexts(mutation);
  if (!texts.ok) return texts;
  const draft = new Draft(plan);
  if (mutation.dependsOn) nagDependencies(plan, draft, task, mutation.dependsOn, waitingFor(plan, task, stamp.walk));
  const place = mutation.group === undefined ? ok({}) : placeAtEndOf(plan, task, mutation.group, draft, stamp);
  if (!place.ok) return place;
  const { description, dependsOn, priority } = mutation;
  const labels = mutation.labels?.length === 0 ? null : mutation.labels;
  draft.editTask(task, { ...place.value, description, dependsOn, priority, labels });
  return ok(draft.finish());
}

/** A move to the group the task is in already changes nothing. */
function placeAtEndOf(
  plan: Plan,
  task: Task,
  reference: string,
  draft: Draft,
  stamp: Stamp,
): Result<{ group?: string; order?: string }, Rejection> {
  if (plan.group(task.group)?.title === reference) return ok({});
  const group = groupFor(plan, reference, draft, stamp);
  if (!group.ok) return group;
  if (group.value === task.group) return ok({});
  return ok({ group: group.value, order: orderAtEnd(plan.tasksOf(group.value)) });
}

function decideMove(plan: Plan, task: Task, mutation: Move, stamp: Stamp): Result<Decision, Rejection> {
  const draft = new Draft(plan);
  const target = targetGroup(plan, task, mutation, draft, stamp);
  if (!target.ok) return target;
  const siblings = plan.tasksOf(target.value);
  const place = placeAmong(siblings, task, mutation, (reference) => requireTask(plan, reference, undefined));
  if (!place.ok) return place;
  draft.editTask(task, { group: target.value, order: place.value.own });
  for (const [uid, order] of place.value.others ?? []) {
    const other = plan.task(uid);
    if (other) draft.editTask(other, { order });
  }
  return ok(draft.finish());
}

/** The group named, else the group of the task it goes beside, else its own. */
function targetGroup(plan: Plan, task: Task, mutation: Move, draft: Draft, stamp: Stamp): Result<string, Rejection> {
  if (mutation.group !== undefined) return groupFor(plan, mutation.group, draft, stamp);
  const anchor = mutation.before ?? mutation.after;
  if (anchor === undefined) return ok(task.group);
  const found = requireTask(plan, anchor, undefined);
  if (!found.ok) return found;
  if (found.value.uid === task.uid) {
    return rejection('invalid', `Task '${taskId(task)}' cannot be put beside itself; name another task.`);
  }
  return ok(found.value.group);
}

function decideRemove(plan: Plan, task: Task, stamp: Stamp): Result<Decision, Rejection> {
  const draft = new Draft(plan);
  draft.removeTask(task);
  nagHolder(draft, task, stamp.actor);
  const others = plan.dependents(taskId(task), task.uid).filter((other) => other.uid !== task.uid);
  if (others.length > 0) {
    draft.nag(
      'dependents',
      `Task '${taskId(task)}' is gone, but ${joinNames(others.map(taskId))} still ${others.length === 1 ? 'lists' : 'list'} it as a dependency.`,
    );
  }
  return ok(draft.finish());
}

/** One nag per entry, in order [S0]. Only an edit looks for chains: it says who waits for the task before it. */
function nagDependencies(
  plan: Plan,
  draft: Draft,
  task: { readonly number: number; readonly uid?: string | undefined },
  dependsOn: readonly string[],
  waiting?: ReadonlySet<string>,
): void {
  const id = taskId(task);
  for (const dependency of dependsOn) {
    if (dependency === id || dependency === task.uid) {
      draft.nag('self_dependency', `Task '${id}' lists itself as a dependency (a self-reference).`);
      continue;
    }
    const other = plan.findTask(dependency);
    if (!other) {
      draft.nag('unknown_dependency', `Dependency '${dependency}' of '${id}' does not exist; it is kept as written.`);
    } else if (waiting?.has(other.uid)) {
      draft.nag(
        'dependency_cycle',
        `'${id}' now depends on '${dependency}', which waits for it: a circular chain. It is stored; take one of the two away.`,
      );
    }
  }
}
