import { limits } from '../../shared/plan/limits.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { ok, type Result } from '../../shared/plan/result.ts';
import type { EncodedRecord, HistoryBound, RoomPosition, Store, StoreError } from '../store/store.ts';
import { chooseCatchUp } from './catch-up.ts';
import { ReadRecord } from './read-record.ts';
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

  /** Of the last durable Change. */
  get revision(): number {
    return this.plan.revision;
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

  /** Every durable Change from this revision on; undefined when some are not in memory. */
  held(from: number): readonly EncodedRecord[] | undefined {
    return this.recent.after(from - 1);
  }

  /**
   * Changes `from` to `to`, as far as they are durable; of those as many as `charactersMax` of JSON holds, undo included,
   * and at least one.
   */
  async read(
    from: number,
    to: number,
    charactersMax: number = Number.POSITIVE_INFINITY,
  ): Promise<Result<readonly EncodedRecord[], StoreError>> {
    const last = Math.min(to, this.plan.revision);
    if (from > last) return ok([]);
    const held = this.recent.after(from - 1);
    return held
      ? ok(within(held.slice(0, last - from + 1), charactersMax))
      : this.readStore(from, last, { charactersMax });
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
    const bound = { charactersMax: limits.recentChangesBytesPerRoomMax, newest: true };
    const read = await this.readStore(first, last, bound);
    // Without them the client gets a snapshot, which is as right.
    if (!read.ok) return;
    if ((this.recent.firstRevision ?? this.plan.revision + 1) === last + 1) this.recent.prepend(read.value);
  }

  private async readStore(
    from: number,
    to: number,
    bound: HistoryBound,
  ): Promise<Result<readonly EncodedRecord[], StoreError>> {
    const read = await this.store.history(this.plan.room, this.plan.epoch, from, to, bound);
    return read.ok ? ok(read.value.map((record) => new ReadRecord(record))) : read;
  }
}

function within(records: readonly EncodedRecord[], charactersMax: number): readonly EncodedRecord[] {
  let characters = 0;
  const end = records.findIndex(({ changeText, undoText }, index) => {
    characters += changeText.length + undoText.length;
    return index > 0 && characters > charactersMax;
  });
  return end < 0 ? records : records.slice(0, end);
}
