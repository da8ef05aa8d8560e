import type { ChangeRecord, Patch } from '../../shared/plan/change.ts';
import { taskId } from '../../shared/plan/model.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { RejectionCode } from '../../shared/plan/rejection.ts';
import type { EncodedRecord, RoomSummaryFields, StoreError } from '../store/store.ts';
import type { Outcome, Submission } from './outcome.ts';

/** The record with its canonical JSON, which the store and every broadcast share. */
export function encodeRecord({ change, undo, nags }: ChangeRecord): EncodedRecord {
  return { change, undo, nags, changeText: JSON.stringify(change), undoText: JSON.stringify(undo) };
}

export function changedNothing(patch: Patch): boolean {
  return !patch.tasks && !patch.groups && !patch.document && !patch.policy;
}

/** The Ack for a Change. The tasks it made are those whose row states a number: only a new row does. */
export function ackFor(room: string, epoch: string, record: ChangeRecord, repeated: boolean): Outcome {
  const { revision, patch } = record.change;
  const created = (patch.tasks ?? []).flatMap((row) =>
    !row.removed && typeof row.number === 'number' ? [{ uid: row.uid, id: taskId({ number: row.number }) }] : [],
  );
  return { type: 'ack', ack: { room, epoch, revision, nags: record.nags, created, repeated } };
}

/** The first answer again, if it is the same mutation that comes again. */
export function repeatedAnswer(room: string, epoch: string, record: ChangeRecord, submission: Submission): Outcome {
  const { change } = record;
  if (change.actor === submission.actor && change.action === submission.mutation.type) {
    return ackFor(room, epoch, record, true);
  }
  return rejected(
    'mutation_id_reused',
    `The mutationId '${submission.mutationId}' was used at revision ${change.revision} for ${change.action} by '${change.actor}'. Make a new id for each mutation.`,
    { mutationId: submission.mutationId, revision: change.revision },
  );
}

export function rejected(code: RejectionCode, message: string, facts?: { readonly [name: string]: unknown }): Outcome {
  return { type: 'reject', rejection: facts ? { code, message, facts } : { code, message } };
}

export function failed(error: StoreError): Outcome {
  return { type: 'error', error };
}

/** What lists of rooms show of a plan. */
export function summaryOf(plan: Plan): RoomSummaryFields {
  const counts = plan.countByStatus();
  const { title, author, status, revision, updatedAt } = plan.document;
  return {
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(status !== undefined && { status }),
    taskCount: plan.taskCount,
    openCount: plan.taskCount - counts.completed - counts.cancelled,
    documentRevision: revision,
    ...(revision > 0 && { documentUpdatedAt: updatedAt }),
    updatedAt: plan.updatedAt,
  };
}
