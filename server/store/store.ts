import type { ChangeRecord } from '../../shared/plan/change.ts';
import type { Snapshot } from '../../shared/plan/model.ts';
import type { Result } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';

/**
 * Where the Changes of all rooms live. One contract, several implementations, one suite
 * (`test/contract/store-contract.ts`) that holds them to it:
 *
 * - **Durable.** When `append` answers `appended`, the Changes outlive the process and the machine's power.
 * - **All or nothing, in order.** The Changes of one append are stored together or not at all, and only if the room
 *   stands at `expectedRevision`; so revisions of a room and epoch run 1, 2, 3 … without a gap or a repeat.
 *   Appends of different rooms never make each other fail, unless the disk itself fails.
 * - **Exactly once.** A mutationId is stored with its Change in the same transaction; an append that brings one that is
 *   stored already (in the same room and epoch) answers `duplicate` and stores nothing.
 * - **Sights go with their Changes.** The sights of an append are stored in its transaction, and only if it answers
 *   `appended`; so an actor's own Change is on disk exactly when what the actor saw of it is. There is one sight for each
 *   actor and dialect, the one that came last; past `limits.sightsPerRoomMax` those with the lowest revision go.
 *   Losing one is harmless (the next full list only adds), so one that is damaged is no error: it is not there.
 * - **Never silently empty.** What cannot be read is a `store_corrupt` error that names the room; it is never an absent room.
 *   A broken room does not keep other rooms from working.
 * - **Failures are values.** No method throws or rejects for anything a disk can cause.
 */
export interface Store {
  /** Every stored room, sorted by name; rooms that cannot be read are warnings. */
  list(): Promise<Result<RoomListing, StoreError>>;

  /** What is needed to rebuild the plan: the newest snapshot, if any, and every Change after it. `undefined`: no such room. */
  load(room: string): Promise<Result<StoredRoom | undefined, StoreError>>;

  append(append: Append): Promise<AppendOutcome>;

  /**
   * Changes with their undo, `from` to `to` inclusive, ascending; fewer when the epoch does not have them, or when `bound`
   * ends it. A bounded read holds the bound and one Change more at most, whatever there is.
   */
  history(
    room: string,
    epoch: string,
    from: number,
    to: number,
    bound?: HistoryBound,
  ): Promise<Result<readonly ChangeRecord[], StoreError>>;

  /** The Change a mutationId made in this room and epoch. */
  findMutation(room: string, epoch: string, mutationId: string): Promise<Result<ChangeRecord | undefined, StoreError>>;

  /**
   * Keeps a snapshot so that later loads need not replay everything before it. History stays. Losing one is harmless.
   * Ignored when the room has another epoch by now.
   */
  saveSnapshot(snapshot: Snapshot): Promise<Result<void, StoreError>>;

  /** What the actor last saw of this room and epoch through the dialect. `undefined`: nothing, or it was lost. */
  readSight(
    room: string,
    epoch: string,
    actor: string,
    dialect: string,
  ): Promise<Result<Sight | undefined, StoreError>>;

  /**
   * Keeps what an actor saw when it wrote nothing, in place of what it saw before; durable when answered.
   * Ignored when the room is not there, or has another epoch by now.
   */
  saveSight(room: string, epoch: string, sight: Sight): Promise<Result<void, StoreError>>;

  /**
   * Removes the room with its history and sights. `absent`: there was no such room; `conflict`: its epoch or revision was
   * another one than `expected`, and `current` says which. Without `expected` a room that cannot be read is removed as
   * well: the way out of damage.
   */
  remove(room: string, expected?: RoomPosition): Promise<Result<RemoveOutcome, StoreError>>;

  /** Waits for what was appended, then lets go of the file. Later calls answer `store_closed`. */
  close(): Promise<void>;
}

/** How much a read of history may give. */
export interface HistoryBound {
  /** Of the JSON of the records, undo included. One record that has more still comes, alone. */
  readonly charactersMax: number;
  /** Those nearest to `to`, rather than to `from`. */
  readonly newest?: boolean;
}

/** A point in a room's history. */
export interface RoomPosition {
  readonly epoch: string;
  readonly revision: number;
}

export interface Append {
  readonly room: string;
  readonly epoch: string;
  /** Revision before the first record; 0 makes the room with this epoch. */
  readonly expectedRevision: number;
  /** At least one; consecutive revisions from `expectedRevision + 1`. */
  readonly records: readonly EncodedRecord[];
  /** What lists show about the room after the last record. */
  readonly summary: RoomSummaryFields;
  /** What actors saw by these records; of one actor and dialect the later one counts. */
  readonly sights?: readonly Sight[];
}

/** A record with its canonical JSON, encoded once and shared by the store and the broadcast. */
export interface EncodedRecord extends ChangeRecord {
  /** `JSON.stringify(change)`. */
  readonly changeText: string;
  /** `JSON.stringify(undo)`. */
  readonly undoText: string;
}

export type AppendOutcome =
  | { readonly type: 'appended' }
  /** The room stands elsewhere: another writer was there. */
  | { readonly type: 'conflict'; readonly current: RoomPosition | undefined }
  /** One of the mutationIds is stored already. */
  | { readonly type: 'duplicate'; readonly mutationId: string }
  | { readonly type: 'failed'; readonly error: StoreError };

export interface StoredRoom {
  readonly epoch: string;
  readonly revision: number;
  readonly snapshot: Snapshot | undefined;
  /** Changes after the snapshot, ascending, up to `revision`. */
  readonly tail: readonly ChangeRecord[];
}

/** What a list of rooms shows beside the name. */
export interface RoomSummaryFields {
  readonly title?: string;
  readonly author?: string;
  readonly status?: string;
  readonly taskCount: number;
  readonly openCount: number;
  /** Revision at which the document last changed; 0: there is none. Absent: an older server wrote this. */
  readonly documentRevision?: number;
  /** ISO 8601 UTC; absent while there is no document. */
  readonly documentUpdatedAt?: string;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
}

export interface RoomSummary extends RoomSummaryFields, RoomPosition {
  readonly room: string;
}

export interface RoomListing {
  readonly rooms: readonly RoomSummary[];
  /** Rooms that could not be read, and why; so that nobody takes an unreadable room for a missing one. */
  readonly warnings: readonly { readonly room: string; readonly message: string }[];
}

export type RemoveOutcome =
  | { readonly type: 'removed'; readonly position: RoomPosition | undefined }
  | { readonly type: 'absent' }
  | { readonly type: 'conflict'; readonly current: RoomPosition };

export type StoreErrorCode =
  /** Stored data of this room, or the file, is damaged. Not retryable. */
  | 'store_corrupt'
  /** The disk is full, or a quota is reached. Retryable. */
  | 'store_full'
  /** The file system refuses writes. Retryable: works again once it allows them. */
  | 'store_read_only'
  /** Any other failure to read or write. Retryable. */
  | 'store_unavailable'
  /** The server is shutting down. Retryable, at the next server. */
  | 'store_closed';

export interface StoreError {
  readonly code: StoreErrorCode;
  /** Names the room where one is concerned, and what to do. */
  readonly message: string;
  readonly retryable: boolean;
  readonly room?: string;
}
