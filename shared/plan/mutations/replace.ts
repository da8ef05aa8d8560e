import { z } from 'zod';
import { apply, applyStep, markOf } from '../apply.ts';
import { arrange } from '../arrange.ts';
import { tasksAt } from '../base-rows.ts';
import { type Decision, Draft } from '../draft.ts';
import { cycles } from '../graph.ts';
import { limits } from '../limits.ts';
import { matchItems } from '../match-items.ts';
import { mergeFields } from '../merge.ts';
import { type Status, statuses, type Task, taskId, taskNumber } from '../model.ts';
import { orderAtEnd } from '../order.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { ok, type Result } from '../result.ts';
import { requireBase, requireDescription, requireTaskFields, requireText } from '../rules.ts';
import type { Stamp } from '../stamp.ts';
import { joinNames } from '../text.ts';
import {
  baseField,
  dependsOnField,
  groupReference,
  labelsField,
  priorityField,
  taskReference,
  textField,
  uidField,
} from './fields.ts';
import { defaultGroupTitle } from './task.ts';

const item = z.strictObject({
  /** Names the item for `dependsOn` of its siblings; not kept. */
  key: z.string().max(limits.dependencyIdBytesMax).optional(),
  /** The task it means, when the writer knows; else it is found by its text, then by its place. */
  task: taskReference.optional(),
  description: textField,
  /** Absent: `pending` for a new task, unchanged for one that is there. */
  status: z.enum(statuses).optional(),
  /** Ids of tasks or keys of siblings. */
  dependsOn: dependsOnField.optional(),
  /** Absent: where it is; a new one goes to the group of the item before it. */
  group: groupReference.optional(),
  priority: priorityField.optional(),
  labels: labelsField.optional(),
});

/**
 * A full-list write: the list as the writer wants it. It is merged with what others did since the writer last saw the plan,
 * which is `base` (the revision) and `shown` (the rows it was shown then; absent: all). Without a base the writer never saw
 * the plan: what it sends is added, and nothing is changed or removed.
 */
export const tasksReplace = z.strictObject({
  type: z.literal('tasks.replace'),
  items: z.array(item).max(limits.tasksPerRoomMax),
  base: baseField,
  shown: z.array(uidField).max(limits.tasksPerRoomMax).optional(),
});

export type TasksReplace = z.infer<typeof tasksReplace>;
type Item = z.infer<typeof item>;

/** What one item comes to: the task it is, or will be. */
interface Placed {
  readonly item: Item;
  readonly uid: string;
  readonly number: number;
  /** The row as the writer saw it, and as it is; a new task has neither, an unseen one no base, a removed one no current. */
  readonly base: Task | undefined;
  readonly current: Task | undefined;
}

export function decideReplace(plan: Plan, mutation: TasksReplace, stamp: Stamp): Result<Decision, Rejection> {
  const checked = checkItems(mutation.items);
  if (!checked.ok) return checked;
  const base = baseOf(plan, mutation, stamp);
  if (!base.ok) return base;
  const placed = placeItems(plan, mutation.items, base.value, stamp);
  if (!placed.ok) return placed;
  const writer = new ListWriter(plan, placed.value, base.value, stamp);
  return writer.decide(mutation.base ?? 0);
}

/** Order of the checks, and what they say, as the seed has it [S1]. */
function checkItems(items: readonly Item[]): Result<void, Rejection> {
  for (const [index, { description }] of items.entries()) {
    const text = requireDescription(description);
    if (!text.ok) return atItem(text.error, index);
  }
  const keys = new Set<string>();
  for (const [index, { key, group, dependsOn = [], labels = [], priority }] of items.entries()) {
    if (key !== undefined && /^task-[0-9]+$/.test(key)) {
      return atItem(
        {
          code: 'invalid',
          message: `The key '${key}' has the shape of a task id and would shadow a real one; choose another.`,
        },
        index,
      );
    }
    if (key !== undefined && keys.has(key)) {
      return atItem(
        { code: 'duplicate_key', message: `Duplicate key '${key}'; keys must be unique.`, facts: { key } },
        index,
      );
    }
    if (key !== undefined) keys.add(key);
    const title = requireText('group title', group ?? '', limits.groupTitleBytesMax, 'allowed');
    if (!title.ok) return atItem(title.error, index);
    const texts = requireTaskFields({ dependsOn, labels, priority });
    if (!texts.ok) return atItem(texts.error, index);
  }
  return ok(undefined);
}

function atItem(error: Rejection, index: number): { readonly ok: false; readonly error: Rejection } {
  return {
    ok: false,
    error: { ...error, message: `${error.message} (item ${index + 1})`, facts: { ...error.facts, item: index + 1 } },
  };
}

/** The rows the writer saw. Where the room lets full lists replace, it is taken to have seen everything. */
function baseOf(plan: Plan, mutation: TasksReplace, stamp: Stamp): Result<readonly Task[], Rejection> {
  const { base, shown } = mutation;
  if (plan.policy.fullListWrites === 'replace') return ok([...plan.tasks()]);
  if (base === undefined) return ok([]);
  const guard = requireBase(plan, base);
  if (!guard.ok) return guard;
  const tasks = tasksAt(plan, base, stamp.history);
  if (!tasks) {
    return rejection(
      'unknown_revision',
      `The history since revision ${base} is not there. Re-read the plan and retry.`,
      {
        expected: base,
        current: plan.revision,
      },
    );
  }
  if (!shown) return ok(tasks);
  const seen = new Set(shown);
  return ok(tasks.filter((task) => seen.has(task.uid)));
}

function placeItems(
  plan: Plan,
  items: readonly Item[],
  base: readonly Task[],
  stamp: Stamp,
): Result<readonly Placed[], Rejection> {
  const baseByUid = new Map(base.map((task) => [task.uid, task]));
  const named: (Task | undefined)[] = [];
  const seen = new Set<string>();
  for (const [index, { task: reference }] of items.entries()) {
    const task = reference === undefined ? undefined : findNamed(plan, base, reference);
    if (reference !== undefined && (!task || seen.has(task.uid))) {
      const message = task
        ? `Task '${reference}' stands in the list twice.`
        : `Task '${reference}' does not exist. Leave the id out for a new task, or List to see the ids.`;
      return atItem({ code: task ? 'duplicate_key' : 'task_not_found', message, facts: { task: reference } }, index);
    }
    if (task) seen.add(task.uid);
    named.push(task);
  }
  const foreign = [...plan.tasks()].filter((task) => !baseByUid.has(task.uid));
  const listed = items.map(({ description }, index) => ({ description, named: named[index] }));
  let next = plan.highestNumber;
  return ok(
    matchItems(listed, base, foreign, (task) => plan.task(task.uid)?.revision === task.revision).map((match, index) => {
      const current = match && plan.task(match.uid);
      const number = match?.number ?? ++next;
      const uid = match?.uid ?? stamp.newUid();
      return { item: items[index] as Item, uid, number, base: baseByUid.get(uid), current };
    }),
  );
}

/** An id means the task that had it when the writer looked, before it means the one that has it now. */
function findNamed(plan: Plan, base: readonly Task[], reference: string): Task | undefined {
  const number = taskNumber(reference);
  return base.find((task) => task.uid === reference || task.number === number) ?? plan.findTask(reference);
}

/** Writes the merged list into a draft. */
class ListWriter {
  private readonly plan: Plan;
  private readonly placed: readonly Placed[];
  private readonly base: readonly Task[];
  private readonly stamp: Stamp;
  private readonly draft: Draft;
  private readonly idByKey: ReadonlyMap<string, string>;
  /** uid -> fields to set; of rows that are there, and of new ones. */
  private readonly edits = new Map<string, Record<string, unknown>>();
  private readonly removed = new Set<string>();
  /** uid of a group -> uids in the order the writer wants. */
  private readonly wanted = new Map<string, string[]>();
  private readonly newGroups = new Map<string, string>();

  constructor(plan: Plan, placed: readonly Placed[], base: readonly Task[], stamp: Stamp) {
    this.plan = plan;
    this.placed = placed;
    this.base = base;
    this.stamp = stamp;
    this.draft = new Draft(plan);
    this.idByKey = new Map(
      placed.flatMap((each) => (each.item.key === undefined ? [] : [[each.item.key, taskId(each)]])),
    );
  }

  decide(baseRevision: number): Result<Decision, Rejection> {
    this.mergeItems();
    this.dropMissing(baseRevision);
    this.order();
    const room = this.requireRoom();
    if (!room.ok) return room;
    const started = this.requirePolicy();
    if (!started.ok) return started;
    this.write();
    const decision = this.draft.finish();
    return ok({ ...decision, nags: [...decision.nags, ...this.nagsAfter(decision)] });
  }

  private mergeItems(): void {
    let neighbour: string | undefined;
    for (const each of this.placed) {
      const { item, uid, base, current } = each;
      if (base && !current) {
        this.draft.nag(
          'merged',
          `'${taskId(base)}' (${quote(base)}) was removed by others since you last saw it, and stays removed.`,
        );
        continue;
      }
      const stated = { ...item, group: this.groupOf(item.group), dependsOn: this.resolve(item.dependsOn) };
      if (!current) {
        const group = stated.group ?? neighbour ?? this.firstGroup();
        this.addNew(each, group, stated.dependsOn);
        this.want(group, uid);
        neighbour = group;
        continue;
      }
      const { fields, remarks } = base
        ? mergeFields(base, current, stated, this.stamp.actor)
        : { fields: {}, remarks: unseenRemark(current, item) };
      for (const remark of remarks) this.draft.nag('merged', remark);
      this.edits.set(uid, { ...fields });
      neighbour = fields.group ?? current.group;
      // A row the writer did not see keeps its place.
      if (base) this.want(neighbour, uid);
    }
  }

  private addNew({ item, uid, number }: Placed, group: string, dependsOn: readonly string[] | undefined): void {
    const { description, status = 'pending', priority, labels } = item;
    this.edits.set(uid, {
      uid,
      number,
      group,
      description,
      ...(status !== 'pending' && { status }),
      ...(status === 'in_progress' && { startedBy: this.stamp.actor }),
      ...(dependsOn && dependsOn.length > 0 && { dependsOn }),
      ...(priority !== undefined && { priority }),
      ...(labels && labels.length > 0 && { labels }),
    });
  }

  /** A task the writer dropped goes only if nobody changed it since. */
  private dropMissing(baseRevision: number): void {
    const listed = new Set(this.placed.map((each) => each.uid));
    const replaces = this.plan.policy.fullListWrites === 'replace';
    for (const { uid } of this.base) {
      const current = this.plan.task(uid);
      if (!current || listed.has(uid)) continue;
      if (replaces || current.revision <= baseRevision) this.removed.add(uid);
      else
        this.draft.nag(
          'merged',
          `'${taskId(current)}' (${quote(current)}) is not in your list, but '${current.updatedBy}' changed it since you last saw it; it stays.`,
        );
    }
    const seen = new Set(this.base.map((task) => task.uid));
    for (const task of this.plan.tasks()) {
      if (seen.has(task.uid) || listed.has(task.uid)) continue;
      this.draft.nag(
        'merged',
        `'${taskId(task)}' (${quote(task)}) is not in your list because you had not seen it; it stays.`,
      );
    }
  }

  private order(): void {
    for (const [group, uids] of this.wanted) {
      const present = this.plan.tasksOf(group).filter(({ uid }) => !this.removed.has(uid) && !this.leaves(uid, group));
      for (const [uid, order] of arrange(present, uids)) this.edits.set(uid, { ...this.edits.get(uid), order });
    }
  }

  private leaves(uid: string, group: string): boolean {
    const to = this.edits.get(uid)?.group;
    return to !== undefined && to !== group;
  }

  private write(): void {
    let groups: readonly { readonly uid: string; readonly order: string }[] = this.plan.groups();
    for (const [title, uid] of this.newGroups) {
      const order = orderAtEnd(groups);
      groups = [...groups, { uid, order }];
      this.draft.addGroup({ uid, title, order });
    }
    for (const [uid, fields] of this.edits) {
      const task = this.plan.task(uid);
      if (task) this.draft.editTask(task, fields);
      else this.draft.addTask(fields as unknown as Task);
    }
    for (const uid of this.removed) {
      const task = this.plan.task(uid);
      if (task) this.draft.removeTask(task);
    }
  }

  private requireRoom(): Result<void, Rejection> {
    const { tasksPerRoomMax, groupsPerRoomMax } = limits;
    const tasks =
      this.plan.taskCount - this.removed.size + this.placed.filter((each) => !each.base && !each.current).length;
    const groups = this.plan.groupCount + this.newGroups.size;
    if (tasks <= tasksPerRoomMax && groups <= groupsPerRoomMax) return ok(undefined);
    const message = `The room would hold ${tasks} tasks in ${groups} groups; it may hold ${tasksPerRoomMax} in ${groupsPerRoomMax}.`;
    return rejection('limit_reached', message, { tasks, tasksPerRoomMax, groups, groupsPerRoomMax });
  }

  /** Whoever starts a task by this write must keep to the policy of the room, counting what it has in progress already. */
  private requirePolicy(): Result<void, Rejection> {
    const { inProgress } = this.plan.policy;
    const starts = [...this.edits.values()].some((fields) => fields.status === 'in_progress');
    if (inProgress === 'any' || !starts) return ok(undefined);
    const busy: number[] = [];
    for (const [uid, fields] of this.edits) {
      if (fields.status === 'in_progress') busy.push(this.plan.task(uid)?.number ?? (fields.number as number));
    }
    for (const task of this.plan.inProgress()) {
      const ends = this.removed.has(task.uid) || this.edits.get(task.uid)?.status !== undefined;
      if (!ends && (inProgress === 'one-per-plan' || task.startedBy === this.stamp.actor)) busy.push(task.number);
    }
    if (busy.length <= 1) return ok(undefined);
    const ids = busy.sort((a, b) => a - b).map((number) => taskId({ number }));
    const message = `Only one task at a time can be in progress (in_progress); with this list ${joinNames(ids)} would be. Complete or cancel one, or leave it pending.`;
    return rejection('busy', message, { busy: ids, policy: inProgress });
  }

  /** What can only be seen on the plan as it will be: it is applied for a look, and taken back. */
  private nagsAfter(decision: Decision): Decision['nags'] {
    const before = markOf(this.plan);
    const look = new Draft(this.plan);
    applyStep(this.plan, decision.patch, this.stamp);
    try {
      const stated = new Set(this.placed.flatMap((each) => (each.item.dependsOn ? [each.uid] : [])));
      for (const uid of stated) this.nagUnknown(uid, look);
      if (stated.size > 0) nagCycles(this.plan, look);
      for (const [uid, fields] of this.edits) if (fields.status === 'in_progress') nagOpen(this.plan, uid, look);
    } finally {
      apply(this.plan, decision.undo, before);
    }
    return look.finish().nags;
  }

  private nagUnknown(uid: string, look: Draft): void {
    const task = this.plan.task(uid);
    for (const dependency of task?.dependsOn ?? []) {
      if (!task || this.plan.findTask(dependency)) continue;
      look.nag(
        'unknown_dependency',
        `Dependency '${dependency}' of '${taskId(task)}' is neither the key of an item nor the id of a task; it is kept as written.`,
      );
    }
  }

  private resolve(dependsOn: readonly string[] | undefined): readonly string[] | undefined {
    return dependsOn?.map((dependency) => this.idByKey.get(dependency) ?? dependency);
  }

  private groupOf(reference: string | undefined): string | undefined {
    if (reference === undefined) return undefined;
    const known = this.plan.findGroup(reference)?.uid ?? this.newGroups.get(reference);
    if (known !== undefined) return known;
    const uid = this.stamp.newUid();
    this.newGroups.set(reference, uid);
    return uid;
  }

  private firstGroup(): string {
    return this.plan.groups()[0]?.uid ?? (this.groupOf(defaultGroupTitle) as string);
  }

  private want(group: string, uid: string): void {
    const uids = this.wanted.get(group);
    if (uids) uids.push(uid);
    else this.wanted.set(group, [uid]);
  }
}

/** A task that the writer sends without having seen it: it is taken for the one that is there, and left as it is. */
function unseenRemark(current: Task, { status }: { readonly status?: Status | undefined }): string[] {
  const differs = status !== undefined && status !== current.status;
  const as = differs ? ` It is ${current.status}, and stays so; you sent ${status}.` : '';
  return [`'${taskId(current)}' (${quote(current)}) was there before you saw the plan; it is not added again.${as}`];
}

function nagCycles(plan: Plan, look: Draft): void {
  for (const [first, ...others] of cycles(plan)) {
    if (!first) continue;
    const chain = others.length > 0 ? `with ${joinNames(others.map(taskId))}` : 'on itself';
    look.nag('dependency_cycle', `'${taskId(first)}' is part of a circular chain of dependencies ${chain}.`);
  }
}

function nagOpen(plan: Plan, uid: string, look: Draft): void {
  const task = plan.task(uid);
  for (const dependency of task?.dependsOn ?? []) {
    const other = plan.findTask(dependency);
    if (!task || !other || other.status === 'completed') continue;
    look.nag(
      'dependency_open',
      `'${taskId(task)}' is in progress but depends on '${dependency}', which is ${other.status}.`,
    );
  }
}

function quote(task: Task): string {
  const text = task.description.slice(0, 60);
  return text === task.description ? `"${text}"` : `"${text}…"`;
}
