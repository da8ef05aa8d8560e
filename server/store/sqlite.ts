import type { ChangeRecord } from '../../shared/plan/change.ts';
import type { Snapshot } from '../../shared/plan/model.ts';
import type { Result } from '../../shared/plan/result.ts';
import { assert, err, ok } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import { AppendQueue } from './append-queue.ts';
import { storeError } from './sqlite-error.ts';
import type { FileOptions, StoreOpenError } from './sqlite-file.ts';
import { damaged, encodeSnapshot, parsePage, parseSight, parseSnapshot } from './sqlite-json.ts';
import type { RoomsPage } from './sqlite-messages.ts';
import { SqliteThread } from './sqlite-thread.ts';
import type {
  Append,
  AppendOutcome,
  HistoryBound,
  RemoveOutcome,
  RoomListing,
  RoomPosition,
  RoomSummary,
  Store,
  StoredRoom,
  StoreError,
} from './store.ts';

export type { StoreOpenError } from './sqlite-file.ts';

export interface SqliteOptions extends FileOptions {
  /** The compiled worker, for callers that run from source. */
  readonly workerUrl?: URL;
}

/**
 * Opens planroom.db in the data folder, making both when missing. Every commit is on disk before it is answered.
 * The caller holds the folder's lock (`lockFolder`): the store takes itself for the only writer.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Result<Store, StoreOpenError>> {
  const { folder, fileBytesMax, workerUrl = new URL('./sqlite-worker.js', import.meta.url) } = options;
  const thread = new SqliteThread(workerUrl, { folder, fileBytesMax });
  const opened = await thread.call({ type: 'open' });
  const outcome = opened.ok ? opened.value : err({ code: 'store_unavailable', message: opened.error.message } as const);
  if (outcome.ok) return ok(new SqliteStore(thread));
  await thread.close();
  return outcome;
}

const closed = storeError('store_closed');
const unbounded: HistoryBound = { charactersMax: Number.POSITIVE_INFINITY };

class SqliteStore implements Store {
  private readonly thread: SqliteThread;
  private readonly queue: AppendQueue;
  private closing: Promise<void> | undefined;

  constructor(thread: SqliteThread) {
    this.thread = thread;
    this.queue = new AppendQueue(thread);
  }

  append(append: Append): Promise<AppendOutcome> {
    if (this.closing) return Promise.resolve({ type: 'failed', error: closed });
    const first = append.records[0];
    const last = append.records.at(-1);
    const isRun =
      first?.change.revision === append.expectedRevision + 1 &&
      last?.change.revision === append.expectedRevision + append.records.length;
    assert(isRun, 'an append needs consecutive records from expectedRevision + 1');
    return this.queue.append(append);
  }

  async list(): Promise<Result<RoomListing, StoreError>> {
    const rooms = new Map<string, RoomSummary>();
    const warnings: RoomListing['warnings'][number][] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      if (this.closing) return err(closed);
      const page: Result<RoomsPage, StoreError> = await this.thread.call({ type: 'list', after });
      if (!page.ok) return page;
      // A room that was removed and made again between two pages is in both: the later one is there.
      for (const room of page.value.rooms) rooms.set(room.room, room);
      warnings.push(...page.value.warnings);
      after = page.value.next;
    }
    const sorted = [...rooms.values()].sort((a, b) => (a.room < b.room ? -1 : 1));
    return ok({ rooms: sorted, warnings });
  }

  async load(room: string): Promise<Result<StoredRoom | undefined, StoreError>> {
    let snapshotBefore = Number.MAX_SAFE_INTEGER;
    for (;;) {
      if (this.closing) return err(closed);
      const head = await this.thread.call({ type: 'load', room, snapshotBefore });
      if (!head.ok) return head;
      if (!head.value) return ok(undefined);
      const { epoch, revision } = head.value;
      const snapshot = parseSnapshot(room, head.value);
      if (snapshot === 'damaged') {
        snapshotBefore = head.value.snapshot?.revision ?? 0;
        continue;
      }
      const tail = await this.read(room, epoch, (snapshot?.revision ?? 0) + 1, revision);
      if (!tail.ok) return tail;
      // Fewer only when the room was removed meanwhile: look again.
      if (tail.value.length === revision - (snapshot?.revision ?? 0)) {
        return ok({ epoch, revision, snapshot, tail: tail.value });
      }
    }
  }

  async history(
    room: string,
    epoch: string,
    from: number,
    to: number,
    bound?: HistoryBound,
  ): Promise<Result<readonly ChangeRecord[], StoreError>> {
    return this.read(room, epoch, Math.max(1, from), to, bound);
  }

  async findMutation(
    room: string,
    epoch: string,
    mutationId: string,
  ): Promise<Result<ChangeRecord | undefined, StoreError>> {
    if (this.closing) return err(closed);
    const page = await this.thread.call({ type: 'find', room, epoch, mutationId });
    if (!page.ok) return page;
    if (!page.value) return ok(undefined);
    const record = parsePage(page.value)?.[0];
    if (record?.change.mutationId !== mutationId) return err(damaged(room, page.value));
    return ok(record);
  }

  async saveSnapshot(snapshot: Snapshot): Promise<Result<void, StoreError>> {
    const { room, epoch, revision } = snapshot;
    const parts = await encodeSnapshot(snapshot);
    if (this.closing) return err(closed);
    return this.thread.call({ type: 'snapshot', room, epoch, revision, parts });
  }

  async readSight(
    room: string,
    epoch: string,
    actor: string,
    dialect: string,
  ): Promise<Result<Sight | undefined, StoreError>> {
    if (this.closing) return err(closed);
    const read = await this.thread.call({ type: 'sight', room, epoch, actor, dialect });
    return read.ok ? ok(parseSight(read.value, actor, dialect)) : read;
  }

  async saveSight(room: string, epoch: string, sight: Sight): Promise<Result<void, StoreError>> {
    if (this.closing) return err(closed);
    const outcome = await this.queue.saveSight(room, epoch, sight);
    return outcome.type === 'failed' ? err(outcome.error) : ok(undefined);
  }

  async remove(room: string, expected?: RoomPosition): Promise<Result<RemoveOutcome, StoreError>> {
    if (this.closing) return err(closed);
    return this.thread.call({ type: 'remove', room, expected });
  }

  close(): Promise<void> {
    this.closing ??= this.queue.idle().then(() => this.thread.close());
    return this.closing;
  }

  /** Page by page, so that neither thread is held up by a long history. */
  private async read(
    room: string,
    epoch: string,
    from: number,
    to: number,
    { charactersMax, newest = false }: HistoryBound = unbounded,
  ): Promise<Result<ChangeRecord[], StoreError>> {
    const pages: ChangeRecord[][] = [];
    let left = charactersMax;
    for (let [first, last] = [from, to]; first <= last && (left > 0 || pages.length === 0); ) {
      if (this.closing) return err(closed);
      const request = { type: 'rows', room, epoch, from: first, to: last, charactersMax: left, newest } as const;
      const page = await this.thread.call(request);
      if (!page.ok) return page;
      if (!page.value || page.value.count === 0) break;
      if (page.value.characters > left && pages.length > 0) break;
      const parsed = parsePage(page.value);
      if (!parsed) return err(damaged(room, page.value));
      pages.push(parsed);
      left -= page.value.characters;
      if (newest) last = page.value.from - 1;
      else first = page.value.from + parsed.length;
    }
    return ok((newest ? pages.reverse() : pages).flat());
  }
}
