import { parentPort, workerData } from 'node:worker_threads';
import type { Result } from '../../shared/plan/result.ts';
import { assert, err, ok } from '../../shared/plan/result.ts';
import { appendBatch, splitBatch } from './sqlite-append.ts';
import { Connection } from './sqlite-connection.ts';
import { classify, needsReopen, storeError } from './sqlite-error.ts';
import type { StoreOpenError } from './sqlite-file.ts';
import type { Answers, AppendBatch, Envelope, Reply, Request, WorkerOptions } from './sqlite-messages.ts';
import { perform, type TableRequest } from './sqlite-requests.ts';
import { type FileLoss, FileWatch } from './sqlite-watch.ts';
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
  /** Of the files that are open. */
  private watch: FileWatch | undefined;
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
    if (request.type !== 'remove' && request.type !== 'snapshot') return this.perform(connection, request);
    const result = this.guarded(() => this.perform(connection, request));
    return result.ok ? result.value : result;
  }

  private perform(connection: Connection, request: TableRequest): Result<unknown, StoreError> {
    try {
      const value = perform(connection, request);
      if (request.type === 'remove') this.resumeRemovals(connection);
      return ok(value);
    } catch (error) {
      return err(this.failure(error, 'room' in request ? request.room : undefined));
    }
  }

  /** Writes only into files that are still there, and says of none that it is stored that may be lost. */
  private guarded<T>(write: () => T): Result<T, StoreError> {
    const before = this.watch?.lossBefore();
    if (before) {
      this.giveUp(before);
      return err(lost(before));
    }
    const value = write();
    const after = this.connection && this.watch?.lossAfter();
    if (after && !this.giveUp(after)) return err(lost(after));
    return ok(value);
  }

  /** Saves what can be saved and closes. True: all that was ever committed is in planroom.db. */
  private giveUp(loss: FileLoss): boolean {
    const isSaved = loss === 'log' && this.connection?.emptyLog() === true;
    if (isSaved) this.watch?.removeForeignLog();
    this.close();
    return isSaved;
  }

  private open(create: boolean): Result<Connection, StoreOpenError> {
    if (this.connection) return ok(this.connection);
    const opened = Connection.open(this.options, create);
    if (!opened.ok) {
      this.isOver = true;
      return opened;
    }
    this.connection = opened.value;
    this.watch = new FileWatch(this.options.folder);
    this.resumeRemovals(opened.value);
    return opened;
  }

  private close(): undefined {
    this.removals = [];
    this.connection?.close();
    this.connection = undefined;
    this.isOver = true;
  }

  private append(connection: Connection, batch: AppendBatch): Answers['append'] {
    const outcome = this.guarded(() => this.appendTogether(connection, batch));
    if (outcome.ok) return outcome.value;
    const failed: AppendOutcome = { type: 'failed', error: outcome.error };
    return splitBatch(batch).map(() => failed);
  }

  /** When the batch fails for another reason than the disk, its appends are tried one by one, so that only the guilty fails. */
  private appendTogether(connection: Connection, batch: AppendBatch): Answers['append'] {
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
      const isDone = this.guarded(() =>
        connection.transaction(() => {
          if (connection.changes.deleteSome(roomId, removedRowsPerStep)) return false;
          if (connection.sights.deleteSome(roomId, removedRowsPerStep)) return false;
          connection.snapshots.removeAll(roomId);
          connection.endRemoval(roomId);
          return true;
        }),
      );
      if (isDone.ok && isDone.value) this.removals.shift();
    } catch (error) {
      this.removals.shift();
      if (needsReopen(error)) this.close();
    }
  }
}

function lost(loss: FileLoss): StoreError {
  const what =
    loss === 'database' ? 'planroom.db was' : loss === 'log' ? 'planroom.db-wal was' : 'part of planroom.db-wal was';
  return storeError('store_unavailable', undefined, `${what} removed or replaced under the running server`);
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
