import type { RoomEvent, RoomRegistry } from '../room/registry.ts';

/** What happened to a plan document, without its content and without who did it [S3]. */
export interface PlanChange {
  readonly name: string;
  readonly action: 'write' | 'status' | 'delete';
  /** The new one; of a deletion the guard it was asked with, 0 without one. */
  readonly revision: number;
}

/** Tells of every change of any plan document, whichever way it came, until told to stop. Stopping twice is harmless. */
export function watchPlans(rooms: RoomRegistry, listener: (change: PlanChange) => void): () => void {
  return rooms.watch((event) => {
    for (const change of planChanges(event)) listener(change);
  });
}

function planChanges(event: RoomEvent): readonly PlanChange[] {
  if (event.type === 'deleted') return [{ name: event.name, action: 'delete', revision: event.guard ?? 0 }];
  return event.records.flatMap(({ change: { action, patch, revision } }) =>
    patch.document
      ? [{ name: event.room.name, action: action === 'document.status' ? 'status' : 'write', revision }]
      : [],
  );
}
