import type { ClientMessage } from '../../shared/protocol/client-message.ts';
import type { RoomChanged, RoomEntry, Rooms } from '../../shared/protocol/server-message.ts';

/** `rooms`: all there are, at the beginning and after each reconnect. `room`: one appeared, changed or went. */
export type RoomsEvent = Rooms | RoomChanged;

/** Follows the server's list of rooms for any number of listeners. */
export class RoomsWatch {
  private readonly send: (message: ClientMessage) => void;
  private readonly listeners = new Set<(event: RoomsEvent) => void>();
  private list: Map<string, RoomEntry> | undefined;
  private warnings: Rooms['warnings'] = [];

  constructor(send: (message: ClientMessage) => void) {
    this.send = send;
  }

  /** Tells the listener the whole list first, as soon as it is known. */
  add(listener: (event: RoomsEvent) => void): () => void {
    const own = (event: RoomsEvent): void => listener(event);
    this.listeners.add(own);
    if (this.listeners.size === 1) this.send({ type: 'watch' });
    else if (this.list) own({ type: 'rooms', rooms: [...this.list.values()], warnings: this.warnings });
    return () => {
      if (this.listeners.delete(own) && this.listeners.size === 0) this.stop();
    };
  }

  connected(): void {
    if (this.listeners.size > 0) this.send({ type: 'watch' });
  }

  receive(event: RoomsEvent): void {
    if (event.type === 'rooms') {
      this.list = new Map(event.rooms.map((entry) => [entry.room, entry]));
      this.warnings = event.warnings;
    } else if (event.entry) {
      this.list?.set(event.room, event.entry);
    } else {
      this.list?.delete(event.room);
    }
    for (const listener of [...this.listeners]) listener(event);
  }

  private stop(): void {
    this.list = undefined;
    this.send({ type: 'unwatch' });
  }
}
