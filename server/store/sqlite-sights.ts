import { crc32 } from 'node:zlib';
import { limits } from '../../shared/plan/limits.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import type { Database, Statement } from './sqlite-driver.ts';
import { isCorruption } from './sqlite-error.ts';

/** The table of sights; one that fails its checksum is as good as lost, which is harmless. */
export class SightTable {
  private readonly updateRow: Statement;
  private readonly insertRow: Statement;
  private readonly pruneRows: Statement;
  private readonly selectRow: Statement;
  private readonly deleteRows: Statement;

  constructor(database: Database) {
    this.updateRow = database.prepare(
      'UPDATE sights SET revision = ?, sight = ?, crc = ? WHERE room_id = ? AND actor = ? AND dialect = ?',
    );
    this.insertRow = database.prepare(
      'INSERT INTO sights (revision, sight, crc, room_id, actor, dialect) VALUES (?, ?, ?, ?, ?, ?)',
    );
    // Of those that are equally old the new one stays.
    this.pruneRows = database.prepare(
      `DELETE FROM sights WHERE room_id = ?1 AND (actor, dialect) IN
       (SELECT actor, dialect FROM sights WHERE room_id = ?1
        ORDER BY revision DESC, actor = ?2 AND dialect = ?3 DESC LIMIT -1 OFFSET ${limits.sightsPerRoomMax})`,
    );
    this.selectRow = database.prepare('SELECT sight, crc FROM sights WHERE room_id = ? AND actor = ? AND dialect = ?');
    this.deleteRows = database.prepare(
      `DELETE FROM sights WHERE room_id = ?1 AND (actor, dialect) IN
       (SELECT actor, dialect FROM sights WHERE room_id = ?1 LIMIT ?2)`,
    );
  }

  /** Only a new row can be one too many, so only then the room's rows are looked through. */
  save(roomId: number, sight: Sight): void {
    const { actor, dialect, revision } = sight;
    const text = JSON.stringify(sight);
    const values = [revision, text, crc32(text), roomId, actor, dialect] as const;
    if (Number(this.updateRow.run(...values).changes) > 0) return;
    this.insertRow.run(...values);
    this.pruneRows.run(roomId, actor, dialect);
  }

  /** The JSON as it was written. */
  read(roomId: number, actor: string, dialect: string): string | undefined {
    try {
      const row = this.selectRow.get(roomId, actor, dialect);
      const text = row?.sight;
      return typeof text === 'string' && row?.crc === crc32(text) ? text : undefined;
    } catch (error) {
      if (isCorruption(error)) return undefined;
      throw error;
    }
  }

  /** Deletes up to `max` rows of a room; false when none were left. */
  deleteSome(roomId: number, max: number): boolean {
    return Number(this.deleteRows.run(roomId, max).changes) > 0;
  }
}
