import { apply, markOf } from '../../shared/plan/apply.ts';
import type { Change, Mark } from '../../shared/plan/change.ts';
import { decide } from '../../shared/plan/decide.ts';
import { Plan } from '../../shared/plan/plan.ts';
import { assert } from '../../shared/plan/result.ts';
import type { Sight } from '../../shared/plan/sight.ts';
import type { PastChange, Stamp } from '../../shared/plan/stamp.ts';
import type { EncodedRecord, StoredRoom } from '../store/store.ts';
import { changedNothing, encodeRecord } from './answers.ts';
import type { Outcome, Submission } from './outcome.ts';

/** A mutation that was let through and waits for its commit. */
export interface Undurable {
  readonly record: EncodedRecord;
  /** What the pending plan was marked with before it; rolling back needs it. */
  readonly before: Mark;
  /** What its actor sees by it. */
  readonly sight: Sight | undefined;
}

/**
 * The two plans of a room. `durable` is what is on disk, and all that anyone sees. `pending` is ahead of it by the
 * mutations that wait for their commit; new ones are decided on it.
 */
export class Plans {
  readonly durable: Plan;
  readonly pending: Plan;

  constructor(name: string, epoch: string, stored: StoredRoom | undefined) {
    this.durable = stored?.snapshot ? Plan.fromSnapshot(stored.snapshot) : new Plan(name, epoch);
    for (const { change } of stored?.tail ?? []) apply(this.durable, change.patch, change);
    this.pending = Plan.fromSnapshot(this.durable.toSnapshot());
  }

  /** Decides on the pending plan and, when let through, moves it on. */
  decide(submission: Submission, stamp: Stamp): Outcome | Undurable {
    const { mutation, mutationId, actor } = submission;
    const decision = decide(this.pending, mutation, stamp);
    if (!decision.ok) return { type: 'reject', rejection: decision.error };
    const { patch, undo, nags } = decision.value;
    const before = markOf(this.pending);
    if (changedNothing(patch)) {
      const { room, epoch, revision } = this.pending;
      return { type: 'ack', ack: { room, epoch, revision, nags, created: [], repeated: false } };
    }
    const change: Change = {
      revision: before.revision + 1,
      at: stamp.at,
      actor,
      mutationId,
      action: mutation.type,
      patch,
    };
    apply(this.pending, patch, change);
    const undurable = { record: encodeRecord({ change, undo, nags }), before, sight: undefined };
    try {
      return { ...undurable, sight: sightOf(submission, this.pending) };
    } catch (error) {
      this.rollBack([undurable]);
      throw error;
    }
  }

  /** The Changes are on disk. */
  commit(records: readonly EncodedRecord[]): void {
    for (const { change } of records) apply(this.durable, change.patch, change);
  }

  /** Changes of another server that are on disk: both plans move on. Only while nothing is pending. */
  catchUp(records: readonly EncodedRecord[]): void {
    assert(this.pending.revision === this.durable.revision, 'only a room with nothing pending catches up');
    this.commit(records);
    for (const { change } of records) apply(this.pending, change.patch, change);
  }

  /** Takes back everything that is not durable, newest first. */
  rollBack(undurable: readonly Undurable[]): void {
    for (const { record, before } of [...undurable].reverse()) apply(this.pending, record.undo, before);
  }
}

/** `plan` has the submission's Change, and nothing after it. */
function sightOf({ actor, sight }: Submission, plan: Plan): Sight | undefined {
  return sight && { ...sight.sees(plan), actor, dialect: sight.dialect, revision: plan.revision };
}

export function pastChange(record: EncodedRecord): PastChange {
  const { action, actor, patch } = record.change;
  return { action, actor, patch, undo: record.undo };
}
