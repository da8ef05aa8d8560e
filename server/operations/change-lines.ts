import type { ChangeLine } from '../../shared/dialects/dialect.ts';
import type { EncodedRecord } from '../store/store.ts';

/** A Change as digests need it: who did what to which tasks. */
export function changeLine({ change }: EncodedRecord): ChangeLine {
  const { revision, actor, action, patch } = change;
  return {
    revision,
    actor,
    action,
    tasks: (patch.tasks ?? []).map(({ uid }) => uid),
    document: patch.document !== undefined,
  };
}
