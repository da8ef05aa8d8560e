import type { Nag } from '../../shared/plan/change.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { Rejection } from '../../shared/plan/rejection.ts';
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
