import type { RoomEvent, RoomRegistry } from '../../room/registry.ts';
import type { AtEndOfTick, TickTask } from '../../room/tick-task.ts';
import { urisOf } from './resources.ts';

/** Whoever passes on what became of the resources. */
export interface UpdateListener {
  readonly resourceUpdated: (uri: string) => void;
  readonly resourceListChanged: () => void;
}

/** Watches all rooms once for the whole endpoint, and tells once a tick which resources are not what they were. */
export class Updates implements TickTask {
  readonly close: () => void;
  private readonly listener: UpdateListener;
  private readonly atEndOfTick: AtEndOfTick;
  private readonly changed = new Set<string>();
  private listChanged = false;

  constructor(rooms: RoomRegistry, atEndOfTick: AtEndOfTick, listener: UpdateListener) {
    this.listener = listener;
    this.atEndOfTick = atEndOfTick;
    this.close = rooms.watch((event) => this.take(event));
  }

  endOfTick(): void {
    const { resourceUpdated, resourceListChanged } = this.listener;
    const { listChanged } = this;
    const changed = [...this.changed];
    this.changed.clear();
    this.listChanged = false;
    if (listChanged) resourceListChanged();
    for (const room of changed) for (const uri of urisOf(room)) resourceUpdated(uri);
  }

  private take(event: RoomEvent): void {
    if (this.changed.size === 0) this.atEndOfTick(this);
    if (event.type === 'deleted') {
      this.changed.add(event.name);
      this.listChanged = true;
    } else {
      this.changed.add(event.room.name);
      // The first Change of a room makes it.
      if (event.records[0]?.change.revision === 1) this.listChanged = true;
    }
  }
}
