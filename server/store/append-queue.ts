import type { Sight } from '../../shared/plan/sight.ts';
import { storeError } from './sqlite-error.ts';
import type { AppendBatch } from './sqlite-messages.ts';
import type { SqliteThread } from './sqlite-thread.ts';
import type { Append, AppendOutcome } from './store.ts';

/** Bounds of one transaction: a longer one would make every append in it wait, and hold all its texts twice. */
const batchRecordsMax = 8_192;
const batchCharactersMax = 8 * 1024 * 1024;

type Resolve = (outcome: AppendOutcome) => void;

interface Batch {
  readonly list: AppendBatch;
  readonly resolves: Resolve[];
  records: number;
  characters: number;
}

/**
 * Group commit over all rooms: what is appended in one turn of the event loop, or while a commit runs, is one transaction.
 * At most one is under way; appends are stored in the order in which they came.
 */
export class AppendQueue {
  private readonly thread: SqliteThread;
  /** Oldest first; only the last one still grows. */
  private readonly batches: Batch[] = [];
  private isBusy = false;
  private whenIdle: (() => void)[] = [];

  constructor(thread: SqliteThread) {
    this.thread = thread;
  }

  append(append: Append): Promise<AppendOutcome> {
    return this.add((batch) => encode(append, batch));
  }

  /** Goes with whatever is appended just then, but wherever the room stands; `appended` also when the room is gone. */
  saveSight(room: string, epoch: string, sight: Sight): Promise<AppendOutcome> {
    return this.add((batch) => encodeSight(room, epoch, sight, batch));
  }

  /** Resolves when everything appended so far has its outcome. */
  idle(): Promise<void> {
    if (!this.isBusy) return Promise.resolve();
    return new Promise((resolve) => this.whenIdle.push(resolve));
  }

  private add(encodeInto: (batch: Batch) => void): Promise<AppendOutcome> {
    return new Promise((resolve) => {
      const batch = this.openBatch();
      encodeInto(batch);
      batch.resolves.push(resolve);
      this.schedule();
    });
  }

  private openBatch(): Batch {
    const last = this.batches.at(-1);
    if (last && last.records < batchRecordsMax && last.characters < batchCharactersMax) return last;
    const batch: Batch = { list: [], resolves: [], records: 0, characters: 0 };
    this.batches.push(batch);
    return batch;
  }

  /** A turn later, so that all that the current turn brings (and the answers of the last commit cause) goes together. */
  private schedule(): void {
    if (this.isBusy) return;
    this.isBusy = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    const batch = this.batches.shift();
    if (!batch) {
      this.rest();
      return;
    }
    this.thread.call({ type: 'append', batch: batch.list }).then((answer) => {
      const outcome = answer.ok ? answer.value : ({ type: 'failed', error: answer.error } as const);
      settle(batch.resolves, outcome);
      setImmediate(() => this.flush());
    });
  }

  private rest(): void {
    this.isBusy = false;
    const waiting = this.whenIdle;
    this.whenIdle = [];
    for (const resolve of waiting) resolve();
  }
}

function settle(resolves: readonly Resolve[], outcome: AppendOutcome | AppendOutcome[]): void {
  if (!Array.isArray(outcome)) {
    for (const resolve of resolves) resolve(outcome);
    return;
  }
  for (const [index, resolve] of resolves.entries()) {
    resolve(outcome[index] ?? { type: 'failed', error: storeError('store_unavailable', undefined, 'no answer') });
  }
}

/** See AppendBatch for the layout. The nags are turned into JSON here, once. */
function encode(append: Append, batch: Batch): void {
  const { list } = batch;
  const { room, epoch, expectedRevision, records, sights = [] } = append;
  const sightsText = sights.length === 0 ? '' : JSON.stringify(sights);
  list.push(room, epoch, expectedRevision, JSON.stringify(append.summary), sightsText, records.length);
  for (const { change, changeText, undoText, nags } of records) {
    const record = `[${changeText},${undoText},${nags.length === 0 ? '[]' : JSON.stringify(nags)}]`;
    list.push(change.mutationId, record);
    batch.characters += record.length;
  }
  batch.characters += sightsText.length;
  batch.records += records.length;
}

function encodeSight(room: string, epoch: string, sight: Sight, batch: Batch): void {
  const text = JSON.stringify([sight]);
  batch.list.push(room, epoch, 0, '', text, 0);
  batch.characters += text.length;
  batch.records += 1;
}
