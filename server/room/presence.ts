/** Who is in which room, on what, since when. In memory only: it says who is here now, not who was. */
export interface Present {
  readonly session: string;
  readonly actor: string;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** What the session is at, such as a task id. */
  readonly on: string | null;
}

type Listener = (room: string, present: readonly Present[], more: number) => void;

interface RoomPresence {
  readonly present: Map<string, Present>;
  readonly listeners: Set<Listener>;
  timer: NodeJS.Timeout | undefined;
}

/** A crowd that comes at once is told of together, not one by one to everyone. */
const coalesceMs = 100;
/** More than this nobody reads. */
const shownMax = 200;

export class PresenceBoard {
  private readonly rooms = new Map<string, RoomPresence>();

  enter(room: string, present: Present): void {
    this.at(room).present.set(present.session, present);
    this.changed(room);
  }

  update(room: string, session: string, on: string | null): void {
    const entry = this.rooms.get(room)?.present.get(session);
    if (!entry) return;
    this.rooms.get(room)?.present.set(session, { ...entry, on });
    this.changed(room);
  }

  leave(room: string, session: string): void {
    this.rooms.get(room)?.present.delete(session);
    this.changed(room);
  }

  /** Tells the listener soon, and after each change. */
  subscribe(room: string, listener: Listener): () => void {
    this.at(room).listeners.add(listener);
    this.changed(room);
    return () => {
      this.rooms.get(room)?.listeners.delete(listener);
      this.tidy(room);
    };
  }

  /** Rooms that somebody is in, or listens to. */
  get roomCount(): number {
    return this.rooms.size;
  }

  /** Forgets timers; for shutting down. */
  close(): void {
    for (const { timer } of this.rooms.values()) clearTimeout(timer);
    this.rooms.clear();
  }

  private at(room: string): RoomPresence {
    const found = this.rooms.get(room);
    if (found) return found;
    const made: RoomPresence = { present: new Map(), listeners: new Set(), timer: undefined };
    this.rooms.set(room, made);
    return made;
  }

  private changed(room: string): void {
    const entry = this.rooms.get(room);
    if (entry && entry.listeners.size > 0 && entry.timer === undefined) {
      entry.timer = setTimeout(() => this.tell(room, entry), coalesceMs);
    }
    this.tidy(room);
  }

  private tell(room: string, entry: RoomPresence): void {
    entry.timer = undefined;
    const present = [...entry.present.values()];
    for (const listener of entry.listeners)
      listener(room, present.slice(0, shownMax), Math.max(0, present.length - shownMax));
    this.tidy(room);
  }

  private tidy(room: string): void {
    const entry = this.rooms.get(room);
    if (entry && entry.present.size === 0 && entry.listeners.size === 0 && entry.timer === undefined)
      this.rooms.delete(room);
  }
}
