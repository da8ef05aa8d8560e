import { z } from 'zod';
import { type BaseRows, presentRows, rowsAt } from '../base-rows.ts';
import type { Decision } from '../draft.ts';
import { limits } from '../limits.ts';
import { isOwnPlace, matchItems } from '../match-items.ts';
import { isSameTask, type Task, taskNumber } from '../model.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { ok, type Result } from '../result.ts';
import { requireBase, requireDescription, requireTaskFields, requireText } from '../rules.ts';
import type { Stamp } from '../stamp.ts';
import { baseField, groupReference, uidField } from './fields.ts';
import { type Item, listItem, type Placed, type Seen } from './list-item.ts';
import { ListWriter } from './list-writer.ts';
import { NumberGiver } from './number-giver.ts';

/**
 * A full-list write: the list as the writer wants it. It is merged with what others did since the writer last saw the plan,
 * which is `base` (the revision) and `shown` (the rows it was shown then; absent: all). Without a base the writer never saw
 * the plan: what it sends is added, an item with the text of a task that is there is that task, and nothing is changed or
 * removed. If nobody else changed anything, the plan then is the list that was sent.
 *
 * Numbers never move, and without `groups` a group stays even if no task is left in it. The order across groups follows the list as long
 * as the items of each group stand together. An item that names its own key as a dependency depends on itself.
 */
export const tasksReplace = z.strictObject({
  type: z.literal('tasks.replace'),
  items: z.array(listItem).max(limits.tasksPerRoomMax),
  base: baseField,
  shown: z.array(uidField).max(limits.tasksPerRoomMax).optional(),
  /** Lets the writer have several tasks in progress where the policy is `one-per-actor`: for lists that know no such rule. */
  several: z.boolean().optional(),
  /**
   * Titles of all groups there shall be, also those without a task. What the writer saw of others goes once it is empty,
   * and the tests of those named are to be verified anew. Absent: the list speaks of tasks alone.
   */
  groups: z.array(groupReference).max(limits.groupsPerRoomMax).optional(),
});

export type TasksReplace = z.infer<typeof tasksReplace>;

export function decideReplace(plan: Plan, mutation: TasksReplace, stamp: Stamp): Result<Decision, Rejection> {
  const checked = checkItems(mutation.items);
  if (!checked.ok) return checked;
  const seen = seenBy(plan, mutation, stamp);
  if (!seen.ok) return seen;
  const named = findNamed(plan, mutation.items, seen.value);
  if (!named.ok) return named;
  const placed = placeItems(plan, mutation.items, named.value, seen.value, stamp);
  return new ListWriter(plan, placed, seen.value, stamp).decide(mutation);
}

/** Order of the checks, and what they say, as the seed has it [S1]. */
function checkItems(items: readonly Item[]): Result<void, Rejection> {
  for (const [index, { description }] of items.entries()) {
    const text = requireDescription(description);
    if (!text.ok) return atItem(text.error, index);
  }
  const keys = new Set<string>();
  for (const [index, { key, group, dependsOn, labels, priority }] of items.entries()) {
    if (key !== undefined && /^task-[0-9]+$/.test(key)) {
      return atItem(
        {
          code: 'invalid',
          message: `The key '${key}' has the shape of a task id and would shadow a real one; choose another.`,
        },
        index,
      );
    }
    if (key !== undefined && keys.has(key)) {
      return atItem(
        { code: 'duplicate_key', message: `Duplicate key '${key}'; keys must be unique.`, facts: { key } },
        index,
      );
    }
    if (key !== undefined) keys.add(key);
    const title = requireText('group title', group ?? '', limits.groupTitleBytesMax, 'allowed');
    if (!title.ok) return atItem(title.error, index);
    const texts = requireTaskFields({ dependsOn, labels, priority });
    if (!texts.ok) return atItem(texts.error, index);
  }
  return ok(undefined);
}

function atItem(error: Rejection, index: number): { readonly ok: false; readonly error: Rejection } {
  return {
    ok: false,
    error: { ...error, message: `${error.message} (item ${index + 1})`, facts: { ...error.facts, item: index + 1 } },
  };
}

const nothing: BaseRows = { groups: [], tasks: [] };

/** Where the room lets full lists replace, every writer is taken to have seen the plan as it is. */
function seenBy(plan: Plan, mutation: TasksReplace, stamp: Stamp): Result<Seen, Rejection> {
  const guard = requireBase(plan, mutation.base);
  if (!guard.ok) return guard;
  const replaces = plan.policy.fullListWrites === 'replace';
  const revision = replaces ? plan.revision : mutation.base;
  const rows = replaces ? presentRows(plan) : revision === undefined ? nothing : rowsAt(plan, revision, stamp);
  if (!rows) {
    const facts = { expected: revision, current: plan.revision };
    return rejection(
      'unknown_revision',
      `The history since revision ${revision} is not there, or too long to merge with. Re-read the plan and retry.`,
      facts,
    );
  }
  const shown = mutation.shown && new Set(mutation.shown);
  return ok({
    revision,
    groups: rows.groups,
    all: new Map(rows.tasks.map((task) => [task.uid, task])),
    uidByNumber: new Map(rows.tasks.map((task) => [task.number, task.uid])),
    shown: shown ? rows.tasks.filter((task) => shown.has(task.uid)) : rows.tasks,
  });
}

/** The tasks that items name themselves. An id means the task that had it when the writer looked. */
function findNamed(plan: Plan, items: readonly Item[], seen: Seen): Result<readonly (Task | undefined)[], Rejection> {
  const named: (Task | undefined)[] = [];
  const taken = new Set<string>();
  for (const [index, { task: reference }] of items.entries()) {
    if (reference === undefined) {
      named.push(undefined);
      continue;
    }
    const then = seen.all.get(reference) ?? seen.all.get(seen.uidByNumber.get(taskNumber(reference) ?? 0) ?? '');
    const task = then ?? plan.findTask(reference);
    const error = task ? refuseNamed(task, reference, then, seen, taken) : notFound(reference);
    if (error) return atItem(error, index);
    if (task) taken.add(task.uid);
    named.push(task);
  }
  return ok(named);
}

function notFound(reference: string): Rejection {
  const message = `Task '${reference}' does not exist. Leave the id out for a new task, or List to see the ids.`;
  return { code: 'task_not_found', message, facts: { task: reference } };
}

function refuseNamed(
  task: Task,
  reference: string,
  then: Task | undefined,
  seen: Seen,
  taken: ReadonlySet<string>,
): Rejection | undefined {
  const facts = { task: reference, uid: task.uid };
  if (taken.has(task.uid)) {
    return { code: 'duplicate_key', message: `Task '${reference}' stands in the list twice.`, facts };
  }
  if (then || seen.revision === undefined || reference === task.uid) return undefined;
  return {
    code: 'stale_task',
    message: `'${reference}' was made at revision ${task.createdRevision}, after your base ${seen.revision}. Re-read the plan and retry.`,
    facts: { ...facts, expected: seen.revision, current: task.revision },
  };
}

function placeItems(
  plan: Plan,
  items: readonly Item[],
  named: readonly (Task | undefined)[],
  seen: Seen,
  stamp: Stamp,
): readonly Placed[] {
  const shown = new Map(seen.shown.map((task) => [task.uid, task]));
  const foreign = [...plan.tasks()].filter((task) => !isSameTask(task, shown.get(task.uid)));
  const listed = items.map(({ description, status }, index) => ({ description, status, named: named[index] }));
  const isUntouched = (task: Task): boolean => isOwnPlace(task, plan.task(task.uid), stamp.actor);
  const matches = matchItems(listed, seen.shown, foreign, isUntouched, seen.revision !== undefined);
  const fresh = items.filter((_, index) => !matches[index]);
  const numbers = new NumberGiver((number) => !plan.taskByNumber(number), plan.highestNumber, fresh);
  return items.map((item, index) => {
    const match = matches[index];
    const uid = match?.uid ?? stamp.newUid();
    const knew = named[index] !== undefined || shown.has(uid);
    const [then, now] = [seen.all.get(uid), plan.task(uid)];
    return {
      item,
      uid,
      number: match?.number ?? numbers.give(item.number),
      base: match && knew && isSameTask(match, then) ? then : undefined,
      current: match && isSameTask(match, now) ? now : undefined,
    };
  });
}
