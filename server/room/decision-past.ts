import type { HistoryNeeded } from '../../shared/plan/decide.ts';
import type { PastChange, RowsUndo, Stamp } from '../../shared/plan/stamp.ts';
import type { EncodedRecord, StoreError } from '../store/store.ts';
import { pastChange } from './plans.ts';
import type { RoomHistory } from './room-history.ts';
import { RowUndos, rowsUndo } from './row-undos.ts';

/** What one decision needs of the past, brought into memory by and by. For one decision. */
export class DecisionPast {
  private readonly revisions: readonly number[];
  private readonly undos: RowUndos | undefined;
  private readonly past: RoomHistory;
  private readonly undurable: () => readonly EncodedRecord[];
  /** Changes that were read from the store; undefined: it does not have that one. */
  private readonly changes = new Map<number, PastChange | undefined>();

  /** `undurable` gives what was decided after the durable Changes, ascending. */
  constructor(needed: HistoryNeeded, past: RoomHistory, undurable: () => readonly EncodedRecord[]) {
    this.revisions = needed.revisions;
    this.undos = needed.undosSince === undefined ? undefined : new RowUndos(past, needed.undosSince);
    this.past = past;
    this.undurable = undurable;
  }

  /** Takes what is in memory. True: everything is there that can be had, and the decision may fall in this very tick. */
  takeHeld(): boolean {
    return this.undos?.takeHeld() !== false && this.firstMissing() === undefined;
  }

  /** Brings a little more from the store. Only after `takeHeld` said that something is missing. */
  async readMore(): Promise<StoreError | undefined> {
    const revision = this.firstMissing();
    if (revision === undefined) return this.undos?.readMore();
    const read = await this.past.read(revision, revision);
    if (!read.ok) return read.error;
    this.changes.set(revision, read.value[0] && pastChange(read.value[0]));
    return undefined;
  }

  forStamp(): Pick<Stamp, 'history' | 'undosSince'> {
    return {
      history: (revision) => this.change(revision),
      undosSince: (revision) => this.undosSince(revision),
    };
  }

  private firstMissing(): number | undefined {
    return this.revisions.find(
      (revision) => revision <= this.past.revision && !this.changes.has(revision) && !this.past.at(revision),
    );
  }

  private change(revision: number): PastChange | undefined {
    const record = this.past.at(revision) ?? this.undurable().find(({ change }) => change.revision === revision);
    return record ? pastChange(record) : this.changes.get(revision);
  }

  private undosSince(revision: number): readonly RowsUndo[] | undefined {
    const durable = this.undos?.newestFirst(revision);
    if (!durable) return undefined;
    const since = this.undurable().filter(({ change }) => change.revision > revision);
    return [...since.reverse().map(({ undo }) => rowsUndo(undo)), ...durable];
  }
}
