import type { ChangeRecord } from '../../shared/plan/change.ts';
import { limits } from '../../shared/plan/limits.ts';
import type { Snapshot } from '../../shared/plan/model.ts';
import type { Result } from '../../shared/plan/result.ts';
import { assert, err, ok } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import type {
  Append,
  AppendOutcome,
  HistoryBound,
  RemoveOutcome,
  RoomListing,
  RoomPosition,
  RoomSummary,
  RoomSummaryFields,
  Store,
  StoredRoom,
  StoreError,
} from './store.ts';

interface MemoryRoom {
  readonly epoch: string;
  /** JSON of each record; the record of revision n stands at n - 1. */
  readonly records: string[];
  readonly revisionByMutation: Map<string, number>;
  /** By actor and dialect, the one that came last at the end. */
  readonly sights: Map<string, { readonly revision: number; readonly json: string }>;
  summary: string;
  snapshot: { readonly revision: number; readonly json: string } | undefined;
}

const closed: StoreError = {
  code: 'store_closed',
  message: 'The server is shutting down, nothing was stored. Try again at the next one.',
  retryable: true,
};

/** A store that lasts as long as its process, for tests. Everything goes through JSON text, as on a disk. */
export function openMemoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  private readonly rooms = new Map<string, MemoryRoom>();
  private isClosed = false;

  async list(): Promise<Result<RoomListing, StoreError>> {
    if (this.isClosed) return err(closed);
    const rooms: RoomSummary[] = [];
    for (const name of [...this.rooms.keys()].sort()) {
      const room = this.rooms.get(name);
      if (!room) continue;
      const fields: RoomSummaryFields = JSON.parse(room.summary);
      rooms.push({ ...fields, room: name, ...positionOf(room) });
    }
    return ok({ rooms, warnings: [] });
  }

  async load(name: string): Promise<Result<StoredRoom | undefined, StoreError>> {
    if (this.isClosed) return err(closed);
    const room = this.rooms.get(name);
    if (!room) return ok(undefined);
    const snapshot: Snapshot | undefined = room.snapshot && JSON.parse(room.snapshot.json);
    return ok({ ...positionOf(room), snapshot, tail: room.records.slice(snapshot?.revision ?? 0).map(parse) });
  }

  async append(append: Append): Promise<AppendOutcome> {
    const { epoch, expectedRevision, records } = append;
    for (const [index, { change }] of records.entries()) {
      assert(change.revision === expectedRevision + index + 1, 'an append needs consecutive records');
    }
    assert(records.length > 0, 'an append needs a record');
    if (this.isClosed) return { type: 'failed', error: closed };
    const room = this.rooms.get(append.room);
    if (room ? room.epoch !== epoch : expectedRevision !== 0) {
      return { type: 'conflict', current: room && positionOf(room) };
    }
    const mutationId = firstDuplicate(append, room);
    if (mutationId !== undefined) return { type: 'duplicate', mutationId };
    if (room && room.records.length !== expectedRevision) return { type: 'conflict', current: positionOf(room) };
    this.store(append, room ?? newRoom(epoch));
    return { type: 'appended' };
  }

  async history(
    name: string,
    epoch: string,
    from: number,
    to: number,
    bound?: HistoryBound,
  ): Promise<Result<readonly ChangeRecord[], StoreError>> {
    if (this.isClosed) return err(closed);
    const texts = this.find(name, epoch)?.records.slice(Math.max(0, from - 1), Math.max(0, to)) ?? [];
    return ok((bound ? within(texts, bound) : texts).map(parse));
  }

  async findMutation(
    name: string,
    epoch: string,
    mutationId: string,
  ): Promise<Result<ChangeRecord | undefined, StoreError>> {
    if (this.isClosed) return err(closed);
    const room = this.find(name, epoch);
    const text = room?.records[(room.revisionByMutation.get(mutationId) ?? 0) - 1];
    return ok(text === undefined ? undefined : parse(text));
  }

  async saveSnapshot(snapshot: Snapshot): Promise<Result<void, StoreError>> {
    if (this.isClosed) return err(closed);
    const room = this.find(snapshot.room, snapshot.epoch);
    const { revision } = snapshot;
    const isNews = room && revision <= room.records.length && revision > (room.snapshot?.revision ?? 0);
    if (isNews) room.snapshot = { revision, json: JSON.stringify(snapshot) };
    return ok(undefined);
  }

  async readSight(
    name: string,
    epoch: string,
    actor: string,
    dialect: string,
  ): Promise<Result<Sight | undefined, StoreError>> {
    if (this.isClosed) return err(closed);
    const sight = this.find(name, epoch)?.sights.get(sightKey(actor, dialect));
    return ok(sight && JSON.parse(sight.json));
  }

  async saveSight(name: string, epoch: string, sight: Sight): Promise<Result<void, StoreError>> {
    if (this.isClosed) return err(closed);
    const room = this.find(name, epoch);
    if (room) keepSight(room, sight);
    return ok(undefined);
  }

  async remove(name: string, expected?: RoomPosition): Promise<Result<RemoveOutcome, StoreError>> {
    if (this.isClosed) return err(closed);
    const room = this.rooms.get(name);
    if (!room) return ok({ type: 'absent' });
    const position = positionOf(room);
    if (expected && (expected.epoch !== position.epoch || expected.revision !== position.revision)) {
      return ok({ type: 'conflict', current: position });
    }
    this.rooms.delete(name);
    return ok({ type: 'removed', position });
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  private find(name: string, epoch: string): MemoryRoom | undefined {
    const room = this.rooms.get(name);
    return room?.epoch === epoch ? room : undefined;
  }

  private store(append: Append, room: MemoryRoom): void {
    for (const { change, changeText, undoText, nags } of append.records) {
      room.records.push(`{"change":${changeText},"undo":${undoText},"nags":${JSON.stringify(nags)}}`);
      room.revisionByMutation.set(change.mutationId, change.revision);
    }
    for (const sight of append.sights ?? []) keepSight(room, sight);
    room.summary = JSON.stringify(append.summary);
    this.rooms.set(append.room, room);
  }
}

function newRoom(epoch: string): MemoryRoom {
  const [revisionByMutation, sights] = [new Map(), new Map()];
  return { epoch, records: [], revisionByMutation, sights, summary: '', snapshot: undefined };
}

function sightKey(actor: string, dialect: string): string {
  return JSON.stringify([actor, dialect]);
}

function keepSight({ sights }: MemoryRoom, sight: Sight): void {
  const key = sightKey(sight.actor, sight.dialect);
  sights.delete(key);
  sights.set(key, { revision: sight.revision, json: JSON.stringify(sight) });
  if (sights.size <= limits.sightsPerRoomMax) return;
  // Of those that are equally old the one that came first goes.
  const [oldest] = [...sights].reduce((a, b) => (b[1].revision < a[1].revision ? b : a));
  sights.delete(oldest);
}

function firstDuplicate(append: Append, room: MemoryRoom | undefined): string | undefined {
  const seen = new Set<string>();
  for (const { change } of append.records) {
    if (seen.has(change.mutationId) || room?.revisionByMutation.has(change.mutationId)) return change.mutationId;
    seen.add(change.mutationId);
  }
  return undefined;
}

function positionOf(room: MemoryRoom): RoomPosition {
  return { epoch: room.epoch, revision: room.records.length };
}

function within(texts: readonly string[], { charactersMax, newest = false }: HistoryBound): readonly string[] {
  const ordered = newest ? [...texts].reverse() : texts;
  let count = 0;
  let characters = 0;
  for (const text of ordered) {
    characters += text.length;
    if (count > 0 && characters > charactersMax) break;
    count += 1;
  }
  return newest ? texts.slice(texts.length - count) : texts.slice(0, count);
}

function parse(text: string): ChangeRecord {
  return JSON.parse(text);
}
