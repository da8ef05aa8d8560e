import type { Patch } from '../../shared/plan/change.ts';
import { limits } from '../../shared/plan/limits.ts';
import type { RowsUndo } from '../../shared/plan/stamp.ts';
import type { EncodedRecord, StoreError } from '../store/store.ts';
import type { RoomHistory } from './room-history.ts';

/** How far back a decision may look. */
export interface LookBackBudget {
  readonly changes: number;
  readonly keptCharacters: number;
  readonly readCharacters: number;
}

const ordinaryBudget: LookBackBudget = {
  changes: limits.historyChangesPerDecisionMax,
  keptCharacters: limits.historyKeptBytesPerDecisionMax,
  readCharacters: limits.historyReadBytesPerDecisionMax,
};

/** One piece of the read: it is in memory whole for a moment. */
const pieceCharacters = 4 * 1024 * 1024;

/**
 * What takes back the rows of every durable Change after a revision. Read piece by piece, and of each Change no more is
 * kept than that: neither what it did nor the body of a document. Past the budget there is nothing at all.
 */
export class RowUndos {
  private readonly past: RoomHistory;
  private readonly since: number;
  private readonly budget: LookBackBudget;
  /** Of `since + 1` and those that follow. */
  private kept: RowsUndo[] = [];
  private keptCharacters = 0;
  private readCharacters = 0;
  private outOfReach = false;

  constructor(past: RoomHistory, since: number, budget: LookBackBudget = ordinaryBudget) {
    this.past = past;
    this.since = since;
    this.budget = budget;
  }

  /** Takes what is in memory. True: nothing more is to be read for now, be it here or out of reach. */
  takeHeld(): boolean {
    if (this.past.revision - this.since > this.budget.changes) this.giveUp();
    for (const record of this.past.held(this.reached + 1) ?? []) this.take(record);
    return this.outOfReach || this.reached >= this.past.revision;
  }

  /** Brings the next few from the store. */
  async readMore(): Promise<StoreError | undefined> {
    const read = await this.past.read(this.reached + 1, this.past.revision, pieceCharacters);
    if (!read.ok) return read.error;
    for (const record of read.value) this.take(record);
    if (read.value.length === 0) this.giveUp();
    return undefined;
  }

  /** Those after the revision, which is no older than the one this began with. Undefined: out of reach. */
  newestFirst(revision: number): readonly RowsUndo[] | undefined {
    return this.outOfReach ? undefined : this.kept.slice(revision - this.since).reverse();
  }

  private get reached(): number {
    return this.since + this.kept.length;
  }

  private take(record: EncodedRecord): void {
    if (this.outOfReach) return;
    const { undo } = record;
    const rows = rowsUndo(undo);
    this.kept.push(rows);
    this.keptCharacters += undo.document ? JSON.stringify(rows).length : record.undoText.length;
    this.readCharacters += record.changeText.length + record.undoText.length;
    const { keptCharacters, readCharacters } = this.budget;
    if (this.keptCharacters > keptCharacters || this.readCharacters > readCharacters) this.giveUp();
  }

  private giveUp(): void {
    this.outOfReach = true;
    this.kept = [];
  }
}

/** The part of the undo that is kept. */
export function rowsUndo({ groups, tasks }: Patch): RowsUndo {
  return { ...(groups && { groups }), ...(tasks && { tasks }) };
}
