import type { DocumentPatch, GroupPatch, Patch, TaskPatch } from './change.ts';

/** The one patch that does what these patches do one after the other. */
export function compose(patches: readonly Patch[]): Patch {
  let document: DocumentPatch | undefined;
  let policy: Patch['policy'];
  const groups = new Map<string, GroupPatch>();
  const tasks = new Map<string, TaskPatch>();
  for (const patch of patches) {
    if (patch.document) document = composeDocument(document, patch.document);
    if (patch.policy) policy = { ...policy, ...patch.policy };
    for (const row of patch.groups ?? []) groups.set(row.uid, composeRow(groups.get(row.uid), row, groupUnstated));
    for (const row of patch.tasks ?? []) tasks.set(row.uid, composeRow(tasks.get(row.uid), row, taskUnstated));
  }
  return {
    ...(document && { document }),
    ...(policy && { policy }),
    ...(groups.size > 0 && { groups: [...groups.values()] }),
    ...(tasks.size > 0 && { tasks: [...tasks.values()] }),
  };
}

/** A body is either there or known by its size, so one takes the other away. */
function composeDocument(before: DocumentPatch | undefined, patch: DocumentPatch): DocumentPatch {
  if (!before) return patch;
  const { content, contentBytes, ...labels } = before;
  const keepsBody = patch.content === undefined && patch.contentBytes === undefined;
  return overlay(keepsBody ? before : labels, patch);
}

/** What a new row means by leaving a field out. */
const groupUnstated = { testsVerified: false, evidence: null };
const taskUnstated = { status: 'pending', startedBy: null, dependsOn: [], priority: null, labels: null };

/** A row that was removed and comes back is stated whole, so that nothing of the old one shines through. */
function composeRow<Row extends GroupPatch | TaskPatch>(before: Row | undefined, row: Row, unstated: object): Row {
  if (before === undefined || row.removed) return row;
  return overlay(before.removed ? unstated : before, row) as Row;
}

/** The fields of both, the upper ones first; a field that is there as `undefined` is not there. */
function overlay<Upper extends object>(lower: object, upper: Upper): Upper {
  const stated = Object.entries(upper).filter(([, value]) => value !== undefined);
  return { ...lower, ...Object.fromEntries(stated) } as Upper;
}
