import type { Draft } from './draft.ts';
import { fitsBytes, limits, utf8Bytes } from './limits.ts';
import type { Group, Task } from './model.ts';
import { taskId } from './model.ts';
import type { Plan } from './plan.ts';
import type { Rejection } from './rejection.ts';
import { rejection } from './rejection.ts';
import type { Result } from './result.ts';
import { err, ok } from './result.ts';
import { isBlank, isWellFormed } from './text.ts';

/** Rules that several mutations share. Each gives the thing asked for, or the Rejection that tells how to do better. */

export function requireText(
  what: string,
  text: string,
  bytesMax: number,
  blank: 'refused' | 'allowed',
): Result<string, Rejection> {
  if (blank === 'refused' && isBlank(text)) {
    return rejection('blank_text', `The ${what} must be text that says something; it is empty or only white space.`);
  }
  if (!fitsBytes(text, bytesMax)) {
    const bytes = utf8Bytes(text);
    return rejection('too_long', `The ${what} has ${bytes} bytes in UTF-8; at most ${bytesMax} are allowed.`, {
      bytes,
      bytesMax,
    });
  }
  if (!isWellFormed(text)) {
    return rejection('invalid', `The ${what} holds half of a surrogate pair; send well-formed Unicode text.`);
  }
  return ok(text);
}

export function requireDescription(text: string): Result<string, Rejection> {
  return requireText('description', text, limits.descriptionBytesMax, 'refused');
}

/** Dependencies, labels and priority are kept as written, so they must be text of a size that can be stored. */
export function requireTaskFields(fields: {
  readonly dependsOn?: readonly string[] | undefined;
  readonly labels?: readonly string[] | null | undefined;
  readonly priority?: string | null | undefined;
}): Result<void, Rejection> {
  const { dependsOn = [], labels, priority } = fields;
  const checked =
    firstRefusal('list of dependencies', 'dependency', dependsOn, 'dependenciesPerTaskMax', 'dependencyIdBytesMax') ??
    firstRefusal('list of labels', 'label', labels ?? [], 'labelsPerTaskMax', 'labelBytesMax');
  if (checked) return err(checked);
  const text = requireText('priority', priority ?? '', limits.priorityBytesMax, 'allowed');
  return text.ok ? ok(undefined) : text;
}

type Limit = keyof typeof limits;

function firstRefusal(
  list: string,
  entry: string,
  texts: readonly string[],
  countMax: Limit,
  bytesMax: Limit,
): Rejection | undefined {
  if (texts.length > limits[countMax]) {
    const message = `The ${list} has ${texts.length} entries; at most ${limits[countMax]} are allowed.`;
    return { code: 'too_long', message, facts: { entries: texts.length, [countMax]: limits[countMax] } };
  }
  for (const text of texts) {
    const checked = requireText(entry, text, limits[bytesMax], 'allowed');
    if (!checked.ok) return checked.error;
  }
  return undefined;
}

/**
 * The task of a reference. With a `base` it must not have changed after it; and when the reference is an id such as
 * `task-7` that has been given anew since, the mutation would hit a task its caller never saw.
 */
export function requireTask(plan: Plan, reference: string, base: number | undefined): Result<Task, Rejection> {
  const task = plan.findTask(reference);
  if (!task) {
    return rejection(
      'task_not_found',
      `Task '${reference}' does not exist. List the tasks (List) to see which ids there are.`,
      { task: reference },
    );
  }
  const guard = requireBase(plan, base);
  if (!guard.ok) return guard;
  if (base === undefined || task.revision <= base) return ok(task);
  const facts = { task: taskId(task), uid: task.uid, expected: base, current: task.revision };
  if (task.createdRevision > base && reference !== task.uid) {
    return rejection(
      'stale_task',
      `'${reference}' is another task now than at revision ${base}: it was made at revision ${task.createdRevision}. Re-read the plan and retry.`,
      facts,
    );
  }
  return rejection(
    'conflict',
    `Task '${taskId(task)}' changed at revision ${task.revision}, after your base ${base} (by '${task.updatedBy}'; it is ${task.status} now). Re-read it and retry.`,
    facts,
  );
}

export function requireGroup(plan: Plan, reference: string, base: number | undefined): Result<Group, Rejection> {
  const group = plan.findGroup(reference);
  if (!group) return rejection('group_not_found', `Group '${reference}' does not exist.`, { group: reference });
  const guard = requireBase(plan, base);
  if (!guard.ok) return guard;
  if (base === undefined || group.revision <= base) return ok(group);
  return rejection(
    'conflict',
    `Group '${group.title}' changed at revision ${group.revision}, after your base ${base}. Re-read it and retry.`,
    { group: group.title, uid: group.uid, expected: base, current: group.revision },
  );
}

/** Whoever ends a task that another has in progress is told so: it may not be the right one to. */
export function nagHolder(draft: Draft, task: Task, actor: string): void {
  if (task.status !== 'in_progress' || task.startedBy === actor) return;
  draft.nag('of_another', `'${taskId(task)}' was in progress by '${task.startedBy}'.`);
}

/** A base can only be a revision that has been. */
export function requireBase(plan: Plan, base: number | undefined): Result<void, Rejection> {
  if (base === undefined || base <= plan.revision) return ok(undefined);
  return rejection(
    'unknown_revision',
    `Base revision ${base} has not been yet; the plan is at ${plan.revision}. Re-read the plan and retry.`,
    { expected: base, current: plan.revision },
  );
}

/** For a mutation that touches the whole plan: nothing at all changed after `base`. */
export function requireUnchangedPlan(plan: Plan, base: number | undefined): Result<void, Rejection> {
  const guard = requireBase(plan, base);
  if (!guard.ok) return guard;
  if (base === undefined || plan.revision === base) return ok(undefined);
  return rejection(
    'conflict',
    `The plan is at revision ${plan.revision}, your base is ${base}. Re-read the plan and retry.`,
    { expected: base, current: plan.revision },
  );
}

export function requireRoomForTasks(plan: Plan, more: number): Result<void, Rejection> {
  const { tasksPerRoomMax } = limits;
  if (plan.taskCount + more <= tasksPerRoomMax) return ok(undefined);
  return rejection(
    'limit_reached',
    `The room holds ${plan.taskCount} tasks and may hold ${tasksPerRoomMax}. Clean finished tasks or remove some first.`,
    { tasks: plan.taskCount, tasksPerRoomMax },
  );
}

export function requireRoomForGroup(plan: Plan): Result<void, Rejection> {
  const { groupsPerRoomMax } = limits;
  if (plan.groupCount < groupsPerRoomMax) return ok(undefined);
  return rejection(
    'limit_reached',
    `The room holds ${plan.groupCount} groups and may hold ${groupsPerRoomMax}. Clean empty groups or use one that is there.`,
    { groups: plan.groupCount, groupsPerRoomMax },
  );
}

/** A uid that a client chose for a new row must be new. */
export function requireFreshUid(plan: Plan, uid: string | undefined): Result<void, Rejection> {
  if (uid === undefined || (!plan.task(uid) && !plan.group(uid))) return ok(undefined);
  return rejection('uid_taken', `The uid '${uid}' belongs to a row of this plan already; make a new one.`, { uid });
}
