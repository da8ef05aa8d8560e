import type { Change, Nag, Patch } from '../../shared/plan/change.ts';
import type { EncodedRecord } from '../store/store.ts';

/** A Change that is kept as text alone: thousands of them stay for long, and objects would cost several times the memory. */
class KeptRecord implements EncodedRecord {
  readonly revision: number;
  readonly mutationId: string;
  readonly changeText: string;
  readonly undoText: string;
  readonly nags: readonly Nag[];

  constructor({ change, changeText, undoText, nags }: EncodedRecord) {
    this.revision = change.revision;
    this.mutationId = change.mutationId;
    this.changeText = changeText;
    this.undoText = undoText;
    this.nags = nags;
  }

  get change(): Change {
    return JSON.parse(this.changeText);
  }

  get undo(): Patch {
    return JSON.parse(this.undoText);
  }
}

/**
 * The newest Changes of a room, without a gap, for clients that come back, retries and bases of full-list writes.
 * Bounded in number and bytes; whoever needs older ones asks the store.
 */
export class RecentChanges {
  private readonly countMax: number;
  private readonly bytesMax: number;
  private readonly byMutation = new Map<string, KeptRecord>();
  private records: (KeptRecord | undefined)[] = [];
  /** Before this index nothing is left; the array is compacted now and then instead of at each drop. */
  private start = 0;
  private bytes = 0;

  constructor(countMax: number, bytesMax: number) {
    this.countMax = countMax;
    this.bytesMax = bytesMax;
  }

  get count(): number {
    return this.records.length - this.start;
  }

  /** Revision of the oldest one held; undefined without any. */
  get firstRevision(): number | undefined {
    return this.records[this.start]?.revision;
  }

  push(record: EncodedRecord): void {
    const kept = new KeptRecord(record);
    this.records.push(kept);
    this.byMutation.set(kept.mutationId, kept);
    this.bytes += record.changeText.length + record.undoText.length;
    while (this.count > 1 && (this.count > this.countMax || this.bytes > this.bytesMax)) this.drop();
  }

  /** Puts older ones in front, as many as fit; `older` must end right before the first one held. */
  prepend(older: readonly EncodedRecord[]): void {
    const held = this.records.slice(this.start) as KeptRecord[];
    this.records = [];
    this.start = 0;
    this.bytes = 0;
    this.byMutation.clear();
    for (const record of [...older, ...held]) this.push(record);
  }

  find(mutationId: string): EncodedRecord | undefined {
    return this.byMutation.get(mutationId);
  }

  at(revision: number): EncodedRecord | undefined {
    const first = this.firstRevision;
    return first === undefined ? undefined : this.records[this.start + revision - first];
  }

  /** Whether every Change from this revision on is held. */
  holdsFrom(revision: number): boolean {
    const first = this.firstRevision;
    return first !== undefined && first <= revision;
  }

  /** Every Change after `revision`; undefined when some of them are not held any more. */
  after(revision: number): readonly EncodedRecord[] | undefined {
    const first = this.firstRevision;
    if (first === undefined || !this.holdsFrom(revision + 1)) return undefined;
    return this.records.slice(this.start + revision + 1 - first) as KeptRecord[];
  }

  private drop(): void {
    const record = this.records[this.start];
    if (!record) return;
    this.byMutation.delete(record.mutationId);
    this.bytes -= record.changeText.length + record.undoText.length;
    // At once: until the array is compacted thousands of them, each as large as a document, would stay in memory.
    this.records[this.start] = undefined;
    this.start += 1;
    if (this.start > this.countMax) {
      this.records = this.records.slice(this.start);
      this.start = 0;
    }
  }
}
