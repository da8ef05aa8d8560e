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
 * Applies one step of a batch. The plan and each row keep their revision, and new rows have 0, so that a base guard of a
 * later step sees what others changed and not the batch's own work.
 */
export function applyStep(plan: Plan, patch: Patch, stamp: { readonly at: string; readonly actor: string }): void {
  const { revision, updatedAt } = plan;
  const { document, groups, tasks } = patch;
  const step: Patch = {
    ...patch,
    ...(document && { document: { revision: plan.document.revision, ...document } }),
    ...(groups && { groups: groups.map((row) => keepRevision(row, plan.group(row.uid))) }),
    ...(tasks && { tasks: tasks.map((row) => keepRevision(row, plan.task(row.uid))) }),
  };
  apply(plan, step, { revision: 0, at: stamp.at, actor: stamp.actor });
  plan.rows.revision = revision;
  plan.rows.updatedAt = updatedAt;
}

function keepRevision<Row extends GroupPatch | TaskPatch>(
  row: Row,
  before: { readonly revision: number } | undefined,
): Row {
  return row.removed || before === undefined ? row : { revision: before.revision, ...row };
}

/** What `apply` must be given to take the plan's present revision and time back. */
export function markOf(plan: Plan): Mark {
  return { revision: plan.revision, at: plan.updatedAt, actor: '' };
}

function applyGroup(plan: Plan, row: GroupPatch, mark: Mark): void {
  if (row.removed) plan.rows.dropGroup(row.uid);
  else plan.rows.putGroup(patchedGroup(plan.rows.groups.get(row.uid), row, mark));
}

function applyTask(plan: Plan, row: TaskPatch, mark: Mark): void {
  if (row.removed) plan.rows.dropTask(row.uid);
  else plan.rows.putTask(patchedTask(plan.rows.tasks.get(row.uid), row, mark));
}

// Rows are written out field by field: every row then has the same fields in the same order, which the engine rewards and
// which makes the JSON of equal plans equal.

function patchedGroup(before: Group | undefined, row: Patched<GroupPatch>, mark: Mark): Group {
  return {
    uid: row.uid,
    title: row.title ?? before?.title ?? '',
    order: row.order ?? before?.order ?? 'a0',
    testsVerified: row.testsVerified ?? before?.testsVerified ?? false,
    evidence: optional(row.evidence, before?.evidence),
    revision: row.revision ?? mark.revision,
  };
}

function patchedTask(before: Task | undefined, row: Patched<TaskPatch>, mark: Mark): Task {
  return {
    uid: row.uid,
    number: row.number ?? before?.number ?? 0,
    group: row.group ?? before?.group ?? '',
    order: row.order ?? before?.order ?? 'a0',
    description: row.description ?? before?.description ?? '',
    status: row.status ?? before?.status ?? 'pending',
    startedBy: optional(row.startedBy, before?.startedBy),
    dependsOn: row.dependsOn ?? before?.dependsOn ?? noDependencies,
    priority: optional(row.priority, before?.priority),
    labels: optional(row.labels, before?.labels),
    createdBy: row.createdBy ?? before?.createdBy ?? mark.actor,
    createdRevision: row.createdRevision ?? before?.createdRevision ?? mark.revision,
    updatedBy: row.updatedBy ?? mark.actor,
    updatedAt: row.updatedAt ?? mark.at,
    revision: row.revision ?? mark.revision,
  };
}

function patchedDocument(before: PlanDocument, row: DocumentPatch, mark: Mark): PlanDocument {
  const keepsBody = row.content === undefined && row.contentBytes === undefined;
  return {
    title: optional(row.title, before.title),
    content: row.content ?? (keepsBody ? before.content : ''),
    contentBytes: keepsBody ? before.contentBytes : (row.contentBytes ?? undefined),
    author: optional(row.author, before.author),
    status: optional(row.status, before.status),
    revision: row.revision ?? mark.revision,
    updatedAt: row.updatedAt ?? mark.at,
  };
}

type Patched<Row> = Exclude<Row, { readonly removed: true }>;

const noDependencies: readonly string[] = [];

/** `undefined` keeps the value, `null` takes it away. */
function optional<Value>(patch: Value | null | undefined, before: Value | undefined): Value | undefined {
  return patch === undefined ? before : (patch ?? undefined);
}
