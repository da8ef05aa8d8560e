import { crc32 } from 'node:zlib';
import type { Database, Row, Statement } from './sqlite-driver.ts';
import { DamageError } from './sqlite-error.ts';
import type { RoomsPage } from './sqlite-messages.ts';
import type { RoomPosition, RoomSummary, RoomSummaryFields } from './store.ts';

/** Where a room stands, as the database knows it. */
export interface RoomEntry {
  readonly id: number;
  readonly epoch: string;
  revision: number;
  summary: string;
  /** `revision` and `summary` are ahead of the row. */
  isDirty: boolean;
}

/** How many rooms' positions are kept in memory; with more rooms in use each append reads one row first. */
const cachedRoomsMax = 20_000;

/** Bounds of one page of the list, about 10 ms: appends come in between. */
const pageRoomsMax = 200;
const pageCharactersMax = 4 * 1024 * 1024;

/** The table of rooms. Positions are cached: this connection is the only writer of its file. */
export class RoomTable {
  private readonly cache = new Map<string, RoomEntry>();
  private readonly byName: Statement;
  private readonly insertRow: Statement;
  private readonly updateRow: Statement;
  private readonly deleteRow: Statement;
  private readonly rowsAfter: Statement;
  private readonly lastRevision: Statement;
  /** Damage in the table's own index can hide a room, so "no such room" cannot be believed then. */
  private readonly isIndexDamaged: boolean;

  constructor(database: Database) {
    this.byName = database.prepare('SELECT id, name, epoch, revision, summary, crc FROM rooms WHERE name = ?');
    this.insertRow = database.prepare(
      'INSERT INTO rooms (name, epoch, revision, summary, crc) VALUES (?, ?, ?, ?, ?) RETURNING id',
    );
    this.updateRow = database.prepare('UPDATE rooms SET revision = ?, summary = ?, crc = ? WHERE id = ?');
    this.deleteRow = database.prepare('DELETE FROM rooms WHERE id = ?');
    // By id, for the index of the names may be damaged.
    this.rowsAfter = database.prepare(
      'SELECT id, name, epoch, revision, summary, crc FROM rooms NOT INDEXED WHERE id > ? ORDER BY id',
    );
    this.lastRevision = database.prepare('SELECT max(revision) AS revision FROM changes WHERE room_id = ?');
    this.isIndexDamaged = !isSound(database);
  }

  /** The room; undefined when there is none. Throws DamageError when that cannot be told. */
  find(name: string): RoomEntry | undefined {
    const cached = this.cache.get(name);
    if (cached) return cached;
    const row = this.byName.get(name);
    if (!row) {
      if (this.isIndexDamaged) throw new DamageError('the list of rooms is damaged');
      return undefined;
    }
    const entry = this.check(row);
    this.remember(name, entry);
    return entry;
  }

  /** The id of a room whose row may be damaged. */
  findId(name: string): number | undefined {
    const id = this.byName.get(name)?.id;
    return typeof id === 'number' ? id : undefined;
  }

  insert(name: string, epoch: string, revision: number, summary: string): RoomEntry {
    const row = this.insertRow.get(name, epoch, revision, summary, crcOf(name, epoch, revision, summary));
    const id = row?.id;
    if (typeof id !== 'number') throw new Error('no id for a new room');
    const entry: RoomEntry = { id, epoch, revision, summary, isDirty: false };
    this.remember(name, entry);
    return entry;
  }

  /** Writes position and summary. Throws when the row is gone, which only a foreign writer can cause. */
  update(name: string, entry: RoomEntry): void {
    const { epoch, revision, summary } = entry;
    const { changes } = this.updateRow.run(revision, summary, crcOf(name, epoch, revision, summary), entry.id);
    if (Number(changes) !== 1) throw new Error('another program changed the list of rooms');
    entry.isDirty = false;
  }

  remove(name: string, id: number): void {
    this.deleteRow.run(id);
    this.cache.delete(name);
  }

  /** After a rollback nothing that was remembered is sure. */
  forget(): void {
    this.cache.clear();
  }

  /**
   * Some of the rooms with ids above `after`; those whose row or newest Change cannot be read are warnings. `readNewest`
   * gives the length of that Change, or throws.
   */
  list(after: number, readNewest: (id: number, revision: number) => number): RoomsPage {
    const rooms: RoomSummary[] = [];
    const warnings: { room: string; message: string }[] = [];
    let characters = 0;
    let count = 0;
    for (const row of this.rowsAfter.iterate(after)) {
      if (count >= pageRoomsMax || characters >= pageCharactersMax) return { rooms, warnings, next: after };
      count += 1;
      after = Number(row.id);
      const room = String(row.name);
      try {
        const { id, epoch, revision, summary } = this.check(row);
        characters += readNewest(id, revision);
        const fields: RoomSummaryFields = JSON.parse(summary);
        rooms.push({ ...fields, room, epoch, revision });
      } catch (error) {
        warnings.push({
          room,
          message: `This room cannot be read: ${error instanceof Error ? error.message : error}.`,
        });
      }
    }
    if (this.isIndexDamaged)
      warnings.push({ room: '', message: 'The list of rooms is damaged; rooms may be missing from it.' });
    return { rooms, warnings, next: undefined };
  }

  private check(row: Row): RoomEntry {
    const { id, name, epoch, revision, summary, crc } = row;
    const isTyped =
      typeof id === 'number' &&
      typeof name === 'string' &&
      typeof epoch === 'string' &&
      typeof revision === 'number' &&
      typeof summary === 'string';
    if (!isTyped || crc !== crcOf(name, epoch, revision, summary))
      throw new DamageError('its row in the list of rooms is damaged');
    const last = this.lastRevision.get(id)?.revision;
    if (last !== revision)
      throw new DamageError(`it stands at revision ${revision}, its last Change is ${last ?? 'missing'}`);
    return { id, epoch, revision, summary, isDirty: false };
  }

  private remember(name: string, entry: RoomEntry): void {
    // Never while a batch has rooms to write: an entry dropped then would be read again from before the batch.
    if (this.cache.size >= cachedRoomsMax && !entry.isDirty) this.dropClean();
    this.cache.set(name, entry);
  }

  private dropClean(): void {
    for (const [name, entry] of this.cache) if (!entry.isDirty) this.cache.delete(name);
  }
}

export function positionOf(entry: RoomEntry | undefined): RoomPosition | undefined {
  return entry && { epoch: entry.epoch, revision: entry.revision };
}

function crcOf(name: string, epoch: string, revision: number, summary: string): number {
  return crc32(`${name}\n${epoch}\n${revision}\n${summary}`);
}

/** Compares table and index; costs time by the number of rooms, not of Changes. */
function isSound(database: Database): boolean {
  try {
    return database.prepare('PRAGMA integrity_check(rooms)').get()?.integrity_check === 'ok';
  } catch {
    return false;
  }
}
