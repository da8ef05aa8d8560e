import { z } from 'zod';
import type { TaskPatch } from '../change.ts';
import { type Decision, Draft, type Fields, sameValue } from '../draft.ts';
import { type Group, type PlanDocument, type Task, taskId } from '../model.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { ok, type Result } from '../result.ts';
import type { PastChange, Stamp } from '../stamp.ts';

/**
 * Undoes one Change: what it touched goes back to what it was before, field by field, as long as nobody changed the
 * same fields since. A new Change does it, so history keeps both.
 */
export const planRevert = z.strictObject({
  type: z.literal('plan.revert'),
  revision: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
});

type Revert = z.infer<typeof planRevert>;

/** Fields that tell who and when rather than what; they follow from the Change that reverts. */
const marks = new Set(['uid', 'removed', 'revision', 'updatedBy', 'updatedAt', 'createdBy', 'createdRevision']);

export function decideRevert(plan: Plan, mutation: Revert, stamp: Stamp): Result<Decision, Rejection> {
  const past = mutation.revision <= plan.revision ? stamp.history?.(mutation.revision) : undefined;
  if (!past) {
    return rejection(
      'unknown_revision',
      `There is no Change ${mutation.revision} to revert; the plan is at revision ${plan.revision}.`,
      { expected: mutation.revision, current: plan.revision },
    );
  }
  const draft = new Draft(plan);
  const clash =
    revertDocument(plan, past, draft) ??
    revertPolicy(plan, past, draft) ??
    revertGroups(plan, past, draft) ??
    revertTasks(plan, past, draft);
  if (clash === undefined) return ok(draft.finish());
  return rejection(
    'cannot_revert',
    `Change ${mutation.revision} cannot be reverted: ${clash} Re-read the plan and undo by hand what is still wanted.`,
    { expected: mutation.revision, current: plan.revision },
  );
}

/** What keeps a row from going back, as a sentence; undefined when nothing does. */
type Clash = string | undefined;

function revertDocument(plan: Plan, past: PastChange, draft: Draft): Clash {
  const { document: after } = past.patch;
  const before = past.undo.document;
  if (!after || !before) return undefined;
  if (plan.document.revision === 0) return 'the document is gone.';
  const fields = fieldsBack<Fields<PlanDocument>>(plan.document, after, before);
  if (!fields) return 'the document was changed later.';
  draft.writeDocument(fields);
  return undefined;
}

function revertPolicy(plan: Plan, past: PastChange, draft: Draft): Clash {
  if (!past.patch.policy || !past.undo.policy) return undefined;
  const fields = fieldsBack<object>(plan.policy, past.patch.policy, past.undo.policy);
  if (!fields) return 'the policy of the room was changed later.';
  draft.setPolicy({ ...plan.policy, ...fields });
  return undefined;
}

function revertGroups(plan: Plan, past: PastChange, draft: Draft): Clash {
  const undoByUid = new Map(past.undo.groups?.map((row) => [row.uid, row]));
  for (const after of past.patch.groups ?? []) {
    const before = undoByUid.get(after.uid);
    const group = plan.group(after.uid);
    if (!before) continue;
    if (after.removed) {
      if (group) return `group '${group.title}' is there again.`;
      const { revision: _revision, ...row } = before as Group;
      draft.addGroup(row);
    } else if (!group) {
      if (!before.removed) return 'a group it changed was removed later.';
    } else if (before.removed) {
      const foreign = plan.tasksOf(group.uid).some((task) => !past.patch.tasks?.some((row) => row.uid === task.uid));
      if (foreign) return `group '${group.title}' holds tasks that came later.`;
      draft.removeGroup(group);
    } else {
      const fields = fieldsBack<Fields<Group>>(group, after, before);
      if (!fields) return `group '${group.title}' was changed later.`;
      draft.editGroup(group, fields);
    }
  }
  return undefined;
}

function revertTasks(plan: Plan, past: PastChange, draft: Draft): Clash {
  const undoByUid = new Map(past.undo.tasks?.map((row) => [row.uid, row]));
  const restoredGroups = new Set(past.undo.groups?.map((row) => row.uid));
  for (const after of past.patch.tasks ?? []) {
    const before = undoByUid.get(after.uid);
    const task = plan.task(after.uid);
    if (!before) continue;
    if (after.removed) {
      const row = before as Task;
      if (task) return `task '${taskId(task)}' is there again.`;
      if (!plan.group(row.group) && !restoredGroups.has(row.group)) return `the group of '${taskId(row)}' is gone.`;
      const holder = plan.taskByNumber(row.number);
      if (holder) return `the id '${taskId(row)}' belongs to another task now.`;
      draft.restoreTask(row);
    } else if (!task) {
      if (!before.removed) return 'a task it changed was removed later.';
    } else if (before.removed) {
      if (task.revision > task.createdRevision) return `task '${taskId(task)}' was changed later.`;
      draft.removeTask(task);
    } else {
      const clash = revertTaskFields(plan, task, after, before, draft);
      if (clash !== undefined) return clash;
    }
  }
  return undefined;
}

function revertTaskFields(plan: Plan, task: Task, after: TaskPatch, before: TaskPatch, draft: Draft): Clash {
  const fields = fieldsBack<Fields<Task>>(task, after, before);
  if (!fields) return `task '${taskId(task)}' was changed later.`;
  if (typeof fields.group === 'string' && !plan.group(fields.group))
    return `the old group of '${taskId(task)}' is gone.`;
  draft.editTask(task, fields);
  return undefined;
}

/** The fields a Change set, as they were before it; undefined when one of them has another value by now. */
function fieldsBack<Row extends object>(now: object, after: object, before: object): Row | undefined {
  const back: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(after)) {
    if (marks.has(name)) continue;
    if (!sameValue((now as Record<string, unknown>)[name] ?? null, value)) return undefined;
    back[name] = (before as Record<string, unknown>)[name] ?? null;
  }
  return back as Row;
}
