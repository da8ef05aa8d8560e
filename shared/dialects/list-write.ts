import { presentRows } from '../plan/base-rows.ts';
import { sameValue } from '../plan/draft.ts';
import { isOwnPlace, matchItems } from '../plan/match-items.ts';
import { isTerminal, type Task, taskId, taskNumber } from '../plan/model.ts';
import type { Batch } from '../plan/mutation.ts';
import type { Item } from '../plan/mutations/list-item.ts';
import type { TasksReplace } from '../plan/mutations/replace.ts';
import type { Plan } from '../plan/plan.ts';
import { err, ok, type Result } from '../plan/result.ts';
import type { Call, Failure, LookBack } from './dialect.ts';
import type { ListShape, ListWrite, Seen, SubmittedList, Written } from './list-shape.ts';
import { bySentText, notTakenUp, ownWords, seenAfter, unlessSaidBefore } from './own-words.ts';

export {
  type ListShape,
  type ListWrite,
  listOf,
  type Seen,
  type SubmittedList,
  shownList,
  siblingKey,
  type Written,
} from './list-shape.ts';

/** Writes a full list, merged with what others did since the actor last saw the plan. */
export async function writeList<Entry>(
  call: Call,
  shape: ListShape<Entry>,
  write: ListWrite<Entry>,
): Promise<Result<SubmittedList, Failure>> {
  const back = await call.lookBack();
  if (!back.ok) return err(back.error);
  const { plan } = back.value;
  const { actor } = call;
  const seen = seenTasks(back.value);
  const { items, matches } = itemsOf(plan, shape, write, seen, actor);
  const busy = items.flatMap((item, index) => (isOwnStart(item, matches[index], plan, actor) ? [index] : []));
  if (write.refuseSeveral && busy.length > 1) return err(write.refuseSeveral(busy));
  const { several, groups } = write;
  const kept = seen && !write.keepsRest ? notTakenUp(seen, matches) : [];
  const isKept = new Set(kept.map(({ uid }) => uid));
  const shown = (seen?.tasks ?? []).filter((task) => shape.shows(task) && !isKept.has(task.uid)).map(({ uid }) => uid);
  const list: TasksReplace = {
    type: 'tasks.replace',
    items: [...arranged(items, matches, write, seen)],
    ...(seen && { base: seen.revision, shown }),
    ...(several && { several }),
    ...(groups && { groups: [...groups] }),
  };
  const submitted = await call.submit(write.byId ? inSteps(list) : list, {
    sees: (after) => {
      const written = writtenTasks(after, { items, matches }, { actor, revision: after.revision });
      return { ...seenAfter(shape, write, after, written), ...ownWords(shape, write, seen, after, written) };
    },
  });
  if (!submitted.ok) return submitted;
  const { revision } = submitted.value;
  return ok({
    ...submitted.value,
    written: writtenTasks(submitted.value.plan, { items, matches }, { actor, revision }),
  });
}

/**
 * What the writer dropped goes in a step of its own, before the rest: else a new entry with the same text, or in the same
 * place, would be taken for it. A batch also where one step is enough, so that a repeated call is the same mutation.
 */
function inSteps(list: TasksReplace): Batch {
  const listed = new Set(list.items.map(({ task }) => task));
  const dropped = (list.shown ?? []).filter((uid) => !listed.has(uid));
  if (dropped.length === 0) return { type: 'batch', mutations: [list] };
  const shown = list.shown?.filter((uid) => listed.has(uid));
  return {
    type: 'batch',
    mutations: [
      { ...list, items: [], shown: dropped },
      { ...list, shown },
    ],
  };
}

/**
 * New tasks are known by the number they asked for, else by their text, among what the actor made at that revision. An
 * entry that made none was taken for a task that was there, with its text.
 */
function writtenTasks(
  plan: Plan,
  { items, matches }: Found,
  by: { readonly actor: string; readonly revision: number },
): Written {
  const isFresh = (task: Task): boolean => task.createdRevision === by.revision && task.createdBy === by.actor;
  const matched = new Set(matches.map((task) => task?.uid));
  const byText = new Map<string, Task[]>();
  const left = [...plan.tasks()].filter(({ uid }) => !matched.has(uid));
  const fresh = left.filter(isFresh).sort((a, b) => a.number - b.number);
  for (const task of [...fresh, ...left.filter((each) => !isFresh(each))].reverse()) {
    const same = byText.get(task.description);
    if (same) same.push(task);
    else byText.set(task.description, [task]);
  }
  const asked = items.map(({ description, number }, index) => {
    if (matches[index] || number === undefined) return undefined;
    const same = byText.get(description) ?? [];
    const at = same.findIndex((task) => task.number === number);
    return at < 0 ? undefined : same.splice(at, 1)[0];
  });
  return items.map(({ description }, index) => {
    const match = matches[index];
    return match ? plan.task(match.uid) : (asked[index] ?? byText.get(description)?.pop());
  });
}

/** Whether the writer has this entry in progress itself, or will. One whose status is not changed keeps what it has. */
function isOwnStart({ status }: Item, match: Task | undefined, plan: Plan, actor: string): boolean {
  const now = match && plan.task(match.uid);
  if (now?.status === 'in_progress' && now.startedBy !== actor) return false;
  const isChanged = status !== undefined && status !== match?.status;
  return (isChanged ? status : now?.status) === 'in_progress';
}

/** What the writer saw; undefined when it never saw the room, or its history is gone. */
export function seenTasks({ plan, sight, base }: LookBack): Seen | undefined {
  if (plan.policy.fullListWrites === 'replace') {
    const { tasks } = presentRows(plan);
    return { revision: plan.revision, tasks, all: tasks, unlisted: new Set(), sent: {} };
  }
  if (!sight || !base) return undefined;
  const shown = sight.shown && new Set(sight.shown);
  const tasks = base.tasks.filter(({ uid }) => !shown || shown.has(uid));
  const { revision, unlisted, sent = {} } = sight;
  return { revision, tasks, all: base.tasks, unlisted: new Set(unlisted), sent };
}

/** The entries as items, and the task each means; undefined for a new one. */
interface Found {
  readonly items: readonly Item[];
  readonly matches: readonly (Task | undefined)[];
}

function itemsOf<Entry>(
  plan: Plan,
  shape: ListShape<Entry>,
  write: ListWrite<Entry>,
  seen: Seen | undefined,
  actor: string,
): Found {
  const stated = shape.state(write.entries);
  const { rows, entries } = shape.list((seen?.tasks ?? []).filter(shape.shows));
  const echo = shape.state(entries);
  const named = write.named?.(rows) ?? [];
  const isNamed = new Set(named.map((row) => row?.uid));
  const said = bySentText(stated, rows, seen?.sent).map((row) => (row && isNamed.has(row.uid) ? undefined : row));
  // Found by the text that was shown, which may be a shortened one.
  const asShown = rows.map((row, index) => ({ ...row, description: echo[index]?.description ?? row.description }));
  // In a list that keeps the rest, a place says nothing.
  const there = new Map(seen?.all.map((row) => [row.uid, row]));
  const matches = write.byId
    ? stated.map((_, index) => named[index])
    : match(
        plan,
        stated,
        said.length > 0 ? stated.map((_, at) => named[at] ?? said[at]) : named,
        asShown,
        seen && there,
        write.keepsRest !== true,
        actor,
      );
  const place = new Map(rows.map((row, index) => [row.uid, index]));
  const items = stated.map((item, index) => {
    const uid = matches[index]?.uid ?? '';
    const at = place.get(uid);
    if (at === undefined) return unshownItem(item, there.get(uid), plan.task(uid), write.adopts === true);
    const row = rows[at] as Task;
    const retext = (): string => shape.retext?.(write.entries[index] as Entry, row) ?? item.description;
    return changedItem(
      unlessSaidBefore(item, echo[at] as Item, seen?.sent[uid]),
      echo[at] as Item,
      row,
      { matches, rows },
      retext,
    );
  });
  return { items, matches };
}

/** The items as they are sent: with what is kept beside them, in the order that counts. */
function arranged<Entry>(
  items: readonly Item[],
  matches: readonly (Task | undefined)[],
  { unordered, keepsRest }: ListWrite<Entry>,
  seen: Seen | undefined,
): readonly Item[] {
  if (!seen) return items;
  const all = keepsRest ? [...items, ...restOf(seen.tasks, matches)] : items;
  return unordered || keepsRest ? inListOrder(all, seen.tasks) : all;
}

/** An item that means a row that was there, but not shown to the writer. It is that row, if it says just what that is. */
function unshownItem(item: Item, row: Task | undefined, now: Task | undefined, adopts: boolean): Item {
  if (!row || !now) return item;
  const pinned = { task: row.uid, description: row.description };
  if (saying(item) === saying(now)) return pinned;
  const { status } = item;
  const sets = adopts && !isTerminal(row.status) && status !== undefined && status !== 'pending';
  return sets ? { ...pinned, status } : item;
}

function saying({ description, status = 'pending' }: Pick<Item, 'description' | 'status'>): string {
  return `${status} ${description}`;
}

/** `there` are the rows that were there when the writer last saw the plan; undefined when it never saw it. */
function match(
  plan: Plan,
  stated: readonly Item[],
  named: readonly (Task | undefined)[],
  rows: readonly Task[],
  there: ReadonlyMap<string, Task> | undefined,
  byPlace: boolean,
  actor: string,
): readonly (Task | undefined)[] {
  const shown = new Set(rows.map((row) => row.uid));
  const foreign = [...plan.tasks()].filter((task) => !shown.has(task.uid));
  const isUntouched = (task: Task): boolean => byPlace && isOwnPlace(task, plan.task(task.uid), actor);
  const matchAll = (known: readonly (Task | undefined)[]): readonly (Task | undefined)[] => {
    const listed = stated.map(({ description, status }, index) => ({ description, status, named: known[index] }));
    return matchItems(listed, rows, foreign, isUntouched, there !== undefined);
  };
  const found = matchAll(named);
  // Of several rows with one text that the writer was not shown, an entry means the one with its status.
  const unshown = new Map<string, Task[]>();
  for (const row of foreign.filter(({ uid }) => there?.has(uid)).reverse()) {
    const same = unshown.get(saying(row));
    if (same) same.push(row);
    else unshown.set(saying(row), [row]);
  }
  const same = found.map((task, index) =>
    task && shown.has(task.uid) ? undefined : unshown.get(saying(stated[index] as Item))?.pop(),
  );
  return same.some(Boolean) ? matchAll(named.length > 0 ? stated.map((_, i) => named[i] ?? same[i]) : same) : found;
}

interface Siblings {
  readonly matches: readonly (Task | undefined)[];
  readonly rows: readonly Task[];
}

/** The item with what differs from the echo, pinned to its task. */
function changedItem(item: Item, echo: Item, row: Task, siblings: Siblings, retext: () => string): Item {
  const description = item.description === echo.description ? row.description : retext();
  const changed: Record<string, unknown> = { task: row.uid, description };
  if (item.key !== undefined) changed.key = item.key;
  // What was not changed is said as it was: should others have changed it, the writer is told that theirs stays.
  if (item.status !== undefined) changed.status = item.status === echo.status ? row.status : item.status;
  for (const field of ['group', 'priority', 'labels'] as const) {
    if (item[field] !== undefined && !sameValue(item[field], echo[field] ?? null)) changed[field] = item[field];
  }
  if (item.dependsOn) {
    const said = item.dependsOn.map((key) => siblingUid(key, (index) => siblings.matches[index]));
    const shown = (echo.dependsOn ?? []).map((key) => siblingUid(key, (index) => siblings.rows[index]));
    const unshown = unshownDependencies(row, siblings.rows);
    const isKept = new Set(unshown);
    const more = unshown.filter((name) => !item.dependsOn?.includes(name));
    const isSame = sameValue(
      said.filter((name) => !isKept.has(name)),
      shown,
    );
    if (!isSame) changed.dependsOn = [...item.dependsOn, ...more];
  }
  return changed as Item;
}

/** What a dependency names, to compare with: the uid behind the key of a sibling, else the text itself. */
function siblingUid(key: string, taskAt: (index: number) => Task | undefined): string {
  if (!key.startsWith('#')) return key;
  return taskAt(Number(key.slice(1)) - 1)?.uid ?? key;
}

/** Dependencies of the row that the list has no word for: they name no task of it. */
export function unshownDependencies(row: Task, rows: readonly Task[]): readonly string[] {
  const uids = new Set(rows.map(({ uid }) => uid));
  const numbers = new Set(rows.map(({ number }) => number));
  return row.dependsOn.filter((dependency) => !uids.has(dependency) && !numbers.has(taskNumber(dependency) ?? 0));
}

/** The tasks that no item means, stated as they are. */
function restOf(rows: readonly Task[], matches: readonly (Task | undefined)[]): readonly Item[] {
  const listed = new Set(matches.flatMap((task) => task?.uid ?? []));
  return rows.flatMap((row) => (listed.has(row.uid) ? [] : [{ task: row.uid, description: row.description }]));
}

/** Tasks that were there in the plan's order, new ones behind them. */
function inListOrder(items: readonly Item[], tasks: readonly Task[]): readonly Item[] {
  const place = new Map(tasks.map((task, index) => [task.uid, index]));
  const placeOf = (item: Item): number => place.get(item.task ?? '') ?? tasks.length;
  return [...items].sort((a, b) => placeOf(a) - placeOf(b));
}

/** Places of the tasks a row waits for among `rows`; those that are not there are left out. */
export function dependencyPlaces(row: Task, placeOf: ReadonlyMap<string, number>): readonly number[] {
  return row.dependsOn.flatMap((dependency) => placeOf.get(dependency) ?? []);
}

/** Where each task stands, by uid and by id, for `dependencyPlaces`. */
export function placesByReference(rows: readonly Task[]): ReadonlyMap<string, number> {
  return new Map(rows.flatMap((row, place) => [[row.uid, place] as const, [taskId(row), place] as const]));
}
