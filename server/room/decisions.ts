import { historyNeeded } from '../../shared/plan/decide.ts';
import type { Store } from '../store/store.ts';
import { failed, rejected, repeatedAnswer } from './answers.ts';
import type { CommitQueue, Request } from './commit-queue.ts';
import { DecisionPast } from './decision-past.ts';
import type { Gate } from './gate.ts';
import { HistoryLane } from './history-lane.ts';
import type { Outcome, Submission } from './outcome.ts';
import type { Plans } from './plans.ts';
import type { RoomHistory } from './room-history.ts';

/** What decisions ask of their room. */
export interface DecisionHost {
  readonly name: string;
  readonly plans: Plans;
  readonly past: RoomHistory;
  readonly queue: CommitQueue;
  readonly gate: Gate;
  readonly store: Store;
  /** ISO 8601 UTC. */
  readonly now: () => string;
  readonly newUid: () => string;
  readonly isDeleted: () => boolean;
  /** Told of a bug of ours. */
  readonly onFault: (error: unknown) => void;
}

/** Decides what is submitted, one after the other: at once where it can be, else when the history it needs is there. */
export class Decisions {
  private readonly host: DecisionHost;
  private readonly lane: HistoryLane;

  constructor(host: DecisionHost) {
    this.host = host;
    this.lane = new HistoryLane({
      gate: host.gate,
      pastFor: (request) => this.pastFor(request),
      decide: (request, past) => this.guard(request, () => this.decide(request, past)),
      onFault: host.onFault,
    });
  }

  enter(request: Request): void {
    this.guard(request, () => this.enterGate(request));
  }

  /** Decides requests anew, in order, before any that have not been decided yet. */
  again(requests: readonly Request[]): void {
    const later: Request[] = [];
    const actors = new Set<string>();
    for (const request of requests) {
      this.guard(request, () => {
        const { actor } = request.submission;
        if (!actors.has(actor) && this.decideNow(request)) return;
        actors.add(actor);
        later.push(request);
      });
    }
    this.lane.addFirst(later);
  }

  /** A bug of ours that a mutation brings to light costs that mutation, not the room. */
  private guard(request: Request, work: () => void): void {
    try {
      work();
    } catch (error) {
      request.answer({ type: 'fault' });
      this.host.onFault(error);
    }
  }

  private enterGate(request: Request): void {
    const { opening } = this.host.gate;
    if (opening) void opening.then(() => this.enter(request));
    else if (this.lane.holds(request.submission.actor) || !this.decideNow(request)) this.lane.add(request);
  }

  /** False, and nothing is decided: it needs history that is not in memory. */
  private decideNow(request: Request): boolean {
    const past = this.pastFor(request);
    if (past && !past.takeHeld()) return false;
    this.decide(request, past);
    return true;
  }

  private pastFor({ submission }: Request): DecisionPast | undefined {
    const { plans, past, queue } = this.host;
    const needed = historyNeeded(plans.pending, submission.mutation);
    return needed && new DecisionPast(needed, past, () => queue.undurable());
  }

  private decide(request: Request, past: DecisionPast | undefined): void {
    const { submission } = request;
    const { plans, queue, now, newUid } = this.host;
    const early = this.answerWithoutDeciding(submission);
    if (early) {
      queue.push({ request, outcome: early });
      return;
    }
    const decided = plans.decide(submission, { at: now(), actor: submission.actor, newUid, ...past?.forStamp() });
    if ('type' in decided) queue.push({ request, outcome: this.unlessRepeated(submission, decided) });
    else queue.push({ request, undurable: decided });
  }

  private answerWithoutDeciding(submission: Submission): Outcome | undefined {
    const { name, plans, past, isDeleted } = this.host;
    const { epoch, revision } = plans.durable;
    const another = submission.epoch !== undefined && submission.epoch !== epoch;
    if (isDeleted() || another) {
      const message = `Room '${name}' was deleted, or made anew, since you last saw it. Join it again.`;
      return rejected('epoch_changed', message, { current: { epoch, revision } });
    }
    const known = past.find(submission.mutationId);
    return known && repeatedAnswer(name, epoch, known, submission);
  }

  /**
   * A mutation that is refused, or changes nothing, may be a retry of one that was accepted long ago, and just for that
   * is refused now: it gets its first answer. A retry that is let through the store itself finds out.
   */
  private unlessRepeated(submission: Submission, outcome: Outcome): Outcome | Promise<Outcome> {
    const { name, plans, past, store } = this.host;
    const { epoch, revision } = plans.durable;
    if (revision === 0 || past.holdsFrom(1)) return outcome;
    return store.findMutation(name, epoch, submission.mutationId).then((found) => {
      if (!found.ok) return failed(found.error);
      return found.value ? repeatedAnswer(name, epoch, found.value, submission) : outcome;
    });
  }
}
