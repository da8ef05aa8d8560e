import type { Nag } from '../../shared/plan/change.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { Rejection } from '../../shared/plan/rejection.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import type { StoreError } from '../store/store.ts';

/** A mutation on its way into a room. */
export interface Submission {
  /** Made by the caller, unique in the room; sending it again has effect once and gets the first answer. */
  readonly mutationId: string;
  readonly mutation: Mutation;
  /** Authenticated name of who asks. */
  readonly actor: string;
  /** When given, the room must still be this one: not deleted and made anew since. */
  readonly epoch?: string | undefined;
  /** What the actor will have seen when its Change is accepted; it is stored with the Change, or not at all. */
  readonly sight?: SightOfChange | undefined;
}

export interface SightOfChange {
  readonly dialect: string;
  /**
   * Told the plan with the Change in it, to look at within the call. Called for each time the mutation is let through,
   * which may be again when another server wrote in between; never when it is refused or changes nothing.
   */
  readonly sees: (plan: Plan) => Omit<Sight, 'actor' | 'dialect' | 'revision'>;
}

/** The mutation was accepted and is on disk. */
export interface Ack {
  readonly room: string;
  readonly epoch: string;
  /** Revision of the Change, or of the plan when the mutation changed nothing. */
  readonly revision: number;
  readonly nags: readonly Nag[];
  /** Tasks the Change made. */
  readonly created: readonly { readonly uid: string; readonly id: string }[];
  /** The mutation had been accepted before; this is the first answer again. */
  readonly repeated: boolean;
}

export type Outcome =
  | { readonly type: 'ack'; readonly ack: Ack }
  | { readonly type: 'reject'; readonly rejection: Rejection }
  | { readonly type: 'error'; readonly error: StoreError }
  /** A bug of ours; it is logged, and nothing changed. */
  | { readonly type: 'fault' };
