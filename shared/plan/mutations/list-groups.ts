import { arrange } from '../arrange.ts';
import type { Draft } from '../draft.ts';
import type { Group } from '../model.ts';
import type { Plan } from '../plan.ts';
import { defaultGroupTitle } from './task.ts';

/** The groups of a full-list write: which a title means, which are new, and in what order they stand. For one use. */
export class ListGroups {
  private readonly plan: Plan;
  /** As the writer saw them. */
  private readonly seen: readonly Group[];
  private readonly newUid: () => string;
  private readonly seenByTitle = new Map<string, readonly Group[]>();
  /** title -> uid */
  private readonly added = new Map<string, string>();
  /** uids of groups, as the items come; the same group twice in a row is one. */
  private readonly runs: string[] = [];
  private readonly wanted = new Set<string>();

  constructor(plan: Plan, seen: readonly Group[], newUid: () => string) {
    this.plan = plan;
    this.seen = seen;
    this.newUid = newUid;
    for (const group of seen) {
      this.seenByTitle.set(group.title, [...(this.seenByTitle.get(group.title) ?? []), group]);
    }
  }

  get addedCount(): number {
    return this.added.size;
  }

  /** Whether the items of each group stand together: else the list says nothing about the order of groups. */
  get standTogether(): boolean {
    return new Set(this.runs).size === this.runs.length;
  }

  /** uid of the group a title means; a group that was renamed since is meant by the title it had. */
  groupOf(reference: string | undefined, baseGroup: string | undefined): string | undefined {
    if (reference === undefined) return undefined;
    const then = this.seenByTitle.get(reference) ?? [];
    if (then.some((group) => group.uid === baseGroup)) return baseGroup;
    const renamed = then.find((group) => this.plan.group(group.uid));
    const known = renamed?.uid ?? this.plan.findGroup(reference)?.uid ?? this.added.get(reference);
    if (known !== undefined) return known;
    const uid = this.newUid();
    this.added.set(reference, uid);
    return uid;
  }

  /** Where tasks go that name no group and have no neighbour. */
  first(): string {
    return this.plan.groups()[0]?.uid ?? (this.groupOf(defaultGroupTitle, undefined) as string);
  }

  /** An item of this group comes next. */
  comes(group: string): void {
    if (this.runs[this.runs.length - 1] !== group) this.runs.push(group);
  }

  /** The group shall be there, with or without tasks. */
  wants(title: string): void {
    const uid = this.groupOf(title, undefined) as string;
    this.wanted.add(uid);
    if (!this.runs.includes(uid)) this.runs.push(uid);
  }

  /**
   * New groups, and the order of all. `isEmpty` is given when the list says which groups there are: the writer's others
   * go if nothing is left in them, and those it names are as new, with their tests to be verified again.
   */
  write(draft: Draft, isEmpty: ((uid: string) => boolean) | undefined): void {
    const places = new Map(this.seen.map((group, place) => [group.uid, place]));
    const isNew = new Set(this.added.values());
    const listed = this.standTogether ? this.runs : [...isNew];
    const orders = arrange(
      this.plan.groups(),
      listed.filter((uid) => isNew.has(uid) || places.has(uid)),
      (uid) => places.get(uid),
    );
    for (const [title, uid] of this.added) draft.addGroup({ uid, title, order: orders.get(uid) as string });
    for (const group of this.plan.groups()) {
      const { uid } = group;
      const order = orders.get(uid);
      if (isEmpty && places.has(uid) && !this.wanted.has(uid) && isEmpty(uid)) draft.removeGroup(group);
      else if (isEmpty && this.wanted.has(uid)) draft.editGroup(group, { order, testsVerified: false, evidence: null });
      else draft.editGroup(group, { order });
    }
  }
}
