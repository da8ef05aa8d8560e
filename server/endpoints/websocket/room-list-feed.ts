import type { Result } from '../../../shared/plan/result.ts';
import type { RoomChanged } from '../../../shared/protocol/server-message.ts';
import { type RoomEvent, type RoomRegistry, summarize } from '../../room/registry.ts';
import type { RoomListing, StoreError } from '../../store/store.ts';
import { type Frame, textFrame } from './frames.ts';
import type { Outbox } from './outbox.ts';

/** A room that changes often is told of at most this often. */
const coalesceMs = 50;

/** The list of rooms as something one can watch: all of it first, then each room that appears, changes or goes. */
export class RoomListFeed {
  private readonly rooms: RoomRegistry;
  private readonly watchers = new Set<Outbox>();
  /** What happened while a new watcher waits for its list. */
  private readonly starting = new Set<Map<string, RoomChanged>>();
  private readonly changed = new Map<string, RoomChanged>();
  private timer: NodeJS.Timeout | undefined;
  private readonly stop: () => void;

  constructor(rooms: RoomRegistry) {
    this.rooms = rooms;
    this.stop = rooms.watch((event) => this.onEvent(event));
  }

  /**
   * Sends the list, then everything that happened since it was asked for: each entry is whole, so a repeat is harmless.
   * Nothing is sent any more once the signal says so, nor when the list cannot be read.
   */
  async watch(outbox: Outbox, signal: AbortSignal): Promise<Result<RoomListing, StoreError>> {
    const missed = new Map<string, RoomChanged>();
    this.starting.add(missed);
    const listed = await this.rooms.list();
    this.starting.delete(missed);
    if (signal.aborted || !listed.ok) return listed;
    this.watchers.add(outbox);
    signal.addEventListener('abort', () => this.watchers.delete(outbox), { once: true });
    outbox.sendLarge({ type: 'rooms', ...listed.value });
    for (const message of missed.values()) outbox.send(message);
    return listed;
  }

  get watcherCount(): number {
    return this.watchers.size + this.starting.size;
  }

  close(): void {
    this.stop();
    clearTimeout(this.timer);
  }

  private onEvent(event: RoomEvent): void {
    if (this.watchers.size === 0 && this.starting.size === 0) return;
    const message = toMessage(event);
    for (const missed of this.starting) missed.set(message.room, message);
    this.changed.set(message.room, message);
    this.timer ??= setTimeout(() => this.flush(), coalesceMs);
  }

  private flush(): void {
    this.timer = undefined;
    if (this.changed.size === 0) return;
    const messages = [...this.changed.values()];
    this.changed.clear();
    const frame: Frame = textFrame(JSON.stringify(messages.length === 1 ? messages[0] : messages));
    for (const watcher of this.watchers) watcher.sendFrame(frame);
  }
}

function toMessage(event: RoomEvent): RoomChanged {
  if (event.type === 'deleted') {
    const { name, position } = event;
    return { type: 'room', room: name, action: 'delete', revision: position.revision, entry: null };
  }
  const { room, records } = event;
  const action = records[records.length - 1]?.change.action ?? '';
  return { type: 'room', room: room.name, action, revision: room.position.revision, entry: summarize(room) };
}
