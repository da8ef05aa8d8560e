import { err, type Result } from '../../shared/plan/result.ts';
import { isRoomName, roomNameRule } from '../../shared/protocol/names.ts';
import { type ClientFailure, failure } from './failure.ts';
import type { MutationSource } from './pending-mutations.ts';
import type { RoomMessage } from './room-sync.ts';
import { RoomView } from './room-view.ts';
import type { JoinOptions } from './view-events.ts';
import type { ViewHost } from './view-host.ts';

/** The views of one client: one of each room it is in. */
export class RoomViews {
  private readonly host: Omit<ViewHost, 'onOver'>;
  private readonly views = new Map<string, RoomView>();

  constructor(host: Omit<ViewHost, 'onOver'>) {
    this.host = host;
  }

  join(room: string, options: JoinOptions): Promise<Result<RoomView, ClientFailure>> {
    const { timeoutMs } = options;
    const known = this.views.get(room);
    if (known) return known.whenJoined(timeoutMs);
    if (!isRoomName(room)) return Promise.resolve(err(failure('bad_room_name', `'${room}': ${roomNameRule}.`)));
    const view = new RoomView(room, options, { ...this.host, onOver: () => this.forget(view) });
    this.views.set(room, view);
    view.sync.connected();
    return view.whenJoined(timeoutMs);
  }

  *sources(): Iterable<MutationSource> {
    for (const view of this.views.values()) yield view.mutations;
  }

  connected(): void {
    for (const view of this.views.values()) view.sync.connected();
  }

  connectionLost(): void {
    for (const view of this.views.values()) view.sync.connectionLost();
  }

  receive(room: string, message: RoomMessage): void {
    this.views.get(room)?.sync.receive(message);
  }

  /** A join was refused; without a room it may have been any of those that were asked for. */
  joinFailed(reason: ClientFailure, room?: string): void {
    for (const view of [...this.views.values()]) {
      if (room === undefined || view.room === room) view.sync.joinFailed(reason);
    }
  }

  end(reason: ClientFailure): void {
    for (const view of [...this.views.values()]) view.end(reason);
  }

  private forget(view: RoomView): void {
    if (this.views.get(view.room) === view) this.views.delete(view.room);
  }
}
