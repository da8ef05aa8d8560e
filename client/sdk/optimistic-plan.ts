import { apply, markOf } from '../../shared/plan/apply.ts';
import type { Change, Mark, Patch } from '../../shared/plan/change.ts';
import { decide, historyNeeded } from '../../shared/plan/decide.ts';
import type { Snapshot } from '../../shared/plan/model.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { Plan } from '../../shared/plan/plan.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';

/** A place in the history of a room. */
export interface Position {
  readonly epoch: string;
  readonly revision: number;
}

/** A mutation that is shown before the server confirmed it. */
export interface Guess {
  readonly mutationId: string;
  readonly mutation: Mutation;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly actor: string;
}

interface Shown extends Guess {
  /** Uids it made up so far: decided again, it makes the same rows. */
  readonly uids: string[];
  /** Revision of its Ack, when that came before the Change did. */
  ackRevision?: number;
  /** Absent while the mutation is not in the plan: refused by the rules as they stand, or in need of history. */
  taken?: { readonly undo: Patch; readonly before: Mark };
}

/**
 * What the plan will be if the server accepts everything that is pending: the confirmed plan with the pending mutations
 * on top, decided by the same core as the server's. Pure but for the uids it asks for.
 *
 * One plan is kept in place: for a confirmed Change the pending mutations are taken back, newest first, the Change is
 * applied, and the rest of them are decided again.
 */
export class OptimisticPlan {
  private readonly newUid: () => string;
  private current: Plan;
  private confirmedRevision: number;
  private shown: Shown[] = [];

  constructor(snapshot: Snapshot, newUid: () => string) {
    this.newUid = newUid;
    this.current = Plan.fromSnapshot(snapshot);
    this.confirmedRevision = snapshot.revision;
  }

  /** The same object until `reset`. Its revision is ahead of the confirmed one by the pending mutations it shows. */
  get plan(): Plan {
    return this.current;
  }

  get confirmed(): Position {
    return { epoch: this.current.epoch, revision: this.confirmedRevision };
  }

  /** Puts a mutation on top. Whether it is seen is for the rules to say; it may come to be seen, or go, later. */
  add(guess: Guess): void {
    const entry: Shown = { ...guess, uids: [] };
    this.shown.push(entry);
    this.take(entry);
  }

  /**
   * Takes confirmed Changes in; those known already are left out. Gives the new ones. `gap`: the first does not follow
   * on what is here, and nothing was taken in.
   */
  confirm(epoch: string, changes: readonly Change[]): Result<readonly Change[], 'gap'> {
    const fresh = changes.filter((change) => change.revision > this.confirmedRevision);
    if (epoch !== this.current.epoch || !follows(fresh, this.confirmedRevision)) return err('gap');
    if (fresh.length === 0) return ok(fresh);
    this.rollBackTo(0);
    for (const change of fresh) apply(this.current, change.patch, change);
    this.confirmedRevision = this.current.revision;
    const done = new Set(fresh.map((change) => change.mutationId));
    this.shown = this.shown.filter((entry) => !done.has(entry.mutationId) && !this.reached(entry));
    this.replayFrom(0);
    return ok(fresh);
  }

  /** Starts anew from a snapshot; what is pending stays pending, on top of it. */
  reset(snapshot: Snapshot): void {
    for (const entry of this.shown) delete entry.taken;
    this.current = Plan.fromSnapshot(snapshot);
    this.confirmedRevision = snapshot.revision;
    this.shown = this.shown.filter((entry) => !this.reached(entry));
    this.replayFrom(0);
  }

  /**
   * The mutation was accepted at this revision. It stays on top until the confirmed plan is as far. Tells whether the
   * plan may have changed by it.
   */
  acknowledge(mutationId: string, revision: number): boolean {
    if (revision <= this.confirmedRevision) return this.drop(new Set([mutationId]));
    const entry = this.shown.find((each) => each.mutationId === mutationId);
    if (entry) entry.ackRevision = revision;
    return false;
  }

  /** Takes mutations away that will not come: refused, or given up. Tells whether any was there. */
  drop(mutationIds: ReadonlySet<string>): boolean {
    const first = this.shown.findIndex((entry) => mutationIds.has(entry.mutationId));
    if (first < 0) return false;
    this.rollBackTo(first);
    this.shown = this.shown.filter((entry) => !mutationIds.has(entry.mutationId));
    this.replayFrom(first);
    return true;
  }

  private reached({ ackRevision }: Shown): boolean {
    return ackRevision !== undefined && ackRevision <= this.confirmedRevision;
  }

  private rollBackTo(index: number): void {
    for (let at = this.shown.length - 1; at >= index; at -= 1) {
      const entry = this.shown[at];
      if (!entry?.taken) continue;
      apply(this.current, entry.taken.undo, entry.taken.before);
      delete entry.taken;
    }
  }

  private replayFrom(index: number): void {
    for (const entry of this.shown.slice(index)) this.take(entry);
  }

  private take(entry: Shown): void {
    const plan = this.current;
    if (historyNeeded(plan, entry.mutation)) return;
    let used = 0;
    const newUid = (): string => {
      const uid = entry.uids[used] ?? this.newUid();
      entry.uids[used] = uid;
      used += 1;
      return uid;
    };
    const decision = decide(plan, entry.mutation, { at: entry.at, actor: entry.actor, newUid });
    if (!decision.ok) return;
    const { patch } = decision.value;
    if (Object.keys(patch).length === 0) return;
    const undo = withBodySize(plan, decision.value.undo);
    const before = markOf(plan);
    apply(plan, patch, { revision: plan.revision + 1, at: entry.at, actor: entry.actor });
    entry.taken = { undo, before };
  }
}

function follows(changes: readonly Change[], revision: number): boolean {
  return changes.every((change, index) => change.revision === revision + 1 + index);
}

/** A body that was too large to broadcast is here only as its size, which an undo made by the core does not speak of. */
function withBodySize(plan: Plan, undo: Patch): Patch {
  const { contentBytes } = plan.document;
  if (contentBytes === undefined || undo.document?.content === undefined) return undo;
  return { ...undo, document: { ...undo.document, contentBytes } };
}
