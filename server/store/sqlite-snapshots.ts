import { crc32 } from 'node:zlib';
import type { Database, Statement } from './sqlite-driver.ts';
import type { RoomHead } from './sqlite-messages.ts';

/** One to use, one to fall back on. */
const snapshotsKept = 2;

/** The table of snapshots; those that fail their checksum are passed over, for the Changes can replace them. */
export class SnapshotTable {
  private readonly upsertRow: Statement;
  private readonly pruneRows: Statement;
  private readonly deleteRows: Statement;
  private readonly revisionsBefore: Statement;
  private readonly selectRow: Statement;

  constructor(database: Database) {
    this.upsertRow = database.prepare(
      'INSERT OR REPLACE INTO snapshots (room_id, revision, json, crc) VALUES (?, ?, ?, ?)',
    );
    this.pruneRows = database.prepare(
      `DELETE FROM snapshots WHERE room_id = ?1 AND revision NOT IN
       (SELECT revision FROM snapshots WHERE room_id = ?1 ORDER BY revision DESC LIMIT ${snapshotsKept})`,
    );
    this.deleteRows = database.prepare('DELETE FROM snapshots WHERE room_id = ?');
    this.revisionsBefore = database.prepare(
      'SELECT revision FROM snapshots WHERE room_id = ? AND revision < ? ORDER BY revision DESC',
    );
    this.selectRow = database.prepare('SELECT json, crc FROM snapshots WHERE room_id = ? AND revision = ?');
  }

  save(roomId: number, revision: number, json: string): void {
    this.upsertRow.run(roomId, revision, json, crc32(json));
    this.pruneRows.run(roomId);
  }

  newestBefore(roomId: number, revision: number): RoomHead['snapshot'] {
    for (const row of this.revisionsBefore.all(roomId, revision)) {
      const found = row.revision;
      if (typeof found !== 'number') continue;
      const json = this.read(roomId, found);
      if (json !== undefined) return { revision: found, json };
    }
    return undefined;
  }

  removeAll(roomId: number): void {
    this.deleteRows.run(roomId);
  }

  private read(roomId: number, revision: number): string | undefined {
    try {
      const row = this.selectRow.get(roomId, revision);
      const json = row?.json;
      return typeof json === 'string' && row?.crc === crc32(json) ? json : undefined;
    } catch {
      return undefined;
    }
  }
}
