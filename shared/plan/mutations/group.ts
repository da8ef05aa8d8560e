import { z } from 'zod';
import { type Decision, Draft } from '../draft.ts';
import { limits } from '../limits.ts';
import type { Group } from '../model.ts';
import { isTerminal } from '../model.ts';
import { orderAt, orderAtEnd } from '../order.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { assertNever, ok, type Result } from '../result.ts';
import { requireFreshUid, requireGroup, requireRoomForGroup, requireText } from '../rules.ts';
import type { Stamp } from '../stamp.ts';
import { baseField, groupReference, uidField } from './fields.ts';

const title = z.string().max(limits.groupTitleBytesMax);

export const groupAdd = z.strictObject({ type: z.literal('group.add'), title, uid: uidField.optional() });
export const groupEdit = z.strictObject({
  type: z.literal('group.edit'),
  group: groupReference,
  title,
  base: baseField,
});
/** Without `before` and `after` the group goes to the end. */
export const groupMove = z.strictObject({
  type: z.literal('group.move'),
  group: groupReference,
  before: groupReference.optional(),
  after: groupReference.optional(),
  base: baseField,
});
/** A group that holds tasks goes only with `withTasks`. */
export const groupRemove = z.strictObject({
  type: z.literal('group.remove'),
  group: groupReference,
  withTasks: z.boolean().optional(),
  base: baseField,
});
/** Records that the tests of this group pass; `verified: false` takes it back. */
export const groupVerify = z.strictObject({
  type: z.literal('group.verify'),
  group: groupReference,
  verified: z.boolean().optional(),
  evidence: z.string().max(limits.evidenceBytesMax).optional(),
  base: baseField,
});

type Add = z.infer<typeof groupAdd>;
type Edit = z.infer<typeof groupEdit>;
type Move = z.infer<typeof groupMove>;
type Remove = z.infer<typeof groupRemove>;
type Verify = z.infer<typeof groupVerify>;
export type GroupMutation = Add | Edit | Move | Remove | Verify;

export function decideGroup(plan: Plan, mutation: GroupMutation, stamp: Stamp): Result<Decision, Rejection> {
  if (mutation.type === 'group.add') return decideAdd(plan, mutation, stamp);
  const found = requireGroup(plan, mutation.group, mutation.base);
  if (!found.ok) return found;
  switch (mutation.type) {
    case 'group.edit':
      return decideEdit(plan, found.value, mutation);
    case 'group.move':
      return decideMove(plan, found.value, mutation);
    case 'group.remove':
      return decideRemove(plan, found.value, mutation);
    case 'group.verify':
      return decideVerify(plan, found.value, mutation);
    default:
      return assertNever(mutation);
  }
}

function decideAdd(plan: Plan, mutation: Add, stamp: Stamp): Result<Decision, Rejection> {
  const text = requireText('group title', mutation.title, limits.groupTitleBytesMax, 'allowed');
  if (!text.ok) return text;
  const fresh = requireFreshUid(plan, mutation.uid);
  if (!fresh.ok) return fresh;
  const room = requireRoomForGroup(plan);
  if (!room.ok) return room;
  const draft = new Draft(plan);
  draft.addGroup({ uid: mutation.uid ?? stamp.newUid(), title: mutation.title, order: orderAtEnd(plan.groups()) });
  return ok(draft.finish());
}

function decideEdit(plan: Plan, group: Group, mutation: Edit): Result<Decision, Rejection> {
  const text = requireText('group title', mutation.title, limits.groupTitleBytesMax, 'allowed');
  if (!text.ok) return text;
  const draft = new Draft(plan);
  draft.editGroup(group, { title: mutation.title });
  return ok(draft.finish());
}

function decideMove(plan: Plan, group: Group, mutation: Move): Result<Decision, Rejection> {
  const place = placeAmong(plan.groups(), group, mutation, (reference) => requireGroup(plan, reference, undefined));
  if (!place.ok) return place;
  const draft = new Draft(plan);
  draft.editGroup(group, { order: place.value.own });
  for (const [uid, order] of place.value.others ?? []) {
    const other = plan.group(uid);
    if (other) draft.editGroup(other, { order });
  }
  return ok(draft.finish());
}

function decideRemove(plan: Plan, group: Group, mutation: Remove): Result<Decision, Rejection> {
  const tasks = plan.tasksOf(group.uid);
  if (tasks.length > 0 && !mutation.withTasks) {
    return rejection(
      'group_not_empty',
      `Group '${group.title}' holds ${tasks.length === 1 ? 'a task' : `${tasks.length} tasks`}. Move or remove what it holds first, or pass withTasks: true.`,
      { group: group.title, tasks: tasks.length },
    );
  }
  const draft = new Draft(plan);
  for (const task of tasks) draft.removeTask(task);
  draft.removeGroup(group);
  return ok(draft.finish());
}

function decideVerify(plan: Plan, group: Group, mutation: Verify): Result<Decision, Rejection> {
  const { verified = true, evidence } = mutation;
  if (evidence !== undefined) {
    const text = requireText('evidence', evidence, limits.evidenceBytesMax, 'allowed');
    if (!text.ok) return text;
  }
  const draft = new Draft(plan);
  draft.editGroup(group, { testsVerified: verified, evidence: verified ? evidence || undefined : null });
  const open = plan.tasksOf(group.uid).filter((task) => !isTerminal(task.status)).length;
  if (verified && open > 0) {
    draft.nag(
      'verified_with_open_tasks',
      `Group '${group.title}' is recorded as verified, but ${open} of its tasks ${open === 1 ? 'is' : 'are'} still open.`,
    );
  }
  return ok(draft.finish());
}

/** Where a row goes among its siblings: before one, after one, or at the end. Tasks and groups alike. */
export function placeAmong<Row extends { readonly uid: string; readonly order: string }>(
  siblings: readonly Row[],
  row: Row,
  place: { readonly before?: string | undefined; readonly after?: string | undefined },
  find: (reference: string) => Result<Row, Rejection>,
): Result<ReturnType<typeof orderAt>, Rejection> {
  const others = siblings.filter((sibling) => sibling.uid !== row.uid);
  const reference = place.before ?? place.after;
  if (reference === undefined) return ok(orderAt(others, others.length));
  if (place.before !== undefined && place.after !== undefined) {
    return rejection('invalid', 'Give either before or after, not both.');
  }
  const anchor = find(reference);
  if (!anchor.ok) return anchor;
  const index = others.findIndex((sibling) => sibling.uid === anchor.value.uid);
  if (index < 0) {
    return rejection('invalid', `'${reference}' is not another row of the same list, so nothing can be put beside it.`);
  }
  return ok(orderAt(others, place.before === undefined ? index + 1 : index));
}
