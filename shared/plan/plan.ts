import type { Group, PlanDocument, Policy, Snapshot, Status, Task } from './model.ts';
import { defaultPolicy, emptyDocument, taskNumber } from './model.ts';
import { SortedRows } from './sorted-rows.ts';

/**
 * One plan in memory, with the indexes that make a mutation cost the same at 100 tasks and at 10,000.
 * Everyone may read; only `apply` writes (through `rows`), so there is one place where a plan changes.
 */
export class Plan {
  readonly room: string;
  readonly epoch: string;
  /** @internal Tables and indexes; for `apply` alone. */
  readonly rows: PlanRows;

  constructor(room: string, epoch: string) {
    this.room = room;
    this.epoch = epoch;
    this.rows = new PlanRows();
  }

  get revision(): number {
    return this.rows.revision;
  }
  get updatedAt(): string {
    return this.rows.updatedAt;
  }
  get policy(): Policy {
    return this.rows.policy;
  }
  get document(): PlanDocument {
    return this.rows.document;
  }
  get taskCount(): number {
    return this.rows.tasks.size;
  }
  get groupCount(): number {
    return this.rows.groups.size;
  }
  /** Of all tasks together, repeats included. */
  get dependencyCount(): number {
    return this.rows.dependencyCount;
  }
  /** Highest live number, 0 without tasks. */
  get highestNumber(): number {
    return this.rows.highestNumber;
  }

  /** Groups in list order. */
  groups(): readonly Group[] {
    return this.rows.groupOrder.all();
  }
  group(uid: string): Group | undefined {
    return this.rows.groups.get(uid);
  }
  /** The group with this uid, else the first one in list order with exactly this title. */
  findGroup(uidOrTitle: string): Group | undefined {
    const byUid = this.rows.groups.get(uidOrTitle);
    if (byUid) return byUid;
    return this.rows.groupsByTitle.get(uidOrTitle)?.first();
  }

  task(uid: string): Task | undefined {
    return this.rows.tasks.get(uid);
  }
  taskByNumber(number: number): Task | undefined {
    const uid = this.rows.uidByNumber.get(number);
    return uid === undefined ? undefined : this.rows.tasks.get(uid);
  }
  /** The task with this uid or with this id (`task-7`). */
  findTask(reference: string): Task | undefined {
    const byUid = this.rows.tasks.get(reference);
    if (byUid) return byUid;
    const number = taskNumber(reference);
    return number === undefined ? undefined : this.taskByNumber(number);
  }
  /** Tasks of one group in list order. */
  tasksOf(groupUid: string): readonly Task[] {
    return this.rows.tasksByGroup.get(groupUid)?.all() ?? [];
  }
  /** All tasks in list order: group by group. */
  *tasks(): Generator<Task> {
    for (const group of this.groups()) yield* this.tasksOf(group.uid);
  }

  /** Tasks in progress, of one actor or of all, in list order: an order that every copy of the plan agrees on. */
  inProgress(startedBy?: string): readonly Task[] {
    const found: Task[] = [];
    for (const uid of this.rows.inProgress) {
      const task = this.rows.tasks.get(uid);
      if (task && (startedBy === undefined || task.startedBy === startedBy)) found.push(task);
    }
    return found.sort((a, b) => this.compareTasks(a, b));
  }

  /** Tasks that name one of these references (a uid or `task-7`) as a dependency, in list order, each once. */
  dependents(...references: readonly string[]): readonly Task[] {
    const found = new Map<string, Task>();
    for (const reference of references) {
      for (const uid of this.rows.dependents.get(reference) ?? []) {
        const task = this.rows.tasks.get(uid);
        if (task) found.set(uid, task);
      }
    }
    return [...found.values()].sort((a, b) => this.compareTasks(a, b));
  }

  /** List order of two tasks. */
  compareTasks(a: Task, b: Task): number {
    if (a.group !== b.group) {
      const left = this.rows.groups.get(a.group);
      const right = this.rows.groups.get(b.group);
      if (left && right) return compareRows(left, right);
    }
    return compareRows(a, b);
  }

  countByStatus(): Readonly<Record<Status, number>> {
    return this.rows.countByStatus;
  }

  toSnapshot(): Snapshot {
    return {
      room: this.room,
      epoch: this.epoch,
      revision: this.revision,
      updatedAt: this.updatedAt,
      policy: this.policy,
      document: this.document,
      groups: [...this.groups()],
      tasks: [...this.tasks()],
    };
  }

  /** A plan with exactly these rows. The snapshot must be a valid one: it was written by this code. */
  static fromSnapshot(snapshot: Snapshot): Plan {
    const plan = new Plan(snapshot.room, snapshot.epoch);
    const { rows } = plan;
    rows.revision = snapshot.revision;
    rows.updatedAt = snapshot.updatedAt;
    rows.policy = snapshot.policy;
    rows.document = snapshot.document;
    for (const group of snapshot.groups) rows.putGroup(group);
    for (const task of snapshot.tasks) rows.putTask(task);
    return plan;
  }
}

/** Order of rows: fractional index by code unit, ties by uid. */
export function compareRows(
  a: { readonly order: string; readonly uid: string },
  b: { readonly order: string; readonly uid: string },
): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0;
}

/** Tables and indexes of a plan. Each row goes in and out through `put…` and `drop…`, which keep every index right. */
class PlanRows {
  revision = 0;
  updatedAt = '';
  policy: Policy = defaultPolicy;
  document: PlanDocument = emptyDocument;
  highestNumber = 0;
  dependencyCount = 0;
  readonly groups = new Map<string, Group>();
  readonly tasks = new Map<string, Task>();
  readonly groupOrder = new SortedRows<Group>(compareRows);
  readonly groupsByTitle = new Map<string, SortedRows<Group>>();
  readonly tasksByGroup = new Map<string, SortedRows<Task>>();
  readonly uidByNumber = new Map<number, string>();
  readonly inProgress = new Set<string>();
  /** dependency as written -> uids of the tasks that name it */
  readonly dependents = new Map<string, Set<string>>();
  readonly countByStatus: Record<Status, number> = { pending: 0, in_progress: 0, completed: 0, cancelled: 0 };

  putGroup(group: Group): void {
    this.dropGroup(group.uid);
    this.groups.set(group.uid, group);
    this.groupOrder.insert(group);
    const sameTitle = this.groupsByTitle.get(group.title);
    if (sameTitle) sameTitle.insert(group);
    else this.groupsByTitle.set(group.title, new SortedRows<Group>(compareRows, [group]));
  }

  dropGroup(uid: string): void {
    const group = this.groups.get(uid);
    if (!group) return;
    this.groups.delete(uid);
    this.groupOrder.remove(group);
    const sameTitle = this.groupsByTitle.get(group.title);
    sameTitle?.remove(group);
    if (sameTitle?.size === 0) this.groupsByTitle.delete(group.title);
  }

  putTask(task: Task): void {
    const before = this.tasks.get(task.uid);
    if (before) this.unindexTask(before, task);
    this.tasks.set(task.uid, task);
    this.indexTask(task, before);
  }

  dropTask(uid: string): void {
    const task = this.tasks.get(uid);
    if (!task) return;
    this.unindexTask(task, undefined);
    this.tasks.delete(uid);
  }

  private indexTask(task: Task, before: Task | undefined): void {
    this.countByStatus[task.status] += 1;
    if (task.status === 'in_progress') this.inProgress.add(task.uid);
    if (before?.number !== task.number) {
      this.uidByNumber.set(task.number, task.uid);
      if (task.number > this.highestNumber) this.highestNumber = task.number;
    }
    if (before?.dependsOn !== task.dependsOn) {
      this.dependencyCount += task.dependsOn.length;
      for (const dependency of task.dependsOn) {
        const uids = this.dependents.get(dependency);
        if (uids) uids.add(task.uid);
        else this.dependents.set(dependency, new Set([task.uid]));
      }
    }
    const siblings = this.tasksByGroup.get(task.group);
    if (!siblings) this.tasksByGroup.set(task.group, new SortedRows<Task>(compareRows, [task]));
    else if (before && before.group === task.group && before.order === task.order) siblings.replace(task);
    else siblings.insert(task);
  }

  private unindexTask(task: Task, after: Task | undefined): void {
    this.countByStatus[task.status] -= 1;
    if (after?.status !== 'in_progress') this.inProgress.delete(task.uid);
    if (after?.number !== task.number && this.uidByNumber.get(task.number) === task.uid) {
      this.uidByNumber.delete(task.number);
      while (this.highestNumber > 0 && !this.uidByNumber.has(this.highestNumber)) this.highestNumber -= 1;
    }
    if (after?.dependsOn !== task.dependsOn) {
      this.dependencyCount -= task.dependsOn.length;
      for (const dependency of task.dependsOn) {
        const uids = this.dependents.get(dependency);
        uids?.delete(task.uid);
        if (uids?.size === 0) this.dependents.delete(dependency);
      }
    }
    if (after && after.group === task.group && after.order === task.order) return;
    const siblings = this.tasksByGroup.get(task.group);
    siblings?.remove(task);
    if (siblings?.size === 0) this.tasksByGroup.delete(task.group);
  }
}
