import type { DeleteOptions, Failure, RoomEntry, RoomListing } from '../../shared/dialects/dialect.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import type { RoomRegistry } from '../room/registry.ts';
import type { RoomSummary } from '../store/store.ts';
import { storeErrorBody } from './errors.ts';

/** What tools may do with rooms as a whole. */

export async function listRooms(rooms: RoomRegistry): Promise<Result<RoomListing, Failure>> {
  const listed = await rooms.list();
  if (!listed.ok) return err(storeErrorBody(listed.error));
  const entries: RoomEntry[] = [];
  const warnings = [...listed.value.warnings];
  for (const summary of listed.value.rooms) {
    const entry = await entryOf(rooms, summary);
    if (entry.ok) entries.push(entry.value);
    else warnings.push({ room: summary.room, message: entry.error.message });
  }
  return ok({ rooms: entries, warnings });
}

/** A summary that an older server wrote does not say where the document stands: the plan does. */
async function entryOf(rooms: RoomRegistry, summary: RoomSummary): Promise<Result<RoomEntry, Failure>> {
  const { room, title, author, status, revision, documentRevision, documentUpdatedAt = '' } = summary;
  const labels = {
    room,
    revision,
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(status !== undefined && { status }),
  };
  if (documentRevision !== undefined) return ok({ ...labels, documentRevision, documentUpdatedAt });
  const opened = await rooms.open(room);
  if (!opened.ok) return err(storeErrorBody(opened.error));
  const { document } = opened.value.plan;
  return ok({ ...labels, documentRevision: document.revision, documentUpdatedAt: document.updatedAt });
}

/** Deletions that were asked for with an operation id, of each registry, oldest first. */
const deletions = new WeakMap<RoomRegistry, Set<string>>();
const deletionsMax = 10_000;

/**
 * A deletion that comes again with its operation id is done already, whatever has been made under the name since. Known as
 * long as the server runs: a deleted room keeps nothing.
 */
export async function deleteOnce(
  rooms: RoomRegistry,
  name: string,
  options: DeleteOptions,
  operationId: string | undefined,
): Promise<Result<void, Failure>> {
  const known = deletions.get(rooms) ?? new Set<string>();
  deletions.set(rooms, known);
  const key = `${name} ${operationId}`;
  if (operationId !== undefined && known.has(key)) return ok(undefined);
  const deleted = await deleteRoom(rooms, name, options);
  if (deleted.ok && operationId !== undefined) known.add(key);
  for (const oldest of known) {
    if (known.size <= deletionsMax) break;
    known.delete(oldest);
  }
  return deleted;
}

/** Asks and deletes in one step: whoever changes the room in between makes it ask again. */
async function deleteRoom(
  rooms: RoomRegistry,
  name: string,
  { allows, guard }: DeleteOptions,
): Promise<Result<void, Failure>> {
  for (;;) {
    const opened = await rooms.open(name);
    if (!opened.ok && allows) return err(storeErrorBody(opened.error));
    const plan = opened.ok ? opened.value.plan : undefined;
    if (plan?.revision === 0) return err(notFound(name));
    const refused = plan && allows?.(plan);
    if (refused) return err(refused);
    const removed = await rooms.delete(name, allows && plan?.revision, guard);
    if (!removed.ok) return err(storeErrorBody(removed.error));
    if (removed.value.type === 'removed') return ok(undefined);
    if (removed.value.type === 'absent') return err(notFound(name));
  }
}

function notFound(room: string): Failure {
  return { code: 'room_not_found', message: `Room '${room}' does not exist.`, facts: { room } };
}
