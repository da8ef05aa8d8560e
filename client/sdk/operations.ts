import type { Change } from '../../shared/plan/change.ts';
import type { PlanDocument, Snapshot } from '../../shared/plan/model.ts';
import { ok, type Result } from '../../shared/plan/result.ts';
import type { Rooms } from '../../shared/protocol/server-message.ts';
import type { ClientFailure } from './failure.ts';

export type ClientResult<T> = Promise<Result<T, ClientFailure>>;

/** Changes after a revision, oldest first. */
export interface ChangesRead {
  readonly room: string;
  readonly epoch: string;
  /** Where the room stands. */
  readonly revision: number;
  readonly changes: readonly Change[];
  /** There are further ones to ask for. */
  readonly more: boolean;
}

/** One method for each operation of the server's registry. Each waits for a connection if need be. */
export abstract class Operations {
  /** All rooms, and warnings about those that cannot be read. */
  rooms(): ClientResult<Pick<Rooms, 'rooms' | 'warnings'>> {
    return this.ask('read', 'rooms.list', {});
  }

  /** The whole plan as the server has it, document body included. `room_not_found` when nothing was ever written. */
  snapshot(room: string): ClientResult<Snapshot> {
    return this.ask('read', 'room.snapshot', { room });
  }

  /** The document with its whole body. Its revision is 0 while the plan has none. */
  async document(room: string): ClientResult<PlanDocument> {
    const read = await this.snapshot(room);
    return read.ok ? ok(read.value.document) : read;
  }

  changes(room: string, since: number, limit?: number): ClientResult<ChangesRead> {
    return this.ask('read', 'room.changes', { room, since, ...(limit !== undefined && { limit }) });
  }

  /** Deletes the room with its history; with `revision` only if it stands there (`conflict` else). */
  deleteRoom(
    room: string,
    revision?: number,
  ): ClientResult<{ readonly deleted: string; readonly epoch: string; readonly revision: number }> {
    return this.ask('call', 'room.delete', { room, ...(revision !== undefined && { revision }) });
  }

  protected abstract ask<T>(type: 'read' | 'call', operation: string, input: Record<string, unknown>): ClientResult<T>;
}
