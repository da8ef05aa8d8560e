import type { Nag } from '../../shared/plan/change.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { Result } from '../../shared/plan/result.ts';
import { type ClientFailure, type FailureCode, failure } from './failure.ts';

/** The mutation is on the server's disk. */
export interface Ack {
  readonly room: string;
  readonly epoch: string;
  /** Revision of its Change, or of the plan when the mutation changed nothing. */
  readonly revision: number;
  readonly nags: readonly Nag[];
  /** Tasks it made: uid and id such as `task-7`. */
  readonly created: readonly { readonly uid: string; readonly id: string }[];
  /** It had been accepted before; this is the first answer again. */
  readonly repeated: boolean;
}

export type MutationResult = Result<Ack, ClientFailure>;

/** A mutation without an answer. */
export interface PendingMutation {
  readonly id: string;
  /** Place in the order of everything this client asked for. */
  readonly sequence: number;
  readonly room: string;
  readonly mutation: Mutation;
  /** The history it was made for; absent while the room has none. */
  epoch?: string;
  /** Times the server was too busy for it. */
  refusals: number;
  /** Times it was sent and no answer came: with any, it may have taken effect already. */
  unanswered: number;
  readonly settle: (result: MutationResult) => void;
}

/** A room with mutations to send. */
export interface MutationSource {
  readonly room: string;
  /** The next one, or undefined while there is none or the room is not up to date. */
  nextMutation(): PendingMutation | undefined;
  /** These were not answered and have to be sent again. */
  putBack(again: readonly PendingMutation[]): void;
  /** The answer to one of its mutations. */
  settle(pending: PendingMutation, result: MutationResult): void;
}

/** What these say holds for mutations that were sent as well. */
const saysItAll: ReadonlySet<FailureCode> = new Set(['unanswered', 'closed', 'epoch_changed']);

/**
 * What the caller of a mutation is told that will not be sent again, for this reason. The reason alone would say that
 * nothing took effect, which of one that was sent and not answered nobody knows.
 */
export function lastWord({ unanswered }: PendingMutation, reason: ClientFailure): ClientFailure {
  if (unanswered === 0 || saysItAll.has(reason.code)) return reason;
  const message = `${reason.message} The mutation was sent and not answered: it may have taken effect or not.`;
  return failure('unanswered', message, { ...reason.facts, reason: reason.code });
}

/** The mutations of one room that wait for their answer, those not yet sent in the order they were made. */
export class PendingMutations {
  private readonly byId = new Map<string, PendingMutation>();
  private unsent: PendingMutation[] = [];

  get count(): number {
    return this.byId.size;
  }

  add(pending: PendingMutation): void {
    this.byId.set(pending.id, pending);
    this.unsent.push(pending);
  }

  /** The next one to send, which then counts as sent. */
  takeUnsent(): PendingMutation | undefined {
    for (let next = this.unsent.shift(); next; next = this.unsent.shift()) {
      if (this.byId.has(next.id)) return next;
    }
    return undefined;
  }

  /** It has to be sent again; it goes back to its place. One that was answered meanwhile stays away. */
  putBack(again: readonly PendingMutation[]): void {
    const waiting = again.filter((pending) => this.byId.has(pending.id));
    if (waiting.length === 0) return;
    this.unsent = [...waiting, ...this.unsent].sort((a, b) => a.sequence - b.sequence);
  }

  /** It is answered; undefined when it is not one of these. */
  remove(id: string): PendingMutation | undefined {
    const pending = this.byId.get(id);
    this.byId.delete(id);
    return pending;
  }

  /** Takes out those that `matches`, sent or not. */
  removeWhere(matches: (pending: PendingMutation) => boolean): readonly PendingMutation[] {
    const removed = [...this.byId.values()].filter(matches);
    for (const pending of removed) this.byId.delete(pending.id);
    this.unsent = this.unsent.filter((pending) => this.byId.has(pending.id));
    return removed;
  }
}
