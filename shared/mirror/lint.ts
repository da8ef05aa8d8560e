import * as Y from 'yjs';
import { Forks } from './forks.ts';
import { mirrorLimits } from './limits.ts';
import { fault, gap, type Id, isObjection, type Objection, type Scan, type ScannedItem, scanUpdate } from './scan.ts';
import type { Scalar } from './schema.ts';

export interface LintOptions {
  readonly bytesMax: number;
  /** Whether the sender may add to what this client id wrote: an id belongs to who was first seen with it. */
  readonly mayAppend?: (client: number) => boolean;
}

/** What an update wants a key to be, as far as it did not itself write or delete it again. */
export interface Write extends Id {
  readonly key: string;
  readonly value: Scalar;
}

export type Verdict =
  | {
      readonly verdict: 'ok';
      readonly writes: readonly Write[];
      /** Client ids that the update adds to. */
      readonly clients: readonly number[];
    }
  | (Objection & { readonly forbidden?: true });

/**
 * Whether an update of a client may be merged into the doc, found out without merging. What is `ok` merges completely, does
 * not throw, leaves nothing pending, and costs no more than its limits say: a doc that holds a hostile struct can never
 * be repaired. Nothing is said about whether the plan allows what it does.
 */
export function lint(doc: Y.Doc, update: Uint8Array, options: LintOptions): Verdict {
  if (update.length > options.bytesMax) return fault(`an update of more than ${options.bytesMax} bytes`);
  const scan = scanUpdate(update);
  if (isObjection(scan)) return scan;
  const clients = checkClients(doc, scan, options);
  if ('verdict' in clients) return clients;
  const walk = new Walk(doc, scan);
  const objection = walk.run() ?? checkDeletes(doc, scan);
  return objection ?? { verdict: 'ok', writes: walk.writes(), clients: clients.appending };
}

function checkClients(
  doc: Y.Doc,
  scan: Scan,
  options: LintOptions,
): { readonly appending: readonly number[] } | Exclude<Verdict, { readonly verdict: 'ok' }> {
  const appending: number[] = [];
  let newClients = 0;
  let advance = 0;
  for (const [client, run] of scan.runs) {
    const state = Y.getState(doc.store, client);
    if (startOf(run) > state) return gap(`client ${client} starts at ${startOf(run)}, known up to ${state}`);
    if (endOf(run) <= state) continue;
    if (state === 0) newClients += 1;
    advance += endOf(run) - state;
    if (client === doc.clientID || options.mayAppend?.(client) === false) {
      return { ...fault(`client id ${client} belongs to somebody else`), forbidden: true };
    }
    appending.push(client);
  }
  if (newClients > mirrorLimits.newClientsPerUpdateMax) return fault('too many new client ids in one update');
  if (advance > mirrorLimits.clockAdvancePerUpdateMax) return fault('too many operations in one update');
  return { appending };
}

interface Run {
  readonly client: number;
  readonly items: readonly ScannedItem[];
  next: number;
}

/** Goes through the structs in an order in which each comes after what it refers to, as Yjs will. */
class Walk {
  private readonly doc: Y.Doc;
  private readonly runs = new Map<number, Run>();
  private readonly waiting = new Map<ScannedItem, Run[]>();
  private readonly pending = new Map<ScannedItem, Write>();
  private readonly scan: Scan;
  private readonly forks: Forks;
  private readonly keys = new Set<string>();

  constructor(doc: Y.Doc, scan: Scan) {
    this.doc = doc;
    this.scan = scan;
    this.forks = new Forks(doc);
    for (const [client, items] of scan.runs) this.runs.set(client, { client, items, next: 0 });
  }

  run(): Objection | undefined {
    const ready = [...this.runs.values()];
    for (let run = ready.pop(); run; run = ready.pop()) {
      for (let item = run.items[run.next]; item; item = run.items[run.next]) {
        const before = this.unmet(item);
        if (before && 'verdict' in before) return before;
        if (before) {
          this.wait(run, before);
          break;
        }
        const objection = this.visit(item);
        if (objection) return objection;
        run.next += 1;
        ready.push(...this.wake(item));
      }
    }
    for (const { items, next } of this.runs.values())
      if (next < items.length) return fault('structs that wait in a ring');
    return undefined;
  }

  /** The last write of each key, unless the update deletes it too. */
  writes(): readonly Write[] {
    return [...this.pending.values()].filter((write) => !isDeletedBy(this.scan, write));
  }

  /** The item of the update that must be merged before this one. */
  private unmet({ client, clock, origin }: ScannedItem): ScannedItem | Objection | undefined {
    if (!origin) return undefined;
    if (origin.client === client) {
      return origin.clock < clock ? undefined : fault('a struct that comes after itself');
    }
    if (origin.clock < Y.getState(this.doc.store, origin.client)) return undefined;
    const run = this.runs.get(origin.client);
    const item = run && itemAt(run.items, origin.clock);
    if (!run || !item) return gap(`it refers to client ${origin.client} at ${origin.clock}, which is not known`);
    const next = run.items[run.next];
    return next === undefined || item.clock < next.clock ? undefined : item;
  }

  private wait(run: Run, item: ScannedItem): void {
    const others = this.waiting.get(item);
    if (others) others.push(run);
    else this.waiting.set(item, [run]);
  }

  private wake(item: ScannedItem): readonly Run[] {
    const woken = this.waiting.get(item) ?? [];
    this.waiting.delete(item);
    return woken;
  }

  private visit(item: ScannedItem): Objection | undefined {
    const state = Y.getState(this.doc.store, item.client);
    if (item.clock < state && isOther(this.doc, item, state)) {
      return fault('the client id is used twice: another copy wrote something else with it');
    }
    if (item.end <= state) return undefined;
    const before = item.origin && this.originItem(item.origin);
    const key = item.key ?? before?.key ?? (item.origin && storedKey(this.doc, item.origin));
    if (key === undefined) return fault('content without a key');
    item.key = key;
    this.keys.add(key);
    if (this.keys.size > mirrorLimits.keysPerUpdateMax) return fault('too many keys in one update');
    if (before) this.pending.delete(before);
    if (item.value !== undefined) {
      this.pending.set(item, { client: item.client, clock: item.end - 1, key, value: item.value });
    }
    return this.forks.count(item, key, before);
  }

  private originItem({ client, clock }: Id): ScannedItem | undefined {
    if (clock < Y.getState(this.doc.store, client)) return undefined;
    const run = this.runs.get(client);
    return run && itemAt(run.items, clock);
  }
}

/** Whether the doc has something else at this clock: two copies of one doc write with one id. */
function isOther(doc: Y.Doc, item: ScannedItem, state: number): boolean {
  const { client, clock, origin, key, value } = item;
  const stored = Y.getItem(doc.store, Y.createID(client, clock));
  const storedOrigin = stored.id.clock === clock ? stored.origin : Y.createID(client, clock - 1);
  if (!Y.compareIDs(storedOrigin, origin ? Y.createID(origin.client, origin.clock) : null)) return true;
  if (key !== undefined && stored.parentSub !== key) return true;
  const isPlain = item.end === clock + 1 && stored.length === 1 && stored.content instanceof Y.ContentAny;
  if (isPlain && value !== undefined && stored.content.getContent()[0] !== value) return true;
  if (item.end <= state) return false;
  return storedKey(doc, { client, clock: state - 1 }) !== stored.parentSub;
}

function storedKey(doc: Y.Doc, { client, clock }: Id): string | undefined {
  return Y.getItem(doc.store, Y.createID(client, clock)).parentSub ?? undefined;
}

function checkDeletes(doc: Y.Doc, scan: Scan): Objection | undefined {
  let deletes = 0;
  for (const [client, ranges] of scan.deletes) {
    const run = scan.runs.get(client);
    const state = Y.getState(doc.store, client);
    const known = Math.max(state, run ? endOf(run) : 0);
    const last = ranges[ranges.length - 1];
    if (last && last.end > known) return gap(`it deletes client ${client} up to ${last.end}, known up to ${known}`);
    const structs = doc.store.clients.get(client) ?? [];
    for (const { start, end } of ranges) {
      if (start >= state) break;
      for (let index = Y.findIndexSS(structs, start); index < structs.length; index += 1) {
        const struct = structs[index];
        if (!struct || struct.id.clock >= end) break;
        if (!struct.deleted) deletes += 1;
      }
      if (deletes > mirrorLimits.deletesPerUpdateMax) return fault('too many deletes in one update');
    }
  }
  return undefined;
}

function isDeletedBy({ deletes }: Scan, { client, clock }: Id): boolean {
  const ranges = deletes.get(client) ?? [];
  const range = ranges[lastIndex(ranges, ({ start }) => start <= clock)];
  return range !== undefined && clock < range.end;
}

function itemAt(items: readonly ScannedItem[], clock: number): ScannedItem | undefined {
  const item = items[lastIndex(items, (each) => each.clock <= clock)];
  return item && clock < item.end ? item : undefined;
}

/** Index of the last entry that the condition holds for, where it holds for all before one; -1 for none. */
function lastIndex<Entry>(entries: readonly Entry[], holds: (entry: Entry) => boolean): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(entries[middle] as Entry)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function startOf(run: readonly ScannedItem[]): number {
  return run[0]?.clock ?? 0;
}

function endOf(run: readonly ScannedItem[]): number {
  return run[run.length - 1]?.end ?? 0;
}
