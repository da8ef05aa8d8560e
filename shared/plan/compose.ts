import type { DocumentPatch, GroupPatch, Patch, TaskPatch } from './change.ts';

/** The one patch that does what these patches do one after the other. */
export function compose(patches: readonly Patch[]): Patch {
  let document: DocumentPatch | undefined;
  let policy: Patch['policy'];
  const groups = new Map<string, GroupPatch>();
  const tasks = new Map<string, TaskPatch>();
  for (const patch of patches) {
    if (patch.document) document = { ...document, ...patch.document };
    if (patch.policy) policy = { ...policy, ...patch.policy };
    for (const row of patch.groups ?? []) groups.set(row.uid, composeRow(groups.get(row.uid), row, groupOptional));
    for (const row of patch.tasks ?? []) tasks.set(row.uid, composeRow(tasks.get(row.uid), row, taskOptional));
  }
  return {
    ...(document && { document }),
    ...(policy && { policy }),
    ...(groups.size > 0 && { groups: [...groups.values()] }),
    ...(tasks.size > 0 && { tasks: [...tasks.values()] }),
  };
}

const groupOptional = { evidence: null };
const taskOptional = { startedBy: null, priority: null, labels: null };

/** A row that was removed and comes back is stated whole, so that nothing of the old one shines through. */
function composeRow<Row extends GroupPatch | TaskPatch>(before: Row | undefined, row: Row, optional: object): Row {
  if (before === undefined || row.removed) return row;
  if (before.removed) return { ...optional, ...row };
  return { ...before, ...row };
}
