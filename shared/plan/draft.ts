import type { DocumentPatch, GroupPatch, Nag, NagCode, Patch, TaskPatch } from './change.ts';
import type { Group, PlanDocument, Policy, Task } from './model.ts';
import { NagList } from './nag-list.ts';
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
  private groups: RowChanges<GroupPatch> | undefined;
  private tasks: RowChanges<TaskPatch> | undefined;
  private nags: NagList | undefined;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  nag(code: NagCode, message: string): void {
    this.nags ??= new NagList();
    this.nags.add(code, message);
  }

  /** Writes the document, even when every field keeps its value: a write counts, and its revision moves. */
  writeDocument(given: Fields<Omit<PlanDocument, 'revision' | 'updatedAt'>>): void {
    const before = this.plan.document;
    const document: Record<string, unknown> = {};
    const undo: Record<string, unknown> = { revision: before.revision, updatedAt: before.updatedAt };
    for (const name of documentFields) {
      if (given[name] === undefined) continue;
      document[name] = given[name];
      undo[name] = before[name] ?? null;
    }
    // A body that is held as its size comes back as that.
    if (document.content !== undefined && before.contentBytes !== undefined) {
      undo.content = undefined;
      undo.contentBytes = before.contentBytes;
    }
    this.document = document;
    this.documentUndo = undo;
  }

  /** Back to there being no document, as before the first write. */
  removeDocument(): void {
    const { title, content, author, status, revision, updatedAt } = this.plan.document;
    const gone = { title: null, content: '', author: null, status: null, revision: 0, updatedAt: '' };
    this.document = gone;
    this.documentUndo = {
      title: title ?? null,
      content,
      author: author ?? null,
      status: status ?? null,
      revision,
      updatedAt,
    };
  }

  /** Sets rules of the room; those not named stay. */
  setPolicy(fields: Partial<Policy>): void {
    const [patch, undo] = [{}, {}];
    if (!splitFields(policyFields, this.plan.policy, fields, patch, undo)) return;
    this.policy = patch;
    this.policyUndo = undo;
  }

  addGroup(row: Pick<Group, 'uid' | 'title' | 'order'> & Partial<Group>): void {
    this.putGroup(row, { uid: row.uid, removed: true });
  }

  editGroup(group: Group, fields: Fields<Omit<Group, 'uid' | 'revision'>>): void {
    const patch: GroupPatch = { uid: group.uid };
    const undo: GroupPatch = { uid: group.uid, revision: group.revision };
    if (splitFields(groupFields, group, fields, patch, undo)) this.putGroup(patch, undo);
  }

  removeGroup(group: Group): void {
    this.putGroup({ uid: group.uid, removed: true }, group);
  }

  addTask(row: Pick<Task, 'uid' | 'number' | 'group' | 'order' | 'description'> & Partial<Task>): void {
    this.putTask(row, { uid: row.uid, removed: true });
  }

  editTask(task: Task, fields: Fields<Omit<Task, 'uid' | 'number' | 'revision'>>): void {
    const { uid, revision, updatedBy, updatedAt } = task;
    const patch: TaskPatch = { uid };
    const undo: TaskPatch = { uid, revision, updatedBy, updatedAt };
    if (splitFields(taskFields, task, fields, patch, undo)) this.putTask(patch, undo);
  }

  removeTask(task: Task): void {
    this.putTask({ uid: task.uid, removed: true }, task);
  }

  /** Puts back a row that is gone, exactly as it was but for the marks of the Change that does it. */
  restoreTask(task: Task): void {
    const { revision: _r, updatedAt: _a, updatedBy: _b, ...row } = task;
    this.addTask(row);
  }

  finish(): Decision {
    const { document, documentUndo, policy, policyUndo, groups, tasks, nags } = this;
    return {
      patch: patchOf(document, policy, groups?.patches, tasks?.patches),
      undo: patchOf(documentUndo, policyUndo, groups?.undos, tasks?.undos),
      nags: nags?.all() ?? [],
    };
  }

  private putGroup(patch: GroupPatch, undo: GroupPatch): void {
    this.groups ??= new RowChanges();
    this.groups.put(patch, undo);
  }

  private putTask(patch: TaskPatch, undo: TaskPatch): void {
    this.tasks ??= new RowChanges();
    this.tasks.put(patch, undo);
  }
}

/** Rows of one table, after and before. */
class RowChanges<Row extends { readonly uid: string }> {
  readonly patches: Row[] = [];
  readonly undos: Row[] = [];
  /** Only once there are several. */
  private uids: Set<string> | undefined;

  put(patch: Row, undo: Row): void {
    if (this.patches.length > 0) {
      this.uids ??= new Set(this.patches.map((row) => row.uid));
      assert(!this.uids.has(patch.uid), 'a draft touches each row once');
      this.uids.add(patch.uid);
    }
    this.patches.push(patch);
    this.undos.push(undo);
  }
}

function patchOf(
  document: DocumentPatch | undefined,
  policy: Patch['policy'],
  groups: readonly GroupPatch[] | undefined,
  tasks: readonly TaskPatch[] | undefined,
): Patch {
  const patch: { -readonly [Field in keyof Patch]: Patch[Field] } = {};
  if (document) patch.document = document;
  if (policy) patch.policy = policy;
  if (groups) patch.groups = groups;
  if (tasks) patch.tasks = tasks;
  return patch;
}

/**
 * Splits fields to set into those that change something, as they will be (`patch`) and as they are (`undo`), each together
 * with what it begins with. False when none does.
 */
function splitFields(names: readonly string[], row: object, fields: object, patch: object, undo: object): boolean {
  let any = false;
  for (const name of names) {
    const value = (fields as Record<string, unknown>)[name];
    if (value === undefined) continue;
    const present = (row as Record<string, unknown>)[name] ?? null;
    if (sameValue(present, value)) continue;
    (patch as Record<string, unknown>)[name] = value;
    (undo as Record<string, unknown>)[name] = present;
    any = true;
  }
  return any;
}

const policyFields = ['inProgress', 'strictTerminal', 'fullListWrites'] as const;
const documentFields = ['title', 'content', 'author', 'status'] as const;
const groupFields = ['title', 'order', 'testsVerified', 'evidence'] as const;
const taskFields = ['group', 'order', 'description', 'status', 'startedBy', 'dependsOn', 'priority', 'labels'] as const;

/** Equality of field values: scalars, null, and lists of strings. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((entry, index) => entry === b[index]);
  }
  return a === b;
}
