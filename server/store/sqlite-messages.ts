import type { Result } from '../../shared/plan/result.ts';
import type { FileOptions, StoreOpenError } from './sqlite-file.ts';
import type { AppendOutcome, RemoveOutcome, RoomListing, RoomPosition, StoreError } from './store.ts';

/**
 * Appends as one flat list, which costs the least to send: for each
 * room, epoch, expectedRevision, summary JSON, sights JSON ('' when none), count, then count times mutationId, record JSON
 * ([change, undo, nags]). A count of 0: sights alone, to be stored wherever the room stands.
 */
export type AppendBatch = (string | number)[];

/** What the main thread asks of the worker; each request is answered once, in order. */
export type Request =
  /** Makes a missing file, which no other request does. */
  | { readonly type: 'open' }
  | { readonly type: 'append'; readonly batch: AppendBatch }
  /** A page of rooms with ids above `after`. */
  | { readonly type: 'list'; readonly after: number }
  | { readonly type: 'load'; readonly room: string; readonly snapshotBefore: number }
  | RowsRequest
  | { readonly type: 'find'; readonly room: string; readonly epoch: string; readonly mutationId: string }
  | SnapshotRequest
  | SightRequest
  | { readonly type: 'remove'; readonly room: string; readonly expected: RoomPosition | undefined }
  | { readonly type: 'close' };

export interface RowsRequest {
  readonly type: 'rows';
  readonly room: string;
  readonly epoch: string;
  readonly from: number;
  readonly to: number;
  /** Of the records; one that has more comes alone. */
  readonly charactersMax: number;
  /** The page that ends with `to`, rather than begins with `from`. */
  readonly newest: boolean;
}

export interface SnapshotRequest {
  readonly type: 'snapshot';
  readonly room: string;
  readonly epoch: string;
  readonly revision: number;
  /** The JSON, in pieces. */
  readonly parts: readonly string[];
}

export interface SightRequest {
  readonly type: 'sight';
  readonly room: string;
  readonly epoch: string;
  readonly actor: string;
  readonly dialect: string;
}

/** A run of consecutive Changes, as many as fit a message. */
export interface RowsPage {
  readonly from: number;
  readonly count: number;
  /** JSON array of count records. */
  readonly json: string;
  /** Of the records alone. */
  readonly characters: number;
}

/** Some rooms and warnings, in no order. */
export interface RoomsPage extends RoomListing {
  /** The `after` of the next page; undefined: this is the last. */
  readonly next: number | undefined;
}

export interface RoomHead {
  readonly epoch: string;
  readonly revision: number;
  /** The newest snapshot before the one asked for whose bytes are as they were written. */
  readonly snapshot: { readonly revision: number; readonly json: string } | undefined;
}

export interface Answers {
  readonly open: Result<undefined, StoreOpenError>;
  /** One outcome, or one for each append when not all were stored. */
  readonly append: AppendOutcome | AppendOutcome[];
  readonly list: RoomsPage;
  readonly load: RoomHead | undefined;
  /** `undefined`: no such room, or another epoch. */
  readonly rows: RowsPage | undefined;
  readonly find: RowsPage | undefined;
  readonly snapshot: undefined;
  /** JSON; `undefined`: no such room or sight, another epoch, or the sight is damaged. */
  readonly sight: string | undefined;
  readonly remove: RemoveOutcome;
  readonly close: undefined;
}

export interface Envelope {
  readonly id: number;
  readonly request: Request;
}

export interface Reply {
  readonly id: number;
  readonly result: Result<unknown, StoreError>;
  /** The worker ends; what was sent to it meanwhile gets no answer. */
  readonly isLast: boolean;
}

export type WorkerOptions = FileOptions;
