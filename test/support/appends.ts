import type { Append, EncodedRecord, RoomSummaryFields } from '../../server/store/store.ts';
import type { Nag, Patch } from '../../shared/plan/change.ts';
import type { Snapshot } from '../../shared/plan/model.ts';
import { defaultPolicy, emptyDocument } from '../../shared/plan/model.ts';
import type { Sight } from '../../shared/plan/sight.ts';

export const at = '2025-01-02T03:04:05.678Z';
export const epoch = 'epoch-1';
export const summary: RoomSummaryFields = { taskCount: 2, openCount: 1, updatedAt: at };

export interface RecordOptions {
  readonly mutationId?: string;
  readonly patch?: Patch;
  readonly undo?: Patch;
  readonly nags?: readonly Nag[];
}

/** A record as the room makes it; its mutationId names the revision unless given. */
export function record(revision: number, options: RecordOptions = {}): EncodedRecord {
  const change = {
    revision,
    at,
    actor: 'ada',
    mutationId: options.mutationId ?? `m-${revision}`,
    action: 'document.write',
    patch: options.patch ?? { document: { title: `Title ${revision}` } },
  };
  const undo = options.undo ?? { document: { title: revision === 1 ? null : `Title ${revision - 1}` } };
  return {
    change,
    changeText: JSON.stringify(change),
    undo,
    undoText: JSON.stringify(undo),
    nags: options.nags ?? [],
  };
}

/** An append of `count` records after `expectedRevision`. */
export function append(room: string, expectedRevision: number, count = 1, more: Partial<Append> = {}): Append {
  const records: EncodedRecord[] = [];
  for (let index = 1; index <= count; index += 1) records.push(record(expectedRevision + index));
  return { room, epoch, expectedRevision, records, summary, ...more };
}

/** What reads give back for a record. */
export function stored({ change, undo, nags }: EncodedRecord) {
  return { change, undo, nags };
}

export function storedRun(from: number, to: number) {
  const records = [];
  for (let revision = from; revision <= to; revision += 1) records.push(stored(record(revision)));
  return records;
}

/** What `actor` saw at a revision; what was shown tells sights of different revisions apart. */
export function sight(actor: string, revision: number, more: Partial<Sight> = {}): Sight {
  return { actor, dialect: 'todo', revision, shown: [`uid-${revision}`], ...more };
}

export function snapshot(room: string, revision: number, more: Partial<Snapshot> = {}): Snapshot {
  return {
    room,
    epoch,
    revision,
    updatedAt: at,
    policy: defaultPolicy,
    document: emptyDocument,
    groups: [],
    tasks: [],
    ...more,
  };
}
