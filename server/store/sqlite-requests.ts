import { assertNever } from '../../shared/plan/result.ts';
import type { Connection } from './sqlite-connection.ts';
import { DamageError } from './sqlite-error.ts';
import type { Answers, Request, RowsRequest, SightRequest, SnapshotRequest } from './sqlite-messages.ts';
import { positionOf } from './sqlite-rooms.ts';
import type { RoomPosition } from './store.ts';

/** The requests that one connection answers as it is; opening, closing and appending are the worker's. */
export type TableRequest = Exclude<Request, { type: 'open' | 'close' | 'append' }>;

/** Answers one request. Throws DamageError, or what SQLite throws. */
export function perform(connection: Connection, request: TableRequest): Answers[TableRequest['type']] {
  switch (request.type) {
    case 'list':
      return connection.rooms.list(
        request.after,
        (id, revision) => connection.changes.page(id, revision, revision).characters,
      );
    case 'load':
      return load(connection, request.room, request.snapshotBefore);
    case 'rows':
      return rows(connection, request);
    case 'find':
      return find(connection, request.room, request.epoch, request.mutationId);
    case 'snapshot':
      return saveSnapshot(connection, request);
    case 'sight':
      return readSight(connection, request);
    case 'remove':
      return remove(connection, request.room, request.expected);
    default:
      return assertNever(request);
  }
}

function load(connection: Connection, room: string, snapshotBefore: number): Answers['load'] {
  const entry = connection.rooms.find(room);
  if (!entry) return undefined;
  const { id, epoch, revision } = entry;
  return { epoch, revision, snapshot: connection.snapshots.newestBefore(id, Math.min(snapshotBefore, revision + 1)) };
}

function rows(connection: Connection, request: RowsRequest): Answers['rows'] {
  const entry = connection.rooms.find(request.room);
  if (entry?.epoch !== request.epoch) return undefined;
  const [from, to] = [Math.max(1, request.from), Math.min(request.to, entry.revision)];
  return connection.changes.page(entry.id, from, to, request.charactersMax, request.newest);
}

function find(connection: Connection, room: string, epoch: string, mutationId: string): Answers['find'] {
  const entry = connection.rooms.find(room);
  if (entry?.epoch !== epoch) return undefined;
  const revision = connection.changes.findMutation(entry.id, mutationId);
  return revision === undefined ? undefined : connection.changes.page(entry.id, revision, revision);
}

function saveSnapshot(connection: Connection, request: SnapshotRequest): undefined {
  const { room, epoch, revision, parts } = request;
  const entry = connection.rooms.find(room);
  if (entry?.epoch !== epoch || revision > entry.revision) return;
  connection.transaction(() => connection.snapshots.save(entry.id, revision, parts.join('')));
}

function readSight(connection: Connection, request: SightRequest): Answers['sight'] {
  const entry = connection.rooms.find(request.room);
  if (entry?.epoch !== request.epoch) return undefined;
  return connection.sights.read(entry.id, request.actor, request.dialect);
}

/** One deleted row, whatever the room's size; its Changes follow later, so damage among them does not stand in the way. */
function remove(connection: Connection, room: string, expected: RoomPosition | undefined): Answers['remove'] {
  const position = readPosition(connection, room, expected === undefined);
  if (position && expected && (position.epoch !== expected.epoch || position.revision !== expected.revision)) {
    return { type: 'conflict', current: position };
  }
  const id = connection.rooms.findId(room);
  if (id === undefined) return { type: 'absent' };
  connection.transaction(() => {
    connection.rooms.remove(room, id);
    connection.addRemoval(id);
  });
  return { type: 'removed', position };
}

function readPosition(connection: Connection, room: string, evenDamaged: boolean): RoomPosition | undefined {
  try {
    return positionOf(connection.rooms.find(room));
  } catch (error) {
    if (evenDamaged && error instanceof DamageError) return undefined;
    throw error;
  }
}
