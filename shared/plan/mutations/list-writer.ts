import { arrange, isRising } from '../arrange.ts';
import { type Decision, Draft } from '../draft.ts';
import { busyIds, refuseBusy, refuseTerminal, type Start, startClash } from '../in-progress.ts';
import { limits } from '../limits.ts';
import { mergeFields, type StatedFields } from '../merge.ts';
import { isSameTask, type Policy, type Task, taskId, taskNumber } from '../model.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { ok, type Result } from '../result.ts';
import type { Stamp } from '../stamp.ts';
import { joinNames } from '../text.ts';
import { ListGroups } from './list-groups.ts';
import type { Placed, Seen } from './list-item.ts';
import { ListNags } from './list-nags.ts';

/** Fields of one row as the list leaves it; for a new row all of them. */
type Edit = Record<string, unknown>;

/** What `tasks.replace` says beside its items. */
export interface ListOptions {
  /** The writer may have more than one task in progress, unless the policy is one for the whole plan. */
  readonly several?: boolean | undefined;
  readonly groups?: readonly string[] | undefined;
}

/** Merges the items of a full-list write, whose tasks are found, into a draft. For one use. */
export class ListWriter {
  private readonly plan: Plan;
  private readonly placed: readonly Placed[];
  private readonly seen: Seen;
  private readonly stamp: Stamp;
  private readonly draft: Draft;
  private readonly nags: ListNags;
  private readonly idByKey: ReadonlyMap<string, string>;
  /** Where in the list the writer saw each task. */
  private readonly places: ReadonlyMap<string, number>;
  private readonly groups: ListGroups;
  private readonly edits = new Map<string, Edit>();
  private readonly removed = new Set<string>();
  /** uid of a group -> uids of its tasks in the order the writer wants; groups in the order they first come. */
  private readonly wanted = new Map<string, string[]>();

  constructor(plan: Plan, placed: readonly Placed[], seen: Seen, stamp: Stamp) {
    this.plan = plan;
    this.placed = placed;
    this.seen = seen;
    this.stamp = stamp;
    this.draft = new Draft(plan);
    this.nags = new ListNags(plan);
    this.places = new Map([...seen.all.keys()].map((uid, place) => [uid, place]));
    this.groups = new ListGroups(plan, seen.groups, stamp.newUid);
    this.idByKey = new Map(
      placed.flatMap(({ item, number, base, current }) =>
        item.key === undefined || (base && !current) ? [] : [[item.key, taskId({ number })]],
      ),
    );
  }

  decide(options: ListOptions): Result<Decision, Rejection> {
    this.mergeItems();
    for (const title of options.groups ?? []) this.groups.wants(title);
    this.dropMissing();
    const room = this.requireRoom();
    if (!room.ok) return room;
    const started = this.requirePolicy(options.several === true);
    if (!started.ok) return started;
    this.orderTasks();
    this.writeGroups(options.groups !== undefined);
    this.write();
    const decision = this.draft.finish();
    const startedUids = [...this.edits].flatMap(([uid, { status }]) => (status === 'in_progress' ? [uid] : []));
    this.nags.lookAhead(decision, this.stamp, this.placed, startedUids);
    return ok({ ...decision, nags: this.nags.finish() });
  }

  private mergeItems(): void {
    const groupAfter = this.groupsOfNextKnown();
    let neighbour: string | undefined;
    this.placed.forEach((each, index) => {
      const { item, uid, base, current } = each;
      if (base && !current) {
        this.nags.removed(base);
        return;
      }
      const stated = { ...item, group: this.groups.groupOf(item.group, base?.group), dependsOn: this.resolve(each) };
      if (!current) {
        neighbour = stated.group ?? neighbour ?? groupAfter[index] ?? this.groups.first();
        this.addNew(each, neighbour, stated);
        this.want(neighbour, uid);
        return;
      }
      if (!base) {
        // A row the writer did not see keeps its place and its fields.
        this.nags.unseen(current, item.status);
        neighbour = current.group;
        return;
      }
      const labels = stated.labels?.length === 0 ? null : stated.labels;
      const { fields, remarks } = mergeFields(base, current, { ...stated, labels }, this.stamp.actor);
      for (const remark of remarks) this.nags.merged(remark);
      this.edits.set(uid, { ...fields });
      neighbour = fields.group ?? current.group;
      // In a group that others have put it into, it stands where they put it.
      if (fields.group !== undefined || current.group === base.group) this.want(neighbour, uid);
    });
  }

  /** For each item the group of the next task that is there already. */
  private groupsOfNextKnown(): readonly (string | undefined)[] {
    const groups: (string | undefined)[] = [];
    let next: string | undefined;
    for (let index = this.placed.length - 1; index >= 0; index -= 1) {
      groups[index] = next;
      next = this.placed[index]?.current?.group ?? next;
    }
    return groups;
  }

  private addNew({ item, uid, number }: Placed, group: string, { dependsOn }: StatedFields): void {
    const { description, status = 'pending', priority, labels } = item;
    this.edits.set(uid, {
      uid,
      number,
      group,
      description,
      ...(status !== 'pending' && { status }),
      ...(status === 'in_progress' && { startedBy: this.stamp.actor }),
      ...(dependsOn && dependsOn.length > 0 && { dependsOn }),
      ...(typeof priority === 'string' && { priority }),
      ...(labels && labels.length > 0 && { labels }),
    });
  }

  /**
   * A task the writer dropped goes only if nobody changed it since, and nobody else has it in progress. What came later, it
   * cannot have dropped.
   */
  private dropMissing(): void {
    const listed = new Set(this.placed.map((each) => each.uid));
    for (const task of this.seen.shown) {
      const { uid, revision } = task;
      const current = this.plan.task(uid);
      if (!current || listed.has(uid) || !isSameTask(task, current)) continue;
      if (this.isOthersWork(current)) this.nags.keptBusy(current);
      else if (current.revision === revision) this.removed.add(uid);
      else this.nags.keptChanged(current);
    }
    const unknown = [...this.plan.tasks()].filter(
      (task) => !isSameTask(task, this.seen.all.get(task.uid)) && !listed.has(task.uid),
    );
    this.nags.keptUnknown(unknown, this.seen.revision !== undefined);
  }

  /** Where lists replace, they replace that too. */
  private isOthersWork({ status, startedBy }: Task): boolean {
    const replaces = this.plan.policy.fullListWrites === 'replace';
    return status === 'in_progress' && startedBy !== this.stamp.actor && !replaces;
  }

  private requireRoom(): Result<void, Rejection> {
    const { tasksPerRoomMax, groupsPerRoomMax } = limits;
    const added = this.placed.filter((each) => !each.base && !each.current).length;
    const tasks = this.plan.taskCount - this.removed.size + added;
    const groups = this.plan.groupCount + this.groups.addedCount;
    const moreTasks = tasks > tasksPerRoomMax && added > 0;
    const moreGroups = groups > groupsPerRoomMax && this.groups.addedCount > 0;
    if (!moreTasks && !moreGroups) return ok(undefined);
    const message = `The room would hold ${tasks} tasks in ${groups} groups; it may hold ${tasksPerRoomMax} in ${groupsPerRoomMax}.`;
    return rejection('limit_reached', message, { tasks, tasksPerRoomMax, groups, groupsPerRoomMax });
  }

  /** Whoever starts a task by this write must keep to the policy of the room, counting what it has in progress already. */
  private requirePolicy(several: boolean): Result<void, Rejection> {
    const { plan } = this;
    const { inProgress } = plan.policy;
    const policy: Policy =
      several && inProgress === 'one-per-actor' ? { ...plan.policy, inProgress: 'any' } : plan.policy;
    const starts: Start[] = [];
    for (const [uid, { status, number }] of this.edits) {
      const task = plan.task(uid);
      const start = { uid, number: task?.number ?? (number as number), actor: this.stamp.actor, from: task?.status };
      if (status === 'in_progress') starts.push(start);
    }
    const ends = ({ uid }: Task): boolean => this.removed.has(uid) || this.edits.get(uid)?.status !== undefined;
    const clash = startClash(plan, policy, starts, ends);
    if (!clash) return ok(undefined);
    if (clash.type === 'terminal') return refuseTerminal(clash.start, clash.status);
    const ids = busyIds(clash);
    const message = `Only one task at a time can be in progress (in_progress); with this list ${joinNames(ids)} would be. Complete or cancel one, or leave it pending.`;
    return refuseBusy(message, ids, plan.policy);
  }

  private orderTasks(): void {
    for (const [group, uids] of this.wanted) {
      const present = this.plan.tasksOf(group).filter(({ uid }) => !this.removed.has(uid) && !this.leaves(uid, group));
      const place = (uid: string): number | undefined =>
        this.edits.get(uid)?.group === undefined ? this.places.get(uid) : undefined;
      for (const [uid, order] of arrange(present, uids, place)) this.edits.set(uid, { ...this.edits.get(uid), order });
    }
  }

  private leaves(uid: string, group: string): boolean {
    const to = this.edits.get(uid)?.group;
    return to !== undefined && to !== group;
  }

  /** `whole`: the list says which groups there are, not only in which groups its tasks are. */
  private writeGroups(whole: boolean): void {
    const rising = isRising(this.placed.map(({ uid }) => this.places.get(uid)));
    if (!this.groups.standTogether && !rising) {
      this.nags.merged('Tasks of one group stand apart in your list; each stays with its group, in your order there.');
    }
    const isEmpty = (uid: string): boolean =>
      !this.wanted.get(uid)?.length &&
      this.plan.tasksOf(uid).every((task) => this.removed.has(task.uid) || this.leaves(task.uid, uid));
    this.groups.write(this.draft, whole ? isEmpty : undefined);
  }

  private write(): void {
    for (const [uid, fields] of this.edits) {
      const task = this.plan.task(uid);
      if (task) this.draft.editTask(task, fields);
      else this.draft.addTask(fields as unknown as Parameters<Draft['addTask']>[0]);
    }
    for (const uid of this.removed) {
      const task = this.plan.task(uid);
      if (task) this.draft.removeTask(task);
    }
  }

  /** Keys become ids. An id that had another task when the writer looked would point to a wrong one, and is left out. */
  private resolve({ item, number }: Placed): readonly string[] | undefined {
    return item.dependsOn?.flatMap((dependency) => {
      const sibling = this.idByKey.get(dependency);
      if (sibling !== undefined) return sibling;
      const numbered = taskNumber(dependency) ?? 0;
      const then = this.seen.uidByNumber.get(numbered);
      const now = this.plan.taskByNumber(numbered)?.uid;
      if (then === undefined || now === undefined || then === now) return dependency;
      this.nags.reused(taskId({ number }), dependency);
      return [];
    });
  }

  private want(group: string, uid: string): void {
    this.groups.comes(group);
    const uids = this.wanted.get(group);
    if (uids) uids.push(uid);
    else this.wanted.set(group, [uid]);
  }
}
