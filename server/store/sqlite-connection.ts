import type { Result } from '../../shared/plan/result.ts';
import { err, ok } from '../../shared/plan/result.ts';
import { ChangeTable } from './sqlite-changes.ts';
import type { Database, Statement } from './sqlite-driver.ts';
import type { FileOptions, StoreOpenError } from './sqlite-file.ts';
import { openFile } from './sqlite-file.ts';
import { RoomTable } from './sqlite-rooms.ts';
import { SightTable } from './sqlite-sights.ts';
import { SnapshotTable } from './sqlite-snapshots.ts';

/** One open planroom.db with its tables; whoever holds it is its only user. */
export class Connection {
  readonly rooms: RoomTable;
  readonly changes: ChangeTable;
  readonly snapshots: SnapshotTable;
  readonly sights: SightTable;
  private readonly database: Database;
  private readonly begin: Statement;
  private readonly commit: Statement;

  private constructor(database: Database) {
    this.database = database;
    this.rooms = new RoomTable(database);
    this.changes = new ChangeTable(database);
    this.snapshots = new SnapshotTable(database);
    this.sights = new SightTable(database);
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
  }

  static open(options: FileOptions, create: boolean): Result<Connection, StoreOpenError> {
    const opened = openFile(options, create);
    if (!opened.ok) return err(opened.error);
    try {
      return ok(new Connection(opened.value));
    } catch (error) {
      opened.value.close();
      const reason = error instanceof Error ? error.message : String(error);
      return err({
        code: 'store_corrupt',
        message: `planroom.db in ${options.folder} is damaged (${reason}). Restore a backup, or move it away.`,
      });
    }
  }

  /** All of `work` or nothing of it, on disk when this returns. Throws what SQLite or `work` throws. */
  transaction<T>(work: () => T): T {
    this.begin.run();
    try {
      const value = work();
      this.commit.run();
      return value;
    } catch (error) {
      this.rooms.forget();
      // A full disk or a failed write can have made SQLite roll back already.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Rooms whose rows are still to be deleted. */
  removals(): number[] {
    const rows = this.database.prepare('SELECT room_id FROM removals').all();
    return rows.map((row) => row.room_id).filter((id) => typeof id === 'number');
  }
  addRemoval(roomId: number): void {
    this.database.prepare('INSERT OR IGNORE INTO removals (room_id) VALUES (?)').run(roomId);
  }
  endRemoval(roomId: number): void {
    this.database.prepare('DELETE FROM removals WHERE room_id = ?').run(roomId);
  }

  /** Moves all that was committed from the log, even one that lost its name, into planroom.db. False: not all of it. */
  emptyLog(): boolean {
    try {
      const row = this.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return row?.busy === 0;
    } catch {
      return false;
    }
  }

  /** Throws nothing: what could not be closed is let go by the process. */
  close(): void {
    try {
      this.database.close();
    } catch {
      // Nothing is lost: what was committed is in the log.
    }
  }
}
