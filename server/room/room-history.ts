import { limits } from '../../shared/plan/limits.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { ok, type Result } from '../../shared/plan/result.ts';
import type { EncodedRecord, RoomPosition, Store, StoreError } from '../store/store.ts';
import { encodeRecord } from './answers.ts';
import { chooseCatchUp } from './catch-up.ts';
import { readNewest } from './read-pieces.ts';
import { RecentChanges } from './recent-changes.ts';
import type { CatchUp } from './subscriber.ts';

/** The durable Changes of one room: the newest in memory, all of them in the store. */
export class RoomHistory {
  private readonly plan: Plan;
  private readonly store: Store;
  private readonly recent = new RecentChanges(limits.recentChangesPerRoomMax, limits.recentChangesBytesPerRoomMax);
  private filling: Promise<void> | undefined;
  private lastCatchUp: { readonly from: number; readonly to: number; readonly catchUp: CatchUp } | undefined;

  /** `plan` is the durable one. */
  constructor(plan: Plan, store: Store) {
    this.plan = plan;
    this.store = store;
  }

  get isReading(): boolean {
    return this.filling !== undefined;
  }

  push(records: readonly EncodedRecord[]): void {
    this.lastCatchUp = undefined;
    for (const record of records) this.recent.push(record);
  }

  /** The Change a mutationId made, if it is in memory. */
  find(mutationId: string): EncodedRecord | undefined {
    return this.recent.find(mutationId);
  }

  /** The Change of a revision, if it is in memory. */
  at(revision: number): EncodedRecord | undefined {
    return this.recent.at(revision);
  }

  /** Whether every Change from this revision on is in memory. */
  holdsFrom(revision: number): boolean {
    return this.recent.holdsFrom(revision);
  }

  /** Changes `from` to `to`, as far as they are durable. */
  async read(from: number, to: number): Promise<Result<readonly EncodedRecord[], StoreError>> {
    const last = Math.min(to, this.plan.revision);
    if (from > last) return ok([]);
    const held = this.recent.after(from - 1);
    return held ? ok(held.slice(0, last - from + 1)) : this.readStore(from, last);
  }

  /** What brings a client from `since` to now. A crowd that comes back from one revision shares one answer. */
  catchUp(since: RoomPosition | undefined): CatchUp {
    if (!since || since.epoch !== this.plan.epoch) return chooseCatchUp(this.plan, this.recent, since);
    const { revision } = this.plan;
    if (this.lastCatchUp?.from !== since.revision || this.lastCatchUp.to !== revision) {
      const catchUp = chooseCatchUp(this.plan, this.recent, since);
      this.lastCatchUp = { from: since.revision, to: revision, catchUp };
    }
    return this.lastCatchUp.catchUp;
  }

  /** Reads older Changes into memory when a client that comes back needs a few of them; one read for all who come. */
  async prepareCatchUp(since: RoomPosition | undefined): Promise<void> {
    const { epoch, revision } = this.plan;
    if (!since || since.epoch !== epoch || since.revision >= revision) return;
    if (this.holdsFrom(since.revision + 1) || revision - since.revision > limits.recentChangesPerRoomMax) return;
    this.filling ??= this.fill(revision).finally(() => {
      this.filling = undefined;
    });
    await this.filling;
  }

  private async fill(revision: number): Promise<void> {
    const last = (this.recent.firstRevision ?? revision + 1) - 1;
    const first = Math.max(1, revision - limits.recentChangesPerRoomMax + 1);
    const readPiece = (from: number, to: number): ReturnType<RoomHistory['readStore']> => this.readStore(from, to);
    const read = await readNewest(readPiece, first, last, limits.recentChangesBytesPerRoomMax);
    // Without them the client gets a snapshot, which is as right.
    if (!read.ok) return;
    if ((this.recent.firstRevision ?? this.plan.revision + 1) === last + 1) this.recent.prepend(read.value);
  }

  private async readStore(from: number, to: number): Promise<Result<readonly EncodedRecord[], StoreError>> {
    const read = await this.store.history(this.plan.room, this.plan.epoch, from, to);
    return read.ok ? ok(read.value.map(encodeRecord)) : read;
  }
}
