import { type BaseRows, rowsAt } from '../../shared/plan/base-rows.ts';
import { limits } from '../../shared/plan/limits.ts';
import type { Snapshot } from '../../shared/plan/model.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { assert, err, ok, type Result } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import type { EncodedRecord, RemoveOutcome, RoomPosition, Store, StoredRoom, StoreError } from '../store/store.ts';
import { encodeRecord } from './answers.ts';
import { CommitQueue } from './commit-queue.ts';
import { Decisions } from './decisions.ts';
import { Gate } from './gate.ts';
import type { Outcome, Submission } from './outcome.ts';
import { Plans } from './plans.ts';
import { Requests } from './requests.ts';
import { RoomHistory } from './room-history.ts';
import { RowUndos } from './row-undos.ts';
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
  private readonly requests: Requests;
  private readonly gate = new Gate();
  private readonly decisions: Decisions;
  /** The last of those who look back, one after another: each may hold much of the past for a moment. */
  private lookingBack: Promise<unknown> = Promise.resolve();
  private life: 'open' | 'evicted' | 'deleted' = 'open';
  private usedAtMs = Date.now();

  constructor(name: string, epoch: string, stored: StoredRoom | undefined, context: RoomContext) {
    this.name = name;
    this.context = context;
    this.plans = new Plans(name, stored?.epoch ?? epoch, stored);
    this.past = new RoomHistory(this.plans.durable, context.store);
    this.snapshots = new SnapshotSchedule(stored?.snapshot, context.store);
    this.remember((stored?.tail ?? []).map(encodeRecord));
    this.requests = new Requests(name);
    const { plans, past, gate } = this;
    this.queue = new CommitQueue({
      ...context,
      name,
      plans,
      gate,
      publish: (records) => this.publish(records),
      catchUp: () => this.catchUpWithStore(),
      decideAgain: (requests) => this.decisions.again(requests),
    });
    const { queue } = this;
    this.decisions = new Decisions({
      ...context,
      name,
      plans,
      past,
      queue,
      gate,
      isDeleted: () => this.life === 'deleted',
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
    return this.requests.submit(submission, (request) => this.decisions.enter(request));
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

  /** Changes `from` to `to`, as far as they are durable; of those as many as `charactersMax` holds, and at least one. */
  history(from: number, to: number, charactersMax?: number): Promise<Result<readonly EncodedRecord[], StoreError>> {
    return this.past.read(from, to, charactersMax);
  }

  /**
   * The rows of the plan as they were at an earlier revision. Undefined when history does not reach back, or not within
   * what one decision may look at.
   */
  rowsAt(revision: number): Promise<Result<BaseRows | undefined, StoreError>> {
    this.usedAtMs = Date.now();
    const looked = this.lookingBack.then(() => this.lookBack(revision));
    const done = (): void => undefined;
    this.lookingBack = looked.then(done, done);
    return looked;
  }

  /** Whether every Change from this revision on is in memory. */
  holdsFrom(revision: number): boolean {
    return this.past.holdsFrom(revision);
  }

  /**
   * Removes the room with its history, if it stands at `expectedRevision`. Subscribers are told, and this object is over.
   * Undefined: it was over before; ask the live room.
   */
  async delete(expectedRevision: number | undefined): Promise<Result<RemoveOutcome, StoreError> | undefined> {
    for (; ; await this.queue.quiet()) {
      if (this.gate.opening) await this.gate.opening;
      else if (this.queue.isQuiet) break;
    }
    let removed: Result<RemoveOutcome, StoreError> | undefined;
    await this.gate.exclusive(async () => {
      if (this.life === 'open') removed = await this.removeFromStore(expectedRevision);
      if (removed?.ok && removed.value.type === 'removed') this.endAsDeleted();
    });
    return removed;
  }

  /** Whether nobody subscribes, nothing waits, and nothing was asked for `idleMs`. */
  isIdle(idleMs: number): boolean {
    const quiet = this.queue.isQuiet && !this.gate.opening && !this.past.isReading && this.requests.count === 0;
    return quiet && this.subscribers.size === 0 && Date.now() - this.usedAtMs >= idleMs;
  }

  /** Ends this object, not the room: whoever comes next loads it again. Only when idle. */
  async evict(): Promise<void> {
    assert(this.isIdle(0), 'a room in use is not evicted');
    this.life = 'evicted';
    await this.snapshots.saveOnEvict(this.plan);
  }

  private async lookBack(revision: number): Promise<Result<BaseRows | undefined, StoreError>> {
    if (revision > this.plan.revision) return ok(undefined);
    const undos = new RowUndos(this.past, revision);
    while (!undos.takeHeld()) {
      const error = await undos.readMore();
      if (error) return err(error);
    }
    return ok(rowsAt(this.plan, revision, { undosSince: (since) => undos.newestFirst(since) }));
  }

  private publish(records: readonly EncodedRecord[]): void {
    if (records.length === 0) return;
    this.remember(records);
    const { epoch } = this.plans.durable;
    for (const subscriber of this.subscribers) this.tell(subscriber, epoch, records);
    this.tellOutside(records);
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

  private tellOutside(records: readonly EncodedRecord[]): void {
    try {
      this.context.onPublished(this, records);
    } catch (error) {
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
    const bound = { charactersMax: limits.recentChangesBytesPerRoomMax };
    for (let next = revision + 1; next <= loaded.value.revision; ) {
      const read = await this.context.store.history(this.name, epoch, next, loaded.value.revision, bound);
      if (!read.ok) return read.error;
      // Deleted a moment ago: the next append finds out.
      if (read.value.length === 0) return undefined;
      const records = read.value.map(encodeRecord);
      this.plans.catchUp(records);
      this.publish(records);
      next += records.length;
    }
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
}
