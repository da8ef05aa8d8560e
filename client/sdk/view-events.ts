import type { Change } from '../../shared/plan/change.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { PresenceEntry } from '../../shared/protocol/server-message.ts';
import type { ClientFailure } from './failure.ts';
import type { Position } from './optimistic-plan.ts';

export interface JoinOptions {
  /** `delta` keeps the plan; `notice` only tells that something changed. Default `delta`. */
  readonly mode?: 'delta' | 'notice';
  /** Also be told who else is here. Default false. */
  readonly presence?: boolean;
  /**
   * Milliseconds from this call to being up to date; then the answer is the failure `unreachable`, and if nobody else
   * waits for the room the client stops trying. Default: as long as it takes, for ever while no server is there.
   */
  readonly timeoutMs?: number;
}

/** What made the plan of a view change. */
export interface ViewChange {
  /** `mutation`: one of ours, not confirmed yet. `withdrawn`: ours, that did not come about or is confirmed as nothing. */
  readonly cause: 'mutation' | 'confirmed' | 'snapshot' | 'withdrawn';
  /** The Changes that are new; empty unless the cause is `confirmed`. */
  readonly changes: readonly Change[];
}

export interface ViewEvents {
  /** The plan is not what it was. */
  readonly change: ViewChange;
  /** A mutation of ours was refused or could not be stored. Whoever asked for it is told as well. */
  readonly rejected: { readonly mutation: Mutation; readonly failure: ClientFailure };
  /** The room was deleted. The view is over; joining again makes a new room. */
  readonly deleted: Position;
  /** The room was deleted and made anew while we were away: what was known of it is gone. Comes before the `change`. */
  readonly reset: { readonly from: Position; readonly to: Position };
  /** Who is here, this client included. Only with `presence: true`. */
  readonly presence: { readonly present: readonly PresenceEntry[]; readonly more: number };
  /** Something changed; only in notice mode. After a reconnect the action is `resume` when Changes were missed. */
  readonly notice: { readonly action: string; readonly revision: number };
  /** Whether what is shown is up to date, apart from the time a message takes. */
  readonly live: boolean;
}
