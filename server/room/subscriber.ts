import type { Snapshot } from '../../shared/plan/model.ts';
import type { EncodedRecord, RoomPosition } from '../store/store.ts';
import type { Outcome, Submission } from './outcome.ts';

/** Whoever is told about a room's Changes. Calls are synchronous, in order, and must not throw. */
export interface Subscriber {
  /** Called once, in the step in which the subscription begins: nothing is told before it, and nothing is missed after it. */
  onSubscribed(subscription: Subscription): void;
  /** Changes that are on disk now, ascending, without a gap to what was told before. The array is shared: do not change it. */
  onChanges(room: string, epoch: string, records: readonly EncodedRecord[]): void;
  /** The room was deleted; the subscription is over. */
  onDeleted(room: string, position: RoomPosition): void;
}

/** What brings a subscriber from where it was to where the room is: the smallest that is right. */
export type CatchUp =
  | { readonly type: 'current' }
  | { readonly type: 'changes'; readonly records: readonly EncodedRecord[] }
  | { readonly type: 'snapshot' };

export interface Subscription {
  readonly room: JoinedRoom;
  readonly position: RoomPosition;
  readonly catchUp: CatchUp;
  /** Safe to call more than once. */
  readonly unsubscribe: () => void;
}

/** The room as whoever joined it sees it. */
export interface JoinedRoom {
  readonly name: string;
  readonly position: RoomPosition;
  /** No longer `open`: ask the registry for the live one. */
  readonly state: 'open' | 'evicted' | 'deleted';
  submit(submission: Submission): Promise<Outcome>;
  snapshot(): Snapshot;
}
