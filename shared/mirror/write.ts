import * as Y from 'yjs';
import type { Patch, TaskPatch } from '../plan/change.ts';
import type { Plan } from '../plan/plan.ts';
import {
  documentItem,
  keyOf,
  keysOfItem,
  type MirrorMark,
  metaItem,
  partsOf,
  plannedValue,
  policyItem,
  refusedItem,
  rootName,
  type Scalar,
  taskFields,
} from './schema.ts';

/** Origin of every transaction of the server. */
export const serverOrigin = 'planroom';

/** The doc of a room. Its writers keep one promise: after each of them the doc says what the plan says. */
export interface Mirror extends MirrorMark {
  readonly doc: Y.Doc;
}

export function rootOf(doc: Y.Doc): Y.Map<Scalar> {
  return doc.getMap(rootName);
}

/** Brings the whole doc to the plan, whatever it says now: a new doc, or one that has not been written to for a while. */
export function writePlan(mirror: Mirror, plan: Plan): void {
  const keys = new Set<string>();
  for (const key of rootOf(mirror.doc).keys()) if (partsOf(key).item !== refusedItem) keys.add(key);
  const add = (item: string): void => {
    for (const key of keysOfItem(plan, item)) keys.add(key);
  };
  for (const item of [metaItem, policyItem, documentItem]) add(item);
  for (const group of plan.groups()) {
    add(group.uid);
    for (const task of plan.tasksOf(group.uid)) add(task.uid);
  }
  settle(mirror, plan, keys);
}

/** Brings what a Change touched to the plan, which has it applied; the doc said what the plan said before it. */
export function writePatch(mirror: Mirror, plan: Plan, patch: Patch): void {
  settle(mirror, plan, keysOfPatch(plan, patch));
}

/** The keys that a patch can have to do with. */
export function keysOfPatch(plan: Plan, patch: Patch): readonly string[] {
  const items = [metaItem];
  if (patch.document) items.push(documentItem);
  if (patch.policy) items.push(policyItem);
  for (const row of patch.groups ?? []) items.push(row.uid);
  const keys = items.flatMap((item) => keysOfItem(plan, item));
  for (const row of patch.tasks ?? []) {
    // Only a new row states its number.
    const isWhole = row.removed || row.number !== undefined;
    for (const key of isWhole ? keysOfItem(plan, row.uid) : keysOfTaskPatch(row)) keys.push(key);
  }
  return keys;
}

function keysOfTaskPatch(row: TaskPatch): readonly string[] {
  const keys = [keyOf(row.uid, 'updated')];
  for (const name of Object.keys(row)) {
    const field = name === 'order' ? 'pos' : name;
    if (taskFields.has(field)) keys.push(keyOf(row.uid, field));
  }
  return keys;
}

/**
 * Sets each of these keys to what the plan says, where the doc says something else, in one transaction. Gives the keys it
 * changed. A key of a refusal goes: the plan has none.
 */
export function settle(mirror: Mirror, plan: Plan, keys: Iterable<string>): readonly string[] {
  const root = rootOf(mirror.doc);
  const changed: string[] = [];
  mirror.doc.transact(() => {
    for (const key of keys) {
      const planned = plannedValue(plan, mirror, partsOf(key));
      if (planned === undefined ? !root.has(key) : root.get(key) === planned) continue;
      if (planned === undefined) root.delete(key);
      else root.set(key, planned);
      changed.push(key);
    }
  }, serverOrigin);
  return changed;
}

/**
 * Runs what writes into the doc, and gives all of it as one update: a client's edit and its correction reach the others
 * together or not at all. Undefined when nothing was written.
 */
export function recordUpdate<Value>(
  doc: Y.Doc,
  work: () => Value,
): { readonly value: Value; readonly update: Uint8Array | undefined } {
  const updates: Uint8Array[] = [];
  const listen = (update: Uint8Array): void => {
    updates.push(update);
  };
  doc.on('update', listen);
  try {
    const value = work();
    return { value, update: updates.length > 1 ? Y.mergeUpdates(updates) : updates[0] };
  } finally {
    doc.off('update', listen);
  }
}
