import type { Outcome, Submission } from '../../server/room/outcome.ts';
import { RoomRegistry } from '../../server/room/registry.ts';
import type { Subscriber, Subscription } from '../../server/room/subscriber.ts';
import { openMemoryStore } from '../../server/store/memory.ts';
import type { EncodedRecord, RoomPosition, Store } from '../../server/store/store.ts';
import { TickScheduler } from '../../server/tick.ts';
import { apply } from '../../shared/plan/apply.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { Plan } from '../../shared/plan/plan.ts';

function rethrow(error: unknown): void {
  throw error;
}

let registries = 0;

/** A registry on a store, with a counting clock and counting uids; those of two registries are never the same. */
export function openRooms(store: Store = openMemoryStore(), onFault = rethrow): RoomRegistry {
  registries += 1;
  const prefix = `uid-${registries}`;
  let uids = 0;
  let ticks = 0;
  return new RoomRegistry({
    store,
    now: () => new Date(Date.UTC(2026, 0, 1) + ticks++).toISOString(),
    newUid: () => `${prefix}-${String(++uids).padStart(6, '0')}`,
    atEndOfTick: new TickScheduler().atEndOfTick,
    onFault,
  });
}

let ids = 0;

export function submission(mutation: Mutation, actor = 'ann', mutationId = `m${++ids}`): Submission {
  return { mutationId, mutation, actor };
}

export function add(description: string, group = 'G'): Mutation {
  return { type: 'task.add', description, group };
}

/** The outcome in a few words: `ack 3`, `ack 3 again`, `reject busy`, `error store_full`. */
export function brief(outcome: Outcome): string {
  switch (outcome.type) {
    case 'ack':
      return `ack ${outcome.ack.revision}${outcome.ack.repeated ? ' again' : ''}`;
    case 'reject':
      return `reject ${outcome.rejection.code}`;
    case 'error':
      return `error ${outcome.error.code}`;
    default:
      return outcome.type;
  }
}

/** A subscriber that keeps a plan of its own from what it is told, and can leave and come back. */
export class Mirror implements Subscriber {
  plan: Plan | undefined;
  readonly catchUps: string[] = [];
  readonly deletions: RoomPosition[] = [];
  readonly told: number[] = [];
  private subscription: Subscription | undefined;

  get position(): RoomPosition | undefined {
    return this.plan && { epoch: this.plan.epoch, revision: this.plan.revision };
  }

  onSubscribed(subscription: Subscription): void {
    this.subscription = subscription;
    const { catchUp, room, position } = subscription;
    this.catchUps.push(catchUp.type);
    if (catchUp.type === 'snapshot') this.plan = Plan.fromSnapshot(JSON.parse(JSON.stringify(room.snapshot())));
    if (catchUp.type === 'changes') this.onChanges(room.name, position.epoch, catchUp.records);
  }

  onChanges(_room: string, _epoch: string, records: readonly EncodedRecord[]): void {
    for (const record of records) {
      const change = JSON.parse(record.changeText);
      if (!this.plan || change.revision !== this.plan.revision + 1) throw new Error(`gap before ${change.revision}`);
      apply(this.plan, change.patch, change);
      this.told.push(change.revision);
    }
  }

  onDeleted(_room: string, position: RoomPosition): void {
    this.deletions.push(position);
    this.subscription = undefined;
  }

  leave(): void {
    this.subscription?.unsubscribe();
    this.subscription = undefined;
  }
}
