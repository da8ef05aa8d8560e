import type { Status, Task } from '../plan/model.ts';
import type { Item } from '../plan/mutations/list-item.ts';
import type { Plan } from '../plan/plan.ts';
import type { Shown } from './dialect.ts';
import { type ListShape, type ListWrite, type Seen, shownList, type Written } from './list-shape.ts';

/**
 * What a writer's own lists held. Many callers go on with the list they keep themselves and never take up what an answer
 * showed them: what they send again is no news, and what they never listed they did not drop.
 */

/**
 * Tasks that only answers to writes showed, and that no list of the writer held. A list that has none of them was made
 * before the writer took notice, so what it lacks of them was not dropped.
 */
export function notTakenUp({ tasks, unlisted }: Seen, matches: readonly (Task | undefined)[]): readonly Task[] {
  if (matches.some((task) => task && unlisted.has(task.uid))) return [];
  return tasks.filter(({ uid }) => unlisted.has(uid));
}

export function seenAfter<Entry>(
  shape: ListShape<Entry>,
  { sees }: ListWrite<Entry>,
  plan: Plan,
  written: Written,
): Omit<Shown, 'revision'> {
  return sees ? sees(plan, written) : { shown: shownList(shape, plan).shown };
}

/** What the writer's own list held, and what it said where the plan says otherwise. */
export function ownWords<Entry>(
  shape: ListShape<Entry>,
  write: ListWrite<Entry>,
  seen: Seen | undefined,
  plan: Plan,
  written: Written,
): Pick<Shown, 'unlisted' | 'sent'> {
  const { shown } = seenAfter(shape, write, plan, written);
  const uids = shown ?? [...plan.tasks()].map(({ uid }) => uid);
  const known = new Set(seen?.tasks.flatMap(({ uid }) => (seen.unlisted.has(uid) ? [] : [uid])));
  for (const task of written) if (task) known.add(task.uid);
  const unlisted = uids.filter((uid) => !known.has(uid));
  const sent = differing(shape, write, written);
  return { ...(unlisted.length > 0 && { unlisted }), ...(Object.keys(sent).length > 0 && { sent }) };
}

/** Whether the entry has the text of the task, or one that a dialect which shows texts shortened makes that of. */
function isText<Entry>(shape: ListShape<Entry>, entry: Entry, item: Item, echo: Item, task: Task): boolean {
  return item.description === echo.description || shape.retext?.(entry, task) === task.description;
}

function differing<Entry>(
  shape: ListShape<Entry>,
  write: ListWrite<Entry>,
  written: Written,
): NonNullable<Shown['sent']> {
  const stated = shape.state(write.entries);
  const there = written.flatMap((task) => (task && shape.shows(task) ? [task] : []));
  const { rows, entries } = shape.list(there);
  const said = shape.state(entries);
  const now = new Map(rows.map((row, index) => [row.uid, said[index]]));
  const sent: Record<string, { description?: string; status?: Status }> = {};
  for (const [index, task] of written.entries()) {
    const echo = task && now.get(task.uid);
    const item = stated[index];
    if (!task || !echo || !item) continue;
    const differs = {
      ...(!isText(shape, write.entries[index] as Entry, item, echo, task) && { description: item.description }),
      ...(item.status !== undefined && item.status !== echo.status && { status: item.status }),
    };
    if (Object.keys(differs).length > 0) sent[task.uid] = differs;
  }
  return sent;
}

/** The task that the writer's last list called so, where others gave it another text since. */
export function bySentText(
  stated: readonly Item[],
  rows: readonly Task[],
  sent: Seen['sent'] = {},
): readonly (Task | undefined)[] {
  if (Object.keys(sent).length === 0) return [];
  const texts = new Set(rows.map(({ description }) => description));
  const bySent = new Map<string, Task[]>();
  for (const row of rows) {
    const text = sent[row.uid]?.description;
    if (text === undefined || texts.has(text)) continue;
    const same = bySent.get(text);
    if (same) same.push(row);
    else bySent.set(text, [row]);
  }
  return stated.map(({ description }) => bySent.get(description)?.shift());
}

/** The item as if it said what was shown, where it only says again what the writer said before. */
export function unlessSaidBefore(item: Item, echo: Item, before: Seen['sent'][string] | undefined): Item {
  if (!before) return item;
  return {
    ...item,
    ...(before.description === item.description && { description: echo.description }),
    ...(before.status !== undefined && before.status === item.status && { status: echo.status }),
  };
}
