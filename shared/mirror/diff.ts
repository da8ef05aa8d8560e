import { diffDocument, diffPolicy } from './diff-document.ts';
import { GroupDiff } from './diff-groups.ts';
import { TaskDiff } from './diff-tasks.ts';
import { Collector, type Comparison, type Difference } from './difference.ts';
import { isGroupThere, isTaskThere } from './presence.ts';
import {
  documentFields,
  documentItem,
  groupFields,
  keyOf,
  metaFields,
  metaItem,
  partsOf,
  plannedValue,
  policyFields,
  policyItem,
  refusedItem,
  taskFields,
} from './schema.ts';

/**
 * What a doc wants of a plan, as ordinary mutations, compared key by key. Only the given keys are looked at: those that
 * an update touched, for the others say what the plan says. The same for the same doc and plan, in whichever order the
 * keys come.
 */
export function diff(comparison: Comparison, keys: ReadonlySet<string>): Difference {
  const found = new Collector(comparison.view);
  const groups = new GroupDiff(comparison, found);
  const tasks = new TaskDiff(comparison, found);
  for (const [item, fields] of byItem(keys)) {
    refuseUnknownFields(comparison, item, fields, found);
    if (item === documentItem) diffDocument(comparison, fields, found);
    else if (item === policyItem) diffPolicy(comparison, fields, found);
    else if (item === metaItem) claimMeta(comparison, fields, found);
    else if (item !== refusedItem) diffRow(comparison, item, fields, { groups, tasks, found });
  }
  groups.finish();
  tasks.finish(groupPlaces(comparison, keys));
  return found.finish();
}

function byItem(keys: ReadonlySet<string>): readonly (readonly [string, ReadonlySet<string>])[] {
  const items = new Map<string, Set<string>>();
  for (const key of [...keys].sort()) {
    const { item, field } = partsOf(key);
    const fields = items.get(item);
    if (fields) fields.add(field);
    else items.set(item, new Set([field]));
  }
  return [...items];
}

interface Parts {
  readonly groups: GroupDiff;
  readonly tasks: TaskDiff;
  readonly found: Collector;
}

function diffRow({ plan, view }: Comparison, uid: string, fields: ReadonlySet<string>, parts: Parts): void {
  const task = plan.task(uid);
  const group = plan.group(uid);
  if (task) parts.tasks.compare(task, fields);
  else if (group) parts.groups.compare(group, fields);
  else if (isTaskThere(view, uid)) parts.tasks.add(uid);
  else if (isGroupThere(view, uid)) parts.groups.add(uid);
  else refuseOrphans(view, uid, fields, parts.found);
}

/** Fields of a row that is not there: it was removed meanwhile, or never made. */
function refuseOrphans(view: Comparison['view'], uid: string, fields: ReadonlySet<string>, found: Collector): void {
  for (const field of fields) {
    const key = keyOf(uid, field);
    if (view.get(key) === undefined) continue;
    if (taskFields.has(field)) {
      found.refuse(
        'task_not_found',
        key,
        `There is no task '${uid}': it was removed, or a new one lacks description, status, group and pos.`,
      );
    } else if (groupFields.has(field)) {
      found.refuse(
        'group_not_found',
        key,
        `There is no group '${uid}': it was removed, or a new one lacks title and pos.`,
      );
    }
  }
}

function refuseUnknownFields(
  comparison: Comparison,
  item: string,
  fields: ReadonlySet<string>,
  found: Collector,
): void {
  const known = fieldsOf(comparison, item);
  for (const field of fields) {
    const key = keyOf(item, field);
    if (known.has(field) || comparison.view.get(key) === undefined) continue;
    const message =
      item === refusedItem
        ? 'Only the server writes refusals; removing one dismisses it.'
        : `There is no field '${field}'.`;
    found.refuse('invalid', key, message);
  }
}

const noFields: ReadonlyMap<string, unknown> = new Map();
const anyRowFields: ReadonlyMap<string, unknown> = new Map<string, unknown>([...taskFields, ...groupFields]);

function fieldsOf({ plan, view }: Comparison, item: string): ReadonlyMap<string, unknown> {
  if (item === documentItem) return documentFields;
  if (item === policyItem) return policyFields;
  if (item === metaItem) return metaFields;
  if (item === refusedItem) return noFields;
  if (plan.task(item)) return taskFields;
  if (plan.group(item)) return groupFields;
  if (isTaskThere(view, item)) return taskFields;
  return isGroupThere(view, item) ? groupFields : anyRowFields;
}

function claimMeta({ plan, view, mark }: Comparison, fields: ReadonlySet<string>, found: Collector): void {
  for (const field of fields) {
    const key = keyOf(metaItem, field);
    if (metaFields.has(field) && view.get(key) !== plannedValue(plan, mark, { item: metaItem, field }))
      found.claim(key);
  }
}

/** Places of the plan's groups, then those of new ones; a group that is nowhere comes last. */
function groupPlaces({ plan, view }: Comparison, keys: ReadonlySet<string>): (uid: string) => number {
  const places = new Map(plan.groups().map((group, index) => [group.uid, index]));
  const added = new Set<string>();
  for (const key of keys) {
    const { item } = partsOf(key);
    if (!places.has(item) && !plan.task(item) && !isTaskThere(view, item) && isGroupThere(view, item)) added.add(item);
  }
  const order = (uid: string): string => String(view.get(keyOf(uid, 'pos')));
  const sorted = [...added].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : a < b ? -1 : 1));
  for (const uid of sorted) places.set(uid, places.size);
  return (uid) => places.get(uid) ?? places.size;
}
