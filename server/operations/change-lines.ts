import type { ChangeLine, Deed } from '../../shared/dialects/dialect.ts';
import type { TaskPatch } from '../../shared/plan/change.ts';
import type { Status } from '../../shared/plan/model.ts';
import type { EncodedRecord } from '../store/store.ts';

/** A Change as digests need it: who did what to which tasks. */
export function changeLine({ change }: EncodedRecord): ChangeLine {
  const { revision, actor, action, patch } = change;
  return {
    revision,
    actor,
    action,
    tasks: (patch.tasks ?? []).map((row) => ({ uid: row.uid, deed: deedOf(row) })),
    document: patch.document !== undefined,
  };
}

const deedByStatus: Readonly<Record<Status, Deed>> = {
  pending: 'reopened',
  in_progress: 'started',
  completed: 'completed',
  cancelled: 'cancelled',
};

/** Only a new row states its number. */
function deedOf(row: TaskPatch): Deed {
  if (row.removed) return 'removed';
  if (typeof row.number === 'number') return 'added';
  return row.status ? deedByStatus[row.status] : 'edited';
}
