import { historyNeeded } from '../../shared/plan/decide.ts';
import { limits } from '../../shared/plan/limits.ts';
import type { Snapshot } from '../../shared/plan/model.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { assert, ok, type Result } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import type { PastChange } from '../../shared/plan/stamp.ts';
import type { EncodedRecord, RemoveOutcome, RoomPosition, Store, StoredRoom, StoreError } from '../store/store.ts';
import { encodeRecord, failed, rejected, repeatedAnswer } from './answers.ts';
import { CommitQueue, type Request } from './commit-queue.ts';
import type { Outcome, Submission } from './outcome.ts';
import { Plans, pastChange } from './plans.ts';
import { RoomHistory } from './room-history.ts';
import { SnapshotSchedule } from './snapshot-schedule.ts';
import type { Subscriber } from './subscriber.ts';
import type { AtEndOfTick } from './tick-task.ts';

/** What a room needs from outside. */
export interface RoomContext {
  readonly store: Store;
  /** ISO 8601 UTC. */
  readonly now: () => string;
  readonly newUid: () => string;
  readonly atEndOfTick: AtEndOfTick;
  /** Told of a bug that a subscriber brought to light. */
  readonly onFault: (error: unknown) => void;
  /** Told after the subscribers. */
  readonly onPublished: (room: Room, records: readonly EncodedRecord[]) => void;
  /** Told once, when the room is over: deleted here, or by another server. */
  readonly onDeleted: (room: Room) => void;
}

/**
 * The place where one plan lives. Three ways in: `submit`, `subscribe`, `snapshot`. Everything that is seen is durable:
 * a Change is published and acknowledged after its commit, and a Rejection waits for what it was decided on.
 */
export class Room {
  readonly name: string;
  private readonly context: RoomContext;
  private readonly plans: Plans;
  private readonly queue: CommitQueue;
  private readonly past: RoomHistory;
  private readonly snapshots: SnapshotSchedule;
  private readonly subscribers = new Set<Subscriber>();
  /** Requests without an answer, by mutationId: a retry joins the first one. */
  private readonly unanswered = new Map<string, Request>();
  /** Work that decisions must not run beside. What is submitted meanwhile waits, in order. */
  private gate: Promise<void> | undefined;
  private life: 'open' | 'evicted' | 'deleted' = 'open';
  private usedAtMs = Date.now();

  constructor(name: string, epoch: string, stored: StoredRoom | undefined, context: RoomContext) {
    this.name = name;
    this.context = context;
    this.plans = new Plans(name, stored?.epoch ?? epoch, stored);
    this.past = new RoomHistory(this.plans.durable, context.store);
    this.snapshots = new SnapshotSchedule(stored?.snapshot, context.store);
    this.remember((stored?.tail ?? []).map(encodeRecord));
    this.queue = new CommitQueue({
      name,
      plans: this.plans,
      store: context.store,
      atEndOfTick: context.atEndOfTick,
      publish: (records) => this.publish(records),
      exclusive: (work) => this.exclusive(work),
      catchUp: () => this.catchUpWithStore(),
      decideAgain: (requests) => this.decideAgain(requests),
    });
  }

  get position(): RoomPosition {
    const { epoch, revision } = this.plans.durable;
    return { epoch, revision };
  }

  get state(): 'open' | 'evicted' | 'deleted' {
    return this.life;
  }

  /** The durable plan, to read from within the present tick. */
  get plan(): Plan {
    return this.plans.durable;
  }

  snapshot(): Snapshot {
    this.usedAtMs = Date.now();
    return this.plans.durable.toSnapshot();
  }

  submit(submission: Submission): Promise<Outcome> {
    this.usedAtMs = Date.now();
    const first = this.unanswered.get(submission.mutationId);
    if (first) return joinFirst(first, submission);
    if (this.unanswered.size >= limits.mutationsInFlightPerRoomMax) {
      return Promise.resolve(
        rejected('overloaded', `Too many mutations of room '${this.name}' wait for their commit.`),
      );
    }
    let settle: (outcome: Outcome) => void = () => undefined;
    const promise = new Promise<Outcome>((resolve) => {
      settle = resolve;
    });
    const answer = (outcome: Outcome): void => {
      this.unanswered.delete(submission.mutationId);
      settle(outcome);
    };
    const request = { submission, answer, promise };
    this.unanswered.set(submission.mutationId, request);
    this.guard(request, () => this.enter(request));
    return promise;
  }

  /**
   * Tells the subscriber what brings it from `since` to now, and every Change after that; both are taken in one step, so
   * nothing falls between. False: the room was deleted or evicted meanwhile, and nothing was told; open it again.
   */
  async subscribe(subscriber: Subscriber, since: RoomPosition | undefined): Promise<boolean> {
    this.usedAtMs = Date.now();
    await this.past.prepareCatchUp(since);
    if (this.life !== 'open') return false;
    const catchUp = this.past.catchUp(since);
    this.subscribers.add(subscriber);
    const unsubscribe = (): void => {
      this.usedAtMs = Date.now();
      this.subscribers.delete(subscriber);
    };
    subscriber.onSubscribed({ room: this, position: this.position, catchUp, unsubscribe });
    return true;
  }

  /** What the actor last saw of this room through the dialect; undefined: nothing, or it was lost. */
  readSight(actor: string, dialect: string): Promise<Result<Sight | undefined, StoreError>> {
    this.usedAtMs = Date.now();
    return this.context.store.readSight(this.name, this.position.epoch, actor, dialect);
  }

  /** Keeps what an actor saw without writing; durable when answered. Without effect while the room has no Change. */
  saveSight(sight: Sight): Promise<Result<void, StoreError>> {
    this.usedAtMs = Date.now();
    return this.context.store.saveSight(this.name, this.position.epoch, sight);
  }

  /** Changes `from` to `to`, as far as they are durable. */
  history(from: number, to: number): Promise<Result<readonly EncodedRecord[], StoreError>> {
    return this.past.read(from, to);
  }

  /**
   * Removes the room with its history, if it stands at `expectedRevision`. Subscribers are told, and this object is over.
   * Undefined: it was over before; ask the live room.
   */
  async delete(expectedRevision: number | undefined): Promise<Result<RemoveOutcome, StoreError> | undefined> {
    for (; ; await this.queue.quiet()) {
      if (this.gate) await this.gate;
      else if (this.queue.isQuiet) break;
    }
    let removed: Result<RemoveOutcome, StoreError> | undefined;
    await this.exclusive(async () => {
      if (this.life === 'open') removed = await this.removeFromStore(expectedRevision);
      if (removed?.ok && removed.value.type === 'removed') this.endAsDeleted();
    });
    return removed;
  }

  /** Whether nobody subscribes, nothing waits, and nothing was asked for `idleMs`. */
  isIdle(idleMs: number): boolean {
    const quiet = this.queue.isQuiet && !this.gate && !this.past.isReading && this.unanswered.size === 0;
    return quiet && this.subscribers.size === 0 && Date.now() - this.usedAtMs >= idleMs;
  }

  /** Ends this object, not the room: whoever comes next loads it again. Only when idle. */
  async evict(): Promise<void> {
    assert(this.isIdle(0), 'a room in use is not evicted');
    this.life = 'evicted';
    await this.snapshots.saveOnEvict(this.plan);
  }

  /** A bug of ours that a mutation brings to light costs that mutation, not the room. */
  private guard(request: Request, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.context.onFault(error);
      request.answer({ type: 'fault' });
    }
  }

  private enter(request: Request): void {
    if (this.gate) {
      void this.gate.then(() => this.guard(request, () => this.enter(request)));
      return;
    }
    const range = this.missingHistory(request);
    if (range) void this.exclusive(() => this.decideWithHistory(request, range));
    else this.decide(request, (revision) => this.heldChange(revision));
  }

  private decide(request: Request, history: (revision: number) => PastChange | undefined): void {
    const { submission } = request;
    const early = this.answerWithoutDeciding(submission);
    if (early) {
      this.queue.push({ request, outcome: early });
      return;
    }
    const { now, newUid } = this.context;
    const decided = this.plans.decide(submission, { at: now(), actor: submission.actor, newUid, history });
    if ('type' in decided) this.queue.push({ request, outcome: this.unlessRepeated(submission, decided) });
    else this.queue.push({ request, undurable: decided });
  }

  private answerWithoutDeciding(submission: Submission): Outcome | undefined {
    const { epoch, revision } = this.plans.durable;
    const another = submission.epoch !== undefined && submission.epoch !== epoch;
    if (this.life === 'deleted' || another) {
      const message = `Room '${this.name}' was deleted, or made anew, since you last saw it. Join it again.`;
      return rejected('epoch_changed', message, { current: { epoch, revision } });
    }
    const known = this.past.find(submission.mutationId);
    return known && repeatedAnswer(this.name, epoch, known, submission);
  }

  /**
   * A mutation that is refused, or changes nothing, may be a retry of one that was accepted long ago, and just for that
   * is refused now: it gets its first answer. A retry that is let through the store itself finds out.
   */
  private unlessRepeated(submission: Submission, outcome: Outcome): Outcome | Promise<Outcome> {
    const { epoch, revision } = this.plans.durable;
    if (revision === 0 || this.past.holdsFrom(1)) return outcome;
    return this.context.store.findMutation(this.name, epoch, submission.mutationId).then((found) => {
      if (!found.ok) return failed(found.error);
      return found.value ? repeatedAnswer(this.name, epoch, found.value, submission) : outcome;
    });
  }

  /** The part of history that the mutation needs and that is not in memory. */
  private missingHistory({ submission }: Request): { readonly from: number; readonly to: number } | undefined {
    const range = historyNeeded(this.plans.pending, submission.mutation);
    if (!range || range.from > this.plan.revision || this.past.holdsFrom(range.from)) return undefined;
    return range;
  }

  private async decideWithHistory(
    request: Request,
    range: { readonly from: number; readonly to: number },
  ): Promise<void> {
    const read = await this.past.read(range.from, range.to);
    if (!read.ok) {
      request.answer(failed(read.error));
      return;
    }
    const past = (revision: number): PastChange | undefined => {
      const record = read.value[revision - range.from];
      return record ? pastChange(record) : this.heldChange(revision);
    };
    this.guard(request, () => this.decide(request, past));
  }

  private heldChange(revision: number): PastChange | undefined {
    const record = this.past.at(revision) ?? this.queue.find(revision);
    return record && pastChange(record);
  }

  private async decideAgain(requests: readonly Request[]): Promise<void> {
    for (const request of requests) {
      const range = this.missingHistory(request);
      if (range) await this.decideWithHistory(request, range);
      else this.guard(request, () => this.decide(request, (revision) => this.heldChange(revision)));
    }
  }

  private publish(records: readonly EncodedRecord[]): void {
    if (records.length === 0) return;
    this.remember(records);
    const { epoch } = this.plans.durable;
    for (const subscriber of this.subscribers) this.tell(subscriber, epoch, records);
    this.context.onPublished(this, records);
    void this.snapshots.saveIfDue(this.plan);
  }

  /** A subscriber that breaks its promise not to throw loses its subscription; the room and the others go on. */
  private tell(subscriber: Subscriber, epoch: string, records: readonly EncodedRecord[]): void {
    try {
      subscriber.onChanges(this.name, epoch, records);
    } catch (error) {
      this.subscribers.delete(subscriber);
      this.context.onFault(error);
    }
  }

  private remember(records: readonly EncodedRecord[]): void {
    this.past.push(records);
    for (const record of records) this.snapshots.count(record);
  }

  /** Another server wrote to this room: take its Changes over, or learn that the room is gone. */
  private async catchUpWithStore(): Promise<StoreError | undefined> {
    const { epoch, revision } = this.plans.durable;
    const loaded = await this.context.store.load(this.name);
    if (!loaded.ok) return loaded.error;
    if (loaded.value?.epoch !== epoch) {
      this.endAsDeleted();
      return undefined;
    }
    const read = await this.context.store.history(this.name, epoch, revision + 1, loaded.value.revision);
    if (!read.ok) return read.error;
    const records = read.value.map(encodeRecord);
    this.plans.catchUp(records);
    this.publish(records);
    return undefined;
  }

  private async removeFromStore(expectedRevision: number | undefined): Promise<Result<RemoveOutcome, StoreError>> {
    const { position } = this;
    if (expectedRevision !== undefined && expectedRevision !== position.revision) {
      return ok({ type: 'conflict', current: position });
    }
    return this.context.store.remove(this.name, position.revision > 0 ? position : undefined);
  }

  private endAsDeleted(): void {
    const { position } = this;
    this.life = 'deleted';
    const told = [...this.subscribers];
    this.subscribers.clear();
    for (const subscriber of told) subscriber.onDeleted(this.name, position);
    this.context.onDeleted(this);
  }

  private exclusive(work: () => Promise<void>): Promise<void> {
    const gate = (this.gate ?? Promise.resolve()).then(work);
    this.gate = gate;
    void gate.then(() => {
      if (this.gate === gate) this.gate = undefined;
    });
    return gate;
  }
}

/** A retry of a request that is still under way gets the same answer, as a repeated one. */
async function joinFirst(first: Request, submission: Submission): Promise<Outcome> {
  const outcome = await first.promise;
  const same =
    first.submission.actor === submission.actor && first.submission.mutation.type === submission.mutation.type;
  if (!same) {
    return rejected('mutation_id_reused', `The mutationId '${submission.mutationId}' is in use for another mutation.`, {
      mutationId: submission.mutationId,
    });
  }
  return outcome.type === 'ack' ? { type: 'ack', ack: { ...outcome.ack, repeated: true } } : outcome;
}
