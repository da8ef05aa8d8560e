import type { Mutation } from '../../shared/plan/mutation.ts';
import { err } from '../../shared/plan/result.ts';
import { acceptMutation } from './accept-mutation.ts';
import type { Emitter } from './emitter.ts';
import { type ClientFailure, failure } from './failure.ts';
import type { OptimisticPlan } from './optimistic-plan.ts';
import {
  lastWord,
  type MutationResult,
  type MutationSource,
  type PendingMutation,
  PendingMutations,
} from './pending-mutations.ts';
import type { ViewEvents } from './view-events.ts';
import type { ViewHost } from './view-host.ts';

/** Mutations of one room that wait for their answer; more are refused with `overloaded`. Each is replayed per Change. */
export const pendingPerRoomMax = 10_000;

/** What the mutations of a room need of its view. */
export interface MutationsPort {
  readonly room: string;
  readonly host: ViewHost;
  readonly emitter: Emitter<ViewEvents>;
  /** Where they are shown; absent in notice mode. */
  readonly optimistic: OptimisticPlan | undefined;
  /** The history that a mutation is for; empty while the room has none. */
  readonly epoch: () => { readonly epoch?: string };
  readonly isLive: () => boolean;
}

/** The mutations of one view, from being asked for to being answered. */
export class RoomMutations implements MutationSource {
  readonly room: string;
  private readonly port: MutationsPort;
  private readonly pending = new PendingMutations();
  /** What came to nothing in this tick, to be told together. */
  private rejections: ViewEvents['rejected'][] = [];
  private isWithdrawn = false;
  private isTelling = false;

  constructor(port: MutationsPort) {
    this.room = port.room;
    this.port = port;
  }

  get count(): number {
    return this.pending.count;
  }

  /** Shows the mutation, and has it sent. */
  ask(mutation: Mutation): Promise<MutationResult> {
    if (this.count >= pendingPerRoomMax) {
      return Promise.resolve(err(failure('overloaded', `${pendingPerRoomMax} mutations of this room wait already.`)));
    }
    const { room, host, emitter, optimistic, epoch } = this.port;
    const accepted = acceptMutation(mutation, host.environment.newUid);
    if (!accepted.ok) return Promise.resolve(accepted);
    return new Promise((settle) => {
      const id = host.ids.next();
      const sequence = host.nextSequence();
      this.pending.add({
        id,
        sequence,
        room,
        mutation: accepted.value,
        refusals: 0,
        unanswered: 0,
        settle,
        ...epoch(),
      });
      if (optimistic) {
        const at = new Date(host.environment.nowMs()).toISOString();
        optimistic.add({ mutationId: id, mutation: accepted.value, at, actor: host.actor() });
        emitter.emit('change', { cause: 'mutation', changes: [] });
      }
      host.wake();
    });
  }

  nextMutation(): PendingMutation | undefined {
    if (!this.port.isLive()) return undefined;
    const pending = this.pending.takeUnsent();
    // Once the room has a history the mutation is for that one, and not for another of the same name.
    if (pending && pending.epoch === undefined) Object.assign(pending, this.port.epoch());
    return pending;
  }

  putBack(again: readonly PendingMutation[]): void {
    this.pending.putBack(again);
  }

  settle({ id }: PendingMutation, result: MutationResult): void {
    const pending = this.pending.remove(id);
    if (!pending) return;
    const { optimistic } = this.port;
    if (result.ok) {
      if (optimistic?.acknowledge(id, result.value)) this.isWithdrawn = true;
    } else {
      if (optimistic?.drop([id])) this.isWithdrawn = true;
      this.rejections.push({ mutation: pending.mutation, failure: result.error });
    }
    this.tellSoon();
    pending.settle(result);
  }

  /** Answers those that match, which will not be sent again. */
  giveUp(matches: (pending: PendingMutation) => boolean, reason: ClientFailure): void {
    for (const pending of this.pending.removeWhere(matches)) {
      if (this.port.optimistic?.drop([pending.id])) this.isWithdrawn = true;
      const last = lastWord(pending, reason);
      this.rejections.push({ mutation: pending.mutation, failure: last });
      this.tellSoon();
      pending.settle(err(last));
    }
  }

  /**
   * Tells listeners at the end of the tick, before those who wait for an answer go on. One by one, each that looks at
   * the plan would have everything decided again that comes after the one that was dropped.
   */
  private tellSoon(): void {
    if (this.isTelling || (!this.isWithdrawn && this.rejections.length === 0)) return;
    this.isTelling = true;
    queueMicrotask(() => {
      const { emitter, optimistic } = this.port;
      const { rejections, isWithdrawn } = this;
      this.rejections = [];
      this.isWithdrawn = false;
      this.isTelling = false;
      optimistic?.replay();
      for (const rejection of rejections) emitter.emit('rejected', rejection);
      if (isWithdrawn) emitter.emit('change', { cause: 'withdrawn', changes: [] });
    });
  }
}
