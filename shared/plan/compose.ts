import type { DocumentPatch, GroupPatch, Patch, TaskPatch } from './change.ts';

/** What is done, and what takes it back. */
interface Step {
  readonly patch: Patch;
  readonly undo: Patch;
}

/** What a new task takes over from the Change that makes it. */
interface Birth {
  readonly createdBy: string;
  readonly createdRevision: number;
}

/**
 * The one step that does what these do one after the other. A row that is there neither before nor after is left out:
 * there is nothing to do, and nothing to take back.
 */
export function compose(steps: readonly Step[], birth: Birth): Step {
  const patch = composePatches(
    steps.map((step) => step.patch),
    birth,
  );
  const undo = composePatches(steps.map((step) => step.undo).reverse(), birth);
  const groups = withoutPassing(patch.groups, undo.groups);
  const tasks = withoutPassing(patch.tasks, undo.tasks);
  return { patch: patchOf(patch, groups.patches, tasks.patches), undo: patchOf(undo, groups.undos, tasks.undos) };
}

function composePatches(patches: readonly Patch[], birth: Birth): Patch {
  let document: DocumentPatch | undefined;
  let policy: Patch['policy'];
  const groups = new Map<string, GroupPatch>();
  const tasks = new Map<string, TaskPatch>();
  const newTask = { ...taskUnstated, ...birth };
  for (const patch of patches) {
    if (patch.document) document = composeDocument(document, patch.document);
    if (patch.policy) policy = { ...policy, ...patch.policy };
    for (const row of patch.groups ?? []) groups.set(row.uid, composeRow(groups.get(row.uid), row, groupUnstated));
    for (const row of patch.tasks ?? []) tasks.set(row.uid, composeRow(tasks.get(row.uid), row, newTask));
  }
  return {
    ...(document && { document }),
    ...(policy && { policy }),
    groups: [...groups.values()],
    tasks: [...tasks.values()],
  };
}

/** Both without the rows that came and went. */
function withoutPassing<Row extends GroupPatch | TaskPatch>(patches: readonly Row[] = [], undos: readonly Row[] = []) {
  const gone = new Set(patches.flatMap((row) => (row.removed ? [row.uid] : [])));
  const passing = new Set(undos.flatMap((row) => (row.removed && gone.has(row.uid) ? [row.uid] : [])));
  const stays = ({ uid }: Row): boolean => !passing.has(uid);
  return { patches: patches.filter(stays), undos: undos.filter(stays) };
}

function patchOf({ document, policy }: Patch, groups: readonly GroupPatch[], tasks: readonly TaskPatch[]): Patch {
  return {
    ...(document && { document }),
    ...(policy && { policy }),
    ...(groups.length > 0 && { groups }),
    ...(tasks.length > 0 && { tasks }),
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
