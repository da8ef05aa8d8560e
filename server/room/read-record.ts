import type { Change, ChangeRecord, Nag, Patch } from '../../shared/plan/change.ts';
import type { EncodedRecord } from '../store/store.ts';

/** A record as the store gave it. Its texts are made when they are asked for, which most readers never do. */
export class ReadRecord implements EncodedRecord {
  readonly change: Change;
  readonly undo: Patch;
  readonly nags: readonly Nag[];
  private changeJson: string | undefined;
  private undoJson: string | undefined;

  constructor({ change, undo, nags }: ChangeRecord) {
    this.change = change;
    this.undo = undo;
    this.nags = nags;
  }

  get changeText(): string {
    this.changeJson ??= JSON.stringify(this.change);
    return this.changeJson;
  }

  get undoText(): string {
    this.undoJson ??= JSON.stringify(this.undo);
    return this.undoJson;
  }
}
