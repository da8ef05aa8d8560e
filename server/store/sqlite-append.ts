import type { Sight } from '../../shared/plan/sight.ts';
import { rowsPerInsert } from './sqlite-changes.ts';
import type { Connection } from './sqlite-connection.ts';
import type { AppendBatch } from './sqlite-messages.ts';
import type { RoomEntry } from './sqlite-rooms.ts';
import { positionOf } from './sqlite-rooms.ts';
import type { AppendOutcome } from './store.ts';

const headLength = 6;
const recordLength = 2;
const appended: AppendOutcome = { type: 'appended' };

/** The head of one append in a batch; `at` is where its records begin. */
interface Head {
  readonly room: string;
  readonly epoch: string;
  readonly expectedRevision: number;
  readonly summary: string;
  /** JSON; '' when there are none. */
  readonly sights: string;
  readonly count: number;
  readonly at: number;
  /** Tried again on its own: slower, but it finds out what is wrong. */
  readonly isAlone: boolean;
}

/** The appends of a batch, each as a batch of its own. */
export function splitBatch(batch: AppendBatch): AppendBatch[] {
  const parts: AppendBatch[] = [];
  for (let at = 0; at < batch.length; ) {
    const head = headAt(batch, at, false);
    const end = head.at + head.count * recordLength;
    parts.push(batch.slice(at, end));
    at = end;
  }
  return parts;
}

/**
 * Stores a batch in one transaction. A conflict or duplicate of one append leaves the others alone; a throw means that
 * nothing of the batch is stored. `isAlone`: the batch is one append that is tried again after such a throw.
 */
export function appendBatch(
  connection: Connection,
  batch: AppendBatch,
  isAlone: boolean,
): AppendOutcome | AppendOutcome[] {
  return connection.transaction(() => {
    const outcomes: AppendOutcome[] = [];
    const dirty = new Map<string, RoomEntry>();
    let allAppended = true;
    for (let at = 0; at < batch.length; ) {
      const head = headAt(batch, at, isAlone);
      const outcome = head.count > 0 ? appendOne(connection, batch, head, dirty) : appended;
      if (outcome === appended && head.sights !== '') saveSights(connection, head);
      outcomes.push(outcome);
      if (outcome !== appended) allAppended = false;
      at = head.at + head.count * recordLength;
    }
    for (const [room, entry] of dirty) connection.rooms.update(room, entry);
    return allAppended ? appended : outcomes;
  });
}

function appendOne(
  connection: Connection,
  batch: AppendBatch,
  head: Head,
  dirty: Map<string, RoomEntry>,
): AppendOutcome {
  const { room, epoch, expectedRevision, summary, count } = head;
  const revision = expectedRevision + count;
  const entry = connection.rooms.find(room);
  if (!entry && expectedRevision === 0) {
    const made = connection.rooms.insert(room, epoch, revision, summary);
    const outcome = insertRecords(connection, batch, head, made);
    if (outcome !== appended) connection.rooms.remove(room, made.id);
    return outcome;
  }
  if (!entry || entry.epoch !== epoch) return { type: 'conflict', current: positionOf(entry) };
  if (entry.revision !== expectedRevision) {
    const mutationId = storedMutation(connection, batch, head, entry.id);
    if (mutationId !== undefined) return { type: 'duplicate', mutationId };
    return { type: 'conflict', current: positionOf(entry) };
  }
  const outcome = insertRecords(connection, batch, head, entry);
  if (outcome !== appended) return outcome;
  entry.revision = revision;
  entry.summary = summary;
  entry.isDirty = true;
  dirty.set(room, entry);
  return appended;
}

/** Of a room that is there, and is still the one they were seen in. */
function saveSights(connection: Connection, { room, epoch, sights }: Head): void {
  const entry = connection.rooms.find(room);
  if (entry?.epoch !== epoch) return;
  for (const sight of JSON.parse(sights) as Sight[]) connection.sights.save(entry.id, sight);
}

function insertRecords(connection: Connection, batch: AppendBatch, head: Head, entry: RoomEntry): AppendOutcome {
  const { changes } = connection;
  const first = head.expectedRevision + 1;
  let index = 0;
  while (!head.isAlone && head.count - index >= rowsPerInsert) {
    // Which row was refused shows when the append is tried again, alone and row by row.
    const isNew = changes.insertRun(entry.id, first + index, batch, head.at + index * recordLength);
    if (!isNew) throw new Error('not all records are new');
    index += rowsPerInsert;
  }
  for (; index < head.count; index += 1) {
    const at = head.at + index * recordLength;
    const mutationId = String(batch[at]);
    if (changes.insert(entry.id, first + index, mutationId, String(batch[at + 1]))) continue;
    if (changes.findMutation(entry.id, mutationId) === undefined) {
      // What we remember of the room is wrong. The rollback forgets it, so the next append sees what is there.
      throw new Error('another program wrote to planroom.db');
    }
    if (index > 0) changes.delete(entry.id, first, first + index - 1);
    return { type: 'duplicate', mutationId };
  }
  return appended;
}

function storedMutation(connection: Connection, batch: AppendBatch, head: Head, roomId: number): string | undefined {
  for (let index = 0; index < head.count; index += 1) {
    const mutationId = String(batch[head.at + index * recordLength]);
    if (connection.changes.findMutation(roomId, mutationId) !== undefined) return mutationId;
  }
  return undefined;
}

function headAt(batch: AppendBatch, at: number, isAlone: boolean): Head {
  return {
    isAlone,
    room: String(batch[at]),
    epoch: String(batch[at + 1]),
    expectedRevision: Number(batch[at + 2]),
    summary: String(batch[at + 3]),
    sights: String(batch[at + 4]),
    count: Number(batch[at + 5]),
    at: at + headLength,
  };
}
