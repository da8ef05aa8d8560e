import { limits } from '../../shared/plan/limits.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import type {
  EncodedRecord,
  RemoveOutcome,
  RoomListing,
  RoomPosition,
  RoomSummary,
  Store,
  StoreError,
} from '../store/store.ts';
import { failed, summaryOf } from './answers.ts';
import type { Outcome, Submission } from './outcome.ts';
import { Room, type RoomContext } from './room.ts';
import { SharedRun } from './shared-run.ts';
import type { Subscriber } from './subscriber.ts';
import { Turns } from './turns.ts';

/** What happened to a room of the list: its summary as it is now, or that it is gone. */
export type RoomEvent =
  | { readonly type: 'changed'; readonly room: Room; readonly records: readonly EncodedRecord[] }
  | {
      readonly type: 'deleted';
      readonly name: string;
      readonly position: RoomPosition;
      /** The guard of whoever deleted it, where there was one. */
      readonly guard?: number | undefined;
    };

/** With more rooms in memory, those that nobody uses just now are let go at once: names cost nothing to make up. */
const crowdedCount = 2_048;
const crowdedIdleMs = 1_000;

type Environment = Pick<RoomContext, 'store' | 'now' | 'newUid' | 'atEndOfTick' | 'onFault'>;

/**
 * All rooms of this server. A room is loaded when it is first asked for, and let go when idle. Loading, letting go and
 * joining at the same time is safe: there is at most one live `Room` of a name, and whoever held one that ended gets
 * the next.
 */
export class RoomRegistry {
  private readonly environment: Environment;
  private readonly rooms = new Map<string, Promise<Result<Room, StoreError>>>();
  /** Rooms that turned out to be damaged when they were loaded, and why; a list reads too little of a room to see it. */
  private readonly damaged = new Map<string, string>();
  /** What the deletion under way was guarded with, for those who watch. */
  private readonly guards = new WeakMap<Room, number | undefined>();
  private relieveAtCount = crowdedCount;
  private readonly watchers = new Set<(event: RoomEvent) => void>();
  private readonly listing = new SharedRun(() => this.environment.store.list());
  private readonly historyReads = new Turns(limits.historyReadsMax, limits.historyReadsWaitingMax);

  constructor(environment: Environment) {
    this.environment = environment;
  }

  get store(): Store {
    return this.environment.store;
  }

  /**
   * Every room; those that cannot be read are warnings, whether the list saw it or an earlier load. However many ask, the
   * store makes one list at a time.
   */
  async list(): Promise<Result<RoomListing, StoreError>> {
    const listed = await this.listing.ask();
    if (!listed.ok || this.damaged.size === 0) return listed;
    const { rooms, warnings } = listed.value;
    const known = new Set(warnings.map(({ room }) => room));
    const more = rooms.flatMap(({ room }) => {
      const message = this.damaged.get(room);
      return message === undefined || known.has(room) ? [] : [{ room, message }];
    });
    return ok({ rooms: rooms.filter(({ room }) => !this.damaged.has(room)), warnings: [...warnings, ...more] });
  }

  /** The live room of this name, loaded if need be. A name that was never used gives a room at revision 0. */
  async open(name: string): Promise<Result<Room, StoreError>> {
    for (;;) {
      const loading = this.rooms.get(name) ?? this.load(name);
      const loaded = await loading;
      if (!loaded.ok || loaded.value.state === 'open') return loaded;
      if (this.rooms.get(name) === loading) this.rooms.delete(name);
    }
  }

  async submit(name: string, submission: Submission): Promise<Outcome> {
    for (;;) {
      const opened = await this.open(name);
      if (!opened.ok) return failed(opened.error);
      // It may have ended while this call waited its turn.
      if (opened.value.state === 'open') return opened.value.submit(submission);
    }
  }

  /** As `Room.subscribe`, on whichever object is the live room by then. */
  async subscribe(
    name: string,
    subscriber: Subscriber,
    since: RoomPosition | undefined,
  ): Promise<Result<void, StoreError>> {
    for (;;) {
      const opened = await this.open(name);
      if (!opened.ok) return opened;
      if (await opened.value.subscribe(subscriber, since)) return ok(undefined);
    }
  }

  /**
   * As `Room.history`, within `limits.historyReadCharactersMax`; a few at a time where the store must be read. Undefined:
   * too many wait already.
   */
  async readHistory(
    room: Room,
    from: number,
    to: number,
  ): Promise<Result<readonly EncodedRecord[], StoreError> | undefined> {
    const read = () => room.history(from, to, limits.historyReadCharactersMax);
    return room.holdsFrom(from) ? read() : this.historyReads.run(read);
  }

  /** As `Room.readSight`; `epoch` is the one of the plan it will be compared with. */
  readSight(
    name: string,
    epoch: string,
    actor: string,
    dialect: string,
  ): Promise<Result<Sight | undefined, StoreError>> {
    return this.store.readSight(name, epoch, actor, dialect);
  }

  /** As `Room.saveSight`; `epoch` is the one of the plan that was seen, for the room may be another one by now. */
  saveSight(name: string, epoch: string, sight: Sight): Promise<Result<void, StoreError>> {
    return this.store.saveSight(name, epoch, sight);
  }

  /** Deletes the room; without `expectedRevision` also one that cannot be read. */
  async delete(
    name: string,
    expectedRevision: number | undefined,
    guard: number | undefined = expectedRevision,
  ): Promise<Result<RemoveOutcome, StoreError>> {
    const opened = await this.open(name);
    if (opened.ok) {
      this.guards.set(opened.value, guard);
      const removed = await opened.value.delete(expectedRevision);
      return removed ?? this.delete(name, expectedRevision, guard);
    }
    if (expectedRevision !== undefined) return err(opened.error);
    const removed = await this.store.remove(name);
    if (removed.ok) this.damaged.delete(name);
    if (removed.ok && removed.value.type === 'removed') {
      const position = removed.value.position ?? { epoch: '', revision: 0 };
      this.tell({ type: 'deleted', name, position, guard });
    }
    return removed;
  }

  /** Calls back at each publication and deletion of any room, until told to stop. */
  watch(watcher: (event: RoomEvent) => void): () => void {
    // Its own, so that whoever watches twice can stop once.
    const own = (event: RoomEvent): void => watcher(event);
    this.watchers.add(own);
    return () => void this.watchers.delete(own);
  }

  /** Lets go of rooms that nobody used for a while. */
  async evictIdle(idleMs: number = limits.roomIdleTimeoutMs): Promise<void> {
    for (const [name, loading] of [...this.rooms]) {
      const loaded = await loading;
      if (!loaded.ok || loaded.value.state !== 'open' || !loaded.value.isIdle(idleMs)) continue;
      const evicting = loaded.value.evict();
      if (this.rooms.get(name) === loading) this.rooms.delete(name);
      await evicting;
    }
  }

  /** How many rooms are in memory. */
  get liveCount(): number {
    return this.rooms.size;
  }

  private load(name: string): Promise<Result<Room, StoreError>> {
    const loading = this.loadNow(name);
    this.rooms.set(name, loading);
    if (this.rooms.size >= this.relieveAtCount) void this.relieve();
    void loading.then((loaded) => {
      // A failure is not kept: the next one who asks tries again.
      if (!loaded.ok && this.rooms.get(name) === loading) this.rooms.delete(name);
    });
    return loading;
  }

  private async relieve(): Promise<void> {
    // Not again before this turn is over.
    this.relieveAtCount = Number.POSITIVE_INFINITY;
    await this.evictIdle(crowdedIdleMs);
    this.relieveAtCount = Math.max(crowdedCount, this.rooms.size + crowdedCount);
  }

  private async loadNow(name: string): Promise<Result<Room, StoreError>> {
    const stored = await this.environment.store.load(name);
    if (!stored.ok) {
      if (stored.error.code === 'store_corrupt') this.damaged.set(name, stored.error.message);
      return stored;
    }
    this.damaged.delete(name);
    const context: RoomContext = {
      ...this.environment,
      onPublished: (room, records) => this.tell({ type: 'changed', room, records }),
      onDeleted: (room) => {
        this.rooms.delete(name);
        this.tell({ type: 'deleted', name, position: room.position, guard: this.guards.get(room) });
      },
    };
    return ok(new Room(name, this.environment.newUid(), stored.value, context));
  }

  private tell(event: RoomEvent): void {
    for (const watcher of [...this.watchers]) {
      try {
        watcher(event);
      } catch (error) {
        this.environment.onFault(error);
      }
    }
  }
}

/** The entry of a live room in a list of rooms. */
export function summarize(room: Room): RoomSummary {
  return { room: room.name, ...room.position, ...summaryOf(room.plan) };
}
