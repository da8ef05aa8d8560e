import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { Result } from '../../shared/plan/result.ts';
import { assert, err, ok } from '../../shared/plan/result.ts';
import { appendBatch, splitBatch } from './sqlite-append.ts';
import { Connection } from './sqlite-connection.ts';
import { classify, needsReopen, storeError } from './sqlite-error.ts';
import { filePath, type StoreOpenError } from './sqlite-file.ts';
import type { Answers, AppendBatch, Envelope, Reply, Request, WorkerOptions } from './sqlite-messages.ts';
import { perform } from './sqlite-requests.ts';
import type { AppendOutcome, StoreError } from './store.ts';

/** Rows of a removed room that go in one transaction: few enough not to hold up an append. */
const removedRowsPerStep = 256;

/**
 * Owns planroom.db and answers requests one after the other. When the disk fails it ends, for only the end of its thread
 * surely lets go of the file; the next one opens whatever is there by then.
 */
class Worker {
  /** Answers no more. */
  isOver = false;
  private readonly options: WorkerOptions;
  private connection: Connection | undefined;
  /** Of the file that is open: what is written to one that lost its name is lost with it. */
  private identity: string | undefined;
  private removals: number[] = [];
  private isRemoving = false;

  constructor(options: WorkerOptions) {
    this.options = options;
  }

  answer(request: Request): Result<unknown, StoreError> {
    if (request.type === 'close') return ok(this.close());
    const opened = this.open(request.type === 'open');
    if (request.type === 'open') return ok(opened.ok ? ok(undefined) : opened);
    if (!opened.ok) return err(unopened(opened.error));
    const connection = opened.value;
    if (request.type === 'append') return ok(this.append(connection, request.batch));
    try {
      const value = perform(connection, request);
      if (request.type === 'remove') this.resumeRemovals(connection);
      return ok(value);
    } catch (error) {
      return err(this.failure(error, 'room' in request ? request.room : undefined));
    }
  }

  private open(create: boolean): Result<Connection, StoreOpenError> {
    if (this.connection) return ok(this.connection);
    const opened = Connection.open(this.options, create);
    if (!opened.ok) {
      this.isOver = true;
      return opened;
    }
    this.connection = opened.value;
    this.identity = fileIdentity(this.options.folder);
    this.resumeRemovals(opened.value);
    return opened;
  }

  private close(): undefined {
    this.removals = [];
    this.connection?.close();
    this.connection = undefined;
    this.isOver = true;
  }

  /** When the batch fails for another reason than the disk, its appends are tried one by one, so that only the guilty fails. */
  private append(connection: Connection, batch: AppendBatch): Answers['append'] {
    if (fileIdentity(this.options.folder) !== this.identity) {
      this.close();
      const reason = 'planroom.db was removed or replaced under the running server';
      const failed: AppendOutcome = { type: 'failed', error: storeError('store_unavailable', undefined, reason) };
      return splitBatch(batch).map(() => failed);
    }
    try {
      return appendBatch(connection, batch, false);
    } catch (error) {
      const failed: AppendOutcome = { type: 'failed', error: this.failure(error, undefined) };
      const parts = splitBatch(batch);
      const isDisk =
        failed.error.code === 'store_full' || failed.error.code === 'store_read_only' || needsReopen(error);
      if (isDisk) return parts.map(() => failed);
      return parts.map((part) => this.appendAlone(connection, part));
    }
  }

  private appendAlone(connection: Connection, batch: AppendBatch): AppendOutcome {
    try {
      const outcome = appendBatch(connection, batch, true);
      return Array.isArray(outcome) ? (outcome[0] ?? { type: 'appended' }) : outcome;
    } catch (error) {
      return { type: 'failed', error: this.failure(error, String(batch[0])) };
    }
  }

  private failure(error: unknown, room: string | undefined): StoreError {
    if (needsReopen(error)) this.close();
    const reason = error instanceof Error ? error.message : String(error);
    return storeError(classify(error, this.options.folder), room, reason);
  }

  private resumeRemovals(connection: Connection): void {
    try {
      this.removals = connection.removals();
    } catch {
      // Left-over rows take space and do no harm; the next open tries again.
      this.removals = [];
    }
    this.scheduleRemoval();
  }

  /** One step a turn, so that appends come in between. */
  private scheduleRemoval(): void {
    if (this.isRemoving || this.removals.length === 0) return;
    this.isRemoving = true;
    setImmediate(() => {
      this.isRemoving = false;
      this.removeStep();
      this.scheduleRemoval();
    });
  }

  private removeStep(): void {
    const connection = this.connection;
    const [roomId] = this.removals;
    if (!connection || roomId === undefined) return;
    try {
      const isDone = connection.transaction(() => {
        if (connection.changes.deleteSome(roomId, removedRowsPerStep)) return false;
        if (connection.sights.deleteSome(roomId, removedRowsPerStep)) return false;
        connection.snapshots.removeAll(roomId);
        connection.endRemoval(roomId);
        return true;
      });
      if (isDone) this.removals.shift();
    } catch (error) {
      this.removals.shift();
      if (needsReopen(error)) this.close();
    }
  }
}

/** Which file stands under the name now; undefined: none. Looks at the name alone, for opening it would drop SQLite's lock. */
function fileIdentity(folder: string): string | undefined {
  const stat = statSync(filePath(folder), { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}

/** The file cannot be opened any more: to callers that is a disk that fails, until it is back. */
function unopened(error: StoreOpenError): StoreError {
  const isForeign = error.code === 'not_a_database' || error.code === 'schema_newer';
  return storeError(isForeign ? 'store_corrupt' : error.code, undefined, error.message);
}

assert(parentPort, 'sqlite-worker runs as a worker thread');
const port = parentPort;
const worker = new Worker(workerData);
port.on('message', ({ id, request }: Envelope) => {
  const result = worker.answer(request);
  const reply: Reply = { id, result, isLast: worker.isOver };
  port.postMessage(reply);
  if (worker.isOver) port.close();
});
