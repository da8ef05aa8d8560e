import type { DocumentPatch, GroupPatch, Mark, Patch, TaskPatch } from './change.ts';
import type { Group, PlanDocument, Task } from './model.ts';
import type { Plan } from './plan.ts';

/**
 * Applies a patch to a plan that the caller owns, in place. Total: every patch that `decide` made applies, in the
 * server, the SDK, replay and tests alike; nothing else changes a plan. Rolling back is applying the undo patches in
 * reverse, each with the mark the plan had before.
 */
export function apply(plan: Plan, patch: Patch, mark: Mark): void {
  const { rows } = plan;
  rows.revision = mark.revision;
  rows.updatedAt = mark.at;
  if (patch.policy) rows.policy = { ...rows.policy, ...patch.policy };
  if (patch.document) rows.document = patchedDocument(rows.document, patch.document, mark);
  for (const row of patch.groups ?? []) applyGroup(plan, row, mark);
  for (const row of patch.tasks ?? []) applyTask(plan, row, mark);
}

/**
 * Applies one step of a batch. The plan keeps its revision, and the rows the step touched count as never changed, so that
 * a base guard of a later step does not conflict with the batch's own work.
 */
export function applyStep(plan: Plan, patch: Patch, stamp: { readonly at: string; readonly actor: string }): void {
  const { revision, updatedAt } = plan;
  apply(plan, patch, { revision: Math.min(revision, 1), at: stamp.at, actor: stamp.actor });
  plan.rows.revision = revision;
  plan.rows.updatedAt = updatedAt;
}

/** What `apply` must be given to take the plan's present revision and time back. */
export function markOf(plan: Plan): Mark {
  return { revision: plan.revision, at: plan.updatedAt, actor: '' };
}

function applyGroup(plan: Plan, row: GroupPatch, mark: Mark): void {
  if (row.removed) {
    plan.rows.dropGroup(row.uid);
    return;
  }
  const before = plan.rows.groups.get(row.uid);
  const base: Group = before
    ? { ...before, revision: mark.revision }
    : { uid: row.uid, title: '', order: 'a0', testsVerified: false, revision: mark.revision };
  plan.rows.putGroup(withFields(base, row));
}

function applyTask(plan: Plan, row: TaskPatch, mark: Mark): void {
  if (row.removed) {
    plan.rows.dropTask(row.uid);
    return;
  }
  const before = plan.rows.tasks.get(row.uid);
  const base: Task = before
    ? { ...before, updatedBy: mark.actor, updatedAt: mark.at, revision: mark.revision }
    : newTask(row.uid, mark);
  plan.rows.putTask(withFields(base, row));
}

function newTask(uid: string, mark: Mark): Task {
  return {
    uid,
    number: 0,
    group: '',
    order: 'a0',
    description: '',
    status: 'pending',
    dependsOn: [],
    createdBy: mark.actor,
    createdRevision: mark.revision,
    updatedBy: mark.actor,
    updatedAt: mark.at,
    revision: mark.revision,
  };
}

function patchedDocument(before: PlanDocument, patch: DocumentPatch, mark: Mark): PlanDocument {
  const { contentBytes: _size, ...kept } = before;
  const body = patch.content === undefined && patch.contentBytes === undefined ? before : { ...kept, content: '' };
  return withFields({ ...body, revision: mark.revision, updatedAt: mark.at }, patch);
}

/** The row with the patch's fields put in; `null` takes an optional field away. */
function withFields<Row extends object>(row: Row, fields: object): Row {
  const target = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) delete target[name];
    else if (value !== undefined) target[name] = value;
  }
  return row;
}
