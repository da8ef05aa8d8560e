import type { MutationSource, PendingMutation } from './pending-mutations.ts';

interface Sent {
  readonly pending: PendingMutation;
  readonly source: MutationSource;
  readonly bytes: number;
  readonly overHttp: boolean;
}

interface Room {
  count: number;
  /** Nothing more of it goes until nothing of it is on its way. */
  closed: boolean;
}

/**
 * Mutations that were sent and not answered. WebSocket and HTTP are two ways, and one may be faster than the other: for
 * the mutations of a room to keep their order, one that goes over HTTP has its room to itself. Rooms are told apart by
 * name, so that this also holds between a view that was left and the next one of the same room.
 */
export class InFlight {
  private readonly byId = new Map<string, Sent>();
  private readonly rooms = new Map<string, Room>();
  private totalBytes = 0;

  get size(): number {
    return this.byId.size;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  /** Whether mutations of the room have to wait for those that are on their way. */
  isClosed(room: string): boolean {
    return this.rooms.get(room)?.closed ?? false;
  }

  /**
   * Counts the mutation as sent and tells true. False: it has to wait, being one for HTTP, until nothing older of its
   * room is on its way; so has everything younger.
   */
  add(sent: Sent): boolean {
    const { id, room: name } = sent.pending;
    const room = this.rooms.get(name) ?? { count: 0, closed: false };
    if (sent.overHttp) room.closed = true;
    if (sent.overHttp && room.count > 0) return false;
    room.count += 1;
    this.rooms.set(name, room);
    this.byId.set(id, sent);
    this.totalBytes += sent.bytes;
    return true;
  }

  remove(id: string): Sent | undefined {
    const sent = this.byId.get(id);
    if (!sent) return undefined;
    this.byId.delete(id);
    this.totalBytes -= sent.bytes;
    const room = this.rooms.get(sent.pending.room);
    if (room) room.count -= 1;
    if (room?.count === 0) this.rooms.delete(sent.pending.room);
    return sent;
  }

  /** Takes out those that were on the connection that went. HTTP requests do not end with it. */
  removeLost(): ReadonlyMap<MutationSource, readonly PendingMutation[]> {
    const lost = new Map<MutationSource, PendingMutation[]>();
    for (const [id, { pending, source, overHttp }] of this.byId) {
      if (overHttp) continue;
      this.remove(id);
      const same = lost.get(source);
      if (same) same.push(pending);
      else lost.set(source, [pending]);
    }
    return lost;
  }

  clear(): void {
    this.byId.clear();
    this.rooms.clear();
    this.totalBytes = 0;
  }
}
