import type { Change, Nag } from '../plan/change.ts';
import type { Snapshot } from '../plan/model.ts';
import type { ErrorCode } from './error-code.ts';

/** What the server sends. A frame holds one message, or an array of them; readers ignore fields they do not know. */
export type ServerMessage =
  | Welcome
  | Joined
  | Left
  | SnapshotMessage
  | Changes
  | Notice
  | Deleted
  | AckMessage
  | Reject
  | ResultMessage
  | ErrorMessage
  | Rooms
  | RoomChanged
  | PresenceMessage
  | Pong;

export interface Welcome {
  readonly type: 'welcome';
  readonly protocol: number;
  readonly server: string;
  /** Identity of this connection. */
  readonly session: string;
  readonly actor: string;
  /** Bounds that a client should keep to. */
  readonly limits: {
    readonly frameBytesMax: number;
    readonly messagesPerFrameMax: number;
    readonly mutationsInFlightPerSessionMax: number;
    readonly heartbeatIntervalMs: number;
  };
}

/** The room is joined; what brings the client up to date, if anything, follows as the next message about the room. */
export interface Joined {
  readonly type: 'joined';
  readonly room: string;
  readonly epoch: string;
  readonly revision: number;
  readonly mode: 'delta' | 'notice';
  /** `current`: nothing is missing. In notice mode it says whether there is something to read. */
  readonly resume: 'current' | 'changes' | 'snapshot';
}

export interface Left {
  readonly type: 'left';
  readonly room: string;
}

/** A document body over the broadcast limit is left out: `plan.document.contentBytes` says its size. */
export interface SnapshotMessage {
  readonly type: 'snapshot';
  readonly plan: Snapshot;
}

export interface Changes {
  readonly type: 'changes';
  readonly room: string;
  readonly epoch: string;
  /** Ascending, the first right after what the client has. */
  readonly changes: readonly Change[];
}

/** In notice mode, instead of Changes: never content, never who. */
export interface Notice {
  readonly type: 'notice';
  readonly room: string;
  readonly action: string;
  readonly revision: number;
}

/** The room was deleted; the join is over. */
export interface Deleted {
  readonly type: 'deleted';
  readonly room: string;
  readonly epoch: string;
  readonly revision: number;
}

/** The mutation is on disk. Comes after the Changes of the same commit. */
export interface AckMessage {
  readonly type: 'ack';
  readonly room: string;
  readonly id: string;
  readonly epoch: string;
  readonly revision: number;
  readonly nags?: readonly Nag[];
  readonly created?: readonly { readonly uid: string; readonly id: string }[];
  /** The mutation was accepted before; this is the first answer again. */
  readonly repeated?: true;
}

/** The mutation was refused or could not be stored; nothing changed. */
export interface Reject extends Failure {
  readonly type: 'reject';
  readonly room: string;
  readonly id: string;
}

export interface ResultMessage {
  readonly type: 'result';
  readonly id: string;
  readonly value: unknown;
}

/** Without `id` it is about the frame, not about one request. */
export interface ErrorMessage extends Failure {
  readonly type: 'error';
  readonly id?: string;
}

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly facts?: { readonly [name: string]: unknown };
  readonly retryable: boolean;
}

/** All rooms at the time of `watch`. */
export interface Rooms {
  readonly type: 'rooms';
  readonly rooms: readonly RoomEntry[];
  readonly warnings: readonly { readonly room: string; readonly message: string }[];
}

/** A room appeared or changed (`entry` is as it is now), or is gone (`entry` is null). */
export interface RoomChanged {
  readonly type: 'room';
  readonly room: string;
  /** Action of the last Change, or `delete`. */
  readonly action: string;
  readonly revision: number;
  readonly entry: RoomEntry | null;
}

export interface RoomEntry {
  readonly room: string;
  readonly epoch: string;
  readonly revision: number;
  readonly title?: string;
  readonly author?: string;
  readonly status?: string;
  readonly taskCount: number;
  readonly openCount: number;
  /** Revision at which the document last changed; 0: there is none. Absent: an older server wrote the room. */
  readonly documentRevision?: number;
  /** Absent while there is no document. */
  readonly documentUpdatedAt?: string;
  readonly updatedAt: string;
}

/** Everybody who is in the room just now, this session included. */
export interface PresenceMessage {
  readonly type: 'presence';
  readonly room: string;
  readonly present: readonly PresenceEntry[];
  /** How many more there are than `present` shows. */
  readonly more: number;
}

export interface PresenceEntry {
  readonly session: string;
  readonly actor: string;
  /** ISO 8601 UTC. */
  readonly since: string;
  readonly on: string | null;
}

export interface Pong {
  readonly type: 'pong';
}
