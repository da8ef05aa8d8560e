import { crc32 } from 'node:zlib';
import type { Database, Row, SqlValue, Statement } from './sqlite-driver.ts';
import { DamageError } from './sqlite-error.ts';
import type { AppendBatch, RowsPage } from './sqlite-messages.ts';

/** Bounds of one page: what the other thread parses in one go, about 10 ms. */
const pageRowsMax = 1_000;
const pageCharactersMax = 1024 * 1024;

/** Rows of one INSERT, where there are so many. */
export const rowsPerInsert = 8;

/** The table of Changes. Every row that leaves it has passed its checksum. */
export class ChangeTable {
  private readonly insertRow: Statement;
  private readonly insertRows: Statement;
  private readonly selectRange: Statement;
  private readonly selectBackwards: Statement;
  private readonly revisionOf: Statement;
  private readonly deleteRange: Statement;
  private readonly firstRevision: Statement;

  constructor(database: Database) {
    const insert = 'INSERT OR IGNORE INTO changes (room_id, revision, mutation_id, record, crc) VALUES';
    const row = '(?, ?, ?, ?, ?)';
    this.insertRow = database.prepare(`${insert} ${row}`);
    this.insertRows = database.prepare(`${insert} ${Array(rowsPerInsert).fill(row).join(', ')}`);
    const select =
      'SELECT revision, record, crc FROM changes WHERE room_id = ? AND revision BETWEEN ? AND ? ORDER BY revision';
    this.selectRange = database.prepare(select);
    this.selectBackwards = database.prepare(`${select} DESC`);
    this.revisionOf = database.prepare('SELECT revision FROM changes WHERE room_id = ? AND mutation_id = ?');
    this.deleteRange = database.prepare('DELETE FROM changes WHERE room_id = ? AND revision BETWEEN ? AND ?');
    this.firstRevision = database.prepare('SELECT min(revision) AS revision FROM changes WHERE room_id = ?');
  }

  /** False, and nothing is inserted, when the revision or the mutationId is taken. */
  insert(roomId: number, revision: number, mutationId: string, record: string): boolean {
    const { changes } = this.insertRow.run(roomId, revision, mutationId, record, crc32(record));
    return Number(changes) === 1;
  }

  /** Inserts `rowsPerInsert` consecutive rows, which costs a third less than one by one. False: not all were new. */
  insertRun(roomId: number, firstRevision: number, batch: AppendBatch, at: number): boolean {
    const values: SqlValue[] = [];
    for (let index = 0; index < rowsPerInsert; index += 1) {
      const record = String(batch[at + index * 2 + 1]);
      values.push(roomId, firstRevision + index, String(batch[at + index * 2]), record, crc32(record));
    }
    return Number(this.insertRows.run(...values).changes) === rowsPerInsert;
  }

  /** The revision that the mutationId made. */
  findMutation(roomId: number, mutationId: string): number | undefined {
    const revision = this.revisionOf.get(roomId, mutationId)?.revision;
    return typeof revision === 'number' ? revision : undefined;
  }

  /**
   * Consecutive rows from `from` on, or those that end with `to` when the `newest` are asked for; at least one unless
   * `from` is past `to`. Throws DamageError for a gap or a bad row.
   */
  page(roomId: number, from: number, to: number, charactersMax = Number.POSITIVE_INFINITY, newest = false): RowsPage {
    const texts: string[] = [];
    let characters = 0;
    const rows = newest ? this.selectBackwards : this.selectRange;
    for (const row of rows.iterate(roomId, from, to)) {
      const text = checked(row, newest ? to - texts.length : from + texts.length);
      if (texts.length > 0 && characters + text.length > charactersMax) break;
      texts.push(text);
      characters += text.length;
      if (texts.length >= pageRowsMax || characters >= pageCharactersMax) break;
    }
    const count = texts.length;
    if (count === 0 && from <= to) throw new DamageError(`Change ${newest ? to : from} is missing`);
    if (newest) texts.reverse();
    return { from: newest ? to - count + 1 : from, count, json: `[${texts.join(',')}]`, characters };
  }

  delete(roomId: number, from: number, to: number): void {
    this.deleteRange.run(roomId, from, to);
  }

  /** Deletes up to `max` rows of a room; false when none were left. */
  deleteSome(roomId: number, max: number): boolean {
    const first = this.firstRevision.get(roomId)?.revision;
    if (typeof first !== 'number') return false;
    this.deleteRange.run(roomId, first, first + max - 1);
    return true;
  }
}

function checked(row: Row, expectedRevision: number): string {
  const { revision, record, crc } = row;
  if (revision !== expectedRevision) throw new DamageError(`Change ${expectedRevision} is missing`);
  if (typeof record !== 'string' || crc !== crc32(record))
    throw new DamageError(`Change ${expectedRevision} is damaged`);
  return record;
}
