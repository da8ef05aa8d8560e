import type { DocumentPatch, GroupPatch, Nag, NagCode, Patch, TaskPatch } from './change.ts';
import type { Group, PlanDocument, Policy, Task } from './model.ts';
import type { Plan } from './plan.ts';
import { assert } from './result.ts';

/** What an accepted mutation does: the rows after it, the rows before it, and advice for its writer. */
export interface Decision {
  readonly patch: Patch;
  readonly undo: Patch;
  readonly nags: readonly Nag[];
}

/** Fields to set; `null` takes one away, `undefined` leaves it alone. */
export type Fields<Row> = { readonly [Field in keyof Row]?: Row[Field] | null | undefined };

/**
 * Collects what one mutation does, patch and undo together, without touching the plan. Each row at most once; fields
 * that keep their value are left out.
 */
export class Draft {
  private readonly plan: Plan;
  private document: DocumentPatch | undefined;
  private documentUndo: DocumentPatch | undefined;
  private policy: Patch['policy'];
  private policyUndo: Patch['policy'];
  private readonly groups = new Map<string, readonly [GroupPatch, GroupPatch]>();
  private readonly tasks = new Map<string, readonly [TaskPatch, TaskPatch]>();
  private readonly nags: Nag[] = [];

  constructor(plan: Plan) {
    this.plan = plan;
  }

  nag(code: NagCode, message: string): void {
    this.nags.push({ code, message });
  }

  /** Writes the document, even when every field keeps its value: a write counts, and its revision moves. */
  writeDocument(given: Fields<Omit<PlanDocument, 'revision' | 'updatedAt'>>): void {
    const before = this.plan.document;
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    this.document = fields as DocumentPatch;
    this.documentUndo = {
      ...(previousFields(before, fields) as DocumentPatch),
      revision: before.revision,
      updatedAt: before.updatedAt,
    };
  }

  setPolicy(fields: Partial<Policy>): void {
    this.policy = fields;
    this.policyUndo = this.plan.policy;
  }

  addGroup(row: Pick<Group, 'uid' | 'title' | 'order'> & Partial<Group>): void {
    this.put(this.groups, row, { uid: row.uid, removed: true });
  }

  editGroup(group: Group, fields: Fields<Omit<Group, 'uid' | 'revision'>>): void {
    const changed = changedFields(group, fields);
    if (!changed) return;
    const undo = { ...previousFields(group, changed), uid: group.uid, revision: group.revision } as GroupPatch;
    this.put(this.groups, { ...changed, uid: group.uid } as GroupPatch, undo);
  }

  removeGroup(group: Group): void {
    this.put(this.groups, { uid: group.uid, removed: true }, group);
  }

  addTask(row: Pick<Task, 'uid' | 'number' | 'group' | 'order' | 'description'> & Partial<Task>): void {
    this.put(this.tasks, row, { uid: row.uid, removed: true });
  }

  editTask(task: Task, fields: Fields<Omit<Task, 'uid' | 'number' | 'revision'>>): void {
    const changed = changedFields(task, fields);
    if (!changed) return;
    const { uid, revision, updatedBy, updatedAt } = task;
    this.put(
      this.tasks,
      { ...changed, uid } as TaskPatch,
      { ...previousFields(task, changed), uid, revision, updatedBy, updatedAt } as TaskPatch,
    );
  }

  removeTask(task: Task): void {
    this.put(this.tasks, { uid: task.uid, removed: true }, task);
  }

  /** Puts back a row that is gone, exactly as it was but for the marks of the Change that does it. */
  restoreTask(task: Task): void {
    const { revision: _r, updatedAt: _a, updatedBy: _b, ...row } = task;
    this.addTask(row);
  }

  finish(): Decision {
    const groups = [...this.groups.values()];
    const tasks = [...this.tasks.values()];
    const pick = (side: 0 | 1, document: DocumentPatch | undefined, policy: Patch['policy']): Patch => ({
      ...(document && { document }),
      ...(policy && { policy }),
      ...(groups.length > 0 && { groups: groups.map((pair) => pair[side]) }),
      ...(tasks.length > 0 && { tasks: tasks.map((pair) => pair[side]) }),
    });
    return {
      patch: pick(0, this.document, this.policy),
      undo: pick(1, this.documentUndo, this.policyUndo),
      nags: this.nags,
    };
  }

  private put<Row extends { readonly uid: string }>(
    rows: Map<string, readonly [Row, Row]>,
    patch: Row,
    undo: Row,
  ): void {
    assert(!rows.has(patch.uid), 'a draft touches each row once');
    rows.set(patch.uid, [patch, undo]);
  }
}

function changedFields<Row extends object>(row: Row, fields: Fields<Row>): Fields<Row> | undefined {
  const changed: Record<string, unknown> = {};
  let any = false;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const present = (row as Record<string, unknown>)[name];
    if (sameValue(present ?? null, value)) continue;
    changed[name] = value;
    any = true;
  }
  return any ? (changed as Fields<Row>) : undefined;
}

function previousFields<Row extends object, F extends object>(row: Row, fields: F): Fields<Row> {
  const previous: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) previous[name] = (row as Record<string, unknown>)[name] ?? null;
  return previous as Fields<Row>;
}

/** Equality of field values: scalars, null, and lists of strings. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((entry, index) => entry === b[index]);
  }
  return a === b;
}
