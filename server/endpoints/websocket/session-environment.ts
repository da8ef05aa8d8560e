import type { Files } from '../../../shared/dialects/dialect.ts';
import type { PresenceBoard } from '../../room/presence.ts';
import type { RoomRegistry } from '../../room/registry.ts';
import type { AtEndOfTick } from '../../room/tick-task.ts';
import type { FrameCache } from './frames.ts';
import type { LargeSlots } from './large-slots.ts';
import type { RoomListFeed } from './room-list-feed.ts';

/** What all sessions of the endpoint share. */
export interface SessionEnvironment {
  readonly rooms: RoomRegistry;
  readonly presence: PresenceBoard;
  readonly roomList: RoomListFeed;
  readonly frames: FrameCache;
  readonly largeSlots: LargeSlots;
  readonly serverName: string;
  readonly heartbeatIntervalMs: number;
  readonly helloTimeoutMs: number;
  readonly atEndOfTick: AtEndOfTick;
  /** ISO 8601 UTC. */
  readonly now: () => string;
  readonly nowMs: () => number;
  readonly newId: () => string;
  readonly files: Files;
  /** Faults of ours that a message brought to light. */
  readonly onFault: (error: unknown) => void;
}
