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
  /** Where its Ack says its Change is, when that came before the Change did. */
  ack?: Position;
  /** Place among those decided; absent until then. */
  place?: number;
  /** Absent while the mutation is not in the plan: refused by the rules as they stand, or in need of history. */
  taken?: { readonly undo: Patch; readonly before: Mark };
}

/**
 * What the plan will be if the server accepts everything that is pending: the confirmed plan with the pending mutations
 * on top, decided by the same core as the server's. Pure but for the uids it asks for.
 *
 * One plan is kept in place: for a confirmed Change the pending mutations are taken back, newest first, the Change is
 * applied, and the rest of them are decided again. Where one is dropped, those after it are taken back and not decided
 * again before somebody looks: a thousand refusals in one frame cost one replay, not a thousand.
 */
export class OptimisticPlan {
  private readonly newUid: () => string;
  private current: Plan;
  private confirmedRevision: number;
  /** By mutationId, in the order they were made. */
  private readonly shown = new Map<string, Shown>();
  /** Those that were decided on the current plan, in the same order: the first so many of `shown`. */
  private readonly decided: Shown[] = [];

  constructor(snapshot: Snapshot, newUid: () => string) {
    this.newUid = newUid;
    this.current = Plan.fromSnapshot(snapshot);
    this.confirmedRevision = snapshot.revision;
  }

  /**
   * The same object until `reset`. Its revision is ahead of the confirmed one by the pending mutations it shows. After a
   * drop one that was kept lacks more than what was dropped, until the next `replay` or reading of this property.
   */
  get plan(): Plan {
    this.replay();
    return this.current;
  }

  get confirmed(): Position {
    return { epoch: this.current.epoch, revision: this.confirmedRevision };
  }

  /** Puts a mutation on top. Whether it is seen is for the rules to say; it may come to be seen, or go, later. */
  add(guess: Guess): void {
    // First, so that the last one is found without passing by all others.
    this.replay();
    const entry: Shown = { ...guess, uids: [] };
    this.shown.set(guess.mutationId, entry);
    this.decide(entry);
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
    for (const { mutationId } of fresh) this.shown.delete(mutationId);
    this.forgetReached();
    this.replay();
    return ok(fresh);
  }

  /** Starts anew from a snapshot; what is pending stays pending, on top of it. */
  reset(snapshot: Snapshot): void {
    // The old plan goes as it is: there is nothing to take back.
    for (const entry of this.decided.splice(0)) {
      delete entry.taken;
      delete entry.place;
    }
    this.current = Plan.fromSnapshot(snapshot);
    this.confirmedRevision = snapshot.revision;
    this.forgetReached();
    this.replay();
  }

  /**
   * The mutation was accepted, and its Change is there. It stays on top until the confirmed plan is as far. Tells whether
   * the plan may have changed by it.
   */
  acknowledge(mutationId: string, { epoch, revision }: Position): boolean {
    const entry = this.shown.get(mutationId);
    if (!entry) return false;
    entry.ack = { epoch, revision };
    return this.isReached(entry) && this.drop([mutationId]);
  }

  /** Takes mutations away that will not come: refused, or given up. Tells whether any was there. */
  drop(mutationIds: Iterable<string>): boolean {
    let found = false;
    for (const mutationId of mutationIds) {
      const entry = this.shown.get(mutationId);
      if (!entry) continue;
      found = true;
      if (entry.place !== undefined) this.rollBackTo(entry.place);
      this.shown.delete(mutationId);
    }
    return found;
  }

  /** Decides those again that were taken back and not dropped, for whoever kept the plan and looks at that. */
  replay(): void {
    if (this.decided.length === this.shown.size) return;
    for (const entry of this.shown.values()) {
      if (entry.place === undefined) this.decide(entry);
    }
  }

  private forgetReached(): void {
    for (const entry of this.shown.values()) {
      if (this.isReached(entry)) this.shown.delete(entry.mutationId);
    }
  }

  /** Revisions of two histories say nothing about each other: what another one accepted is not to come in this one. */
  private isReached({ ack }: Shown): boolean {
    return ack !== undefined && (ack.epoch !== this.current.epoch || ack.revision <= this.confirmedRevision);
  }

  /** Takes back what was decided from this place on. */
  private rollBackTo(place: number): void {
    while (this.decided.length > place) {
      const entry = this.decided.pop();
      if (entry?.taken) apply(this.current, entry.taken.undo, entry.taken.before);
      delete entry?.taken;
      delete entry?.place;
    }
  }

  private decide(entry: Shown): void {
    entry.place = this.decided.length;
    this.decided.push(entry);
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
    const { patch, undo } = decision.value;
    if (Object.keys(patch).length === 0) return;
    const before = markOf(plan);
    apply(plan, patch, { revision: plan.revision + 1, at: entry.at, actor: entry.actor });
    entry.taken = { undo, before };
  }
}

function follows(changes: readonly Change[], revision: number): boolean {
  return changes.every((change, index) => change.revision === revision + 1 + index);
}
