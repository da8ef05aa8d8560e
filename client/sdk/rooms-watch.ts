import type { ClientMessage } from '../../shared/protocol/client-message.ts';
import type { RoomChanged, RoomEntry, Rooms } from '../../shared/protocol/server-message.ts';
import { backOffDelayMs } from './back-off.ts';
import { Emitter, tell } from './emitter.ts';
import type { Environment } from './environment.ts';

/** `rooms`: all there are, at the beginning and after each reconnect. `room`: one appeared, changed or went. */
export type RoomsEvent = Rooms | RoomChanged;

/** Follows the server's list of rooms for any number of listeners. */
export class RoomsWatch {
  private readonly send: (message: ClientMessage) => void;
  private readonly environment: Environment;
  private readonly emitter = new Emitter<{ readonly rooms: RoomsEvent }>();
  private listeners = 0;
  private list: Map<string, RoomEntry> | undefined;
  private warnings: Rooms['warnings'] = [];
  /** Asked for the list, and neither told nor refused. */
  private isAsking = false;
  /** In a row; the wait before the next try grows with them. */
  private refusals = 0;
  private cancelRetry: () => void = () => undefined;

  constructor(send: (message: ClientMessage) => void, environment: Environment) {
    this.send = send;
    this.environment = environment;
  }

  /** Tells the listener the whole list first, as soon as it is known. */
  add(listener: (event: RoomsEvent) => void): () => void {
    const stop = this.emitter.on('rooms', listener);
    let isListening = true;
    this.listeners += 1;
    if (this.listeners === 1) this.ask();
    else if (this.list) tell(listener, { type: 'rooms', rooms: [...this.list.values()], warnings: this.warnings });
    return () => {
      if (!isListening) return;
      isListening = false;
      stop();
      this.listeners -= 1;
      if (this.listeners === 0) this.stop();
    };
  }

  connected(): void {
    if (this.listeners > 0) this.ask();
  }

  /** The server would not watch just now; it is asked again after a while. A refusal of something else does no harm. */
  refused(): void {
    if (!this.isAsking) return;
    this.isAsking = false;
    this.cancelRetry();
    const delayMs = backOffDelayMs(this.refusals, this.environment.random);
    this.refusals += 1;
    this.cancelRetry = this.environment.setTimer(() => this.ask(), delayMs);
  }

  receive(event: RoomsEvent): void {
    if (event.type === 'rooms') {
      this.isAsking = false;
      this.refusals = 0;
      this.list = new Map(event.rooms.map((entry) => [entry.room, entry]));
      this.warnings = event.warnings;
    } else if (event.entry) {
      this.list?.set(event.room, event.entry);
    } else {
      this.list?.delete(event.room);
    }
    this.emitter.emit('rooms', event);
  }

  /** The client is over. */
  end(): void {
    this.isAsking = false;
    this.cancelRetry();
  }

  private ask(): void {
    this.cancelRetry();
    this.isAsking = true;
    this.send({ type: 'watch' });
  }

  private stop(): void {
    this.end();
    this.list = undefined;
    this.send({ type: 'unwatch' });
  }
}
