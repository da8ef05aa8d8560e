import { presentRows } from '../plan/base-rows.ts';
import { sameValue } from '../plan/draft.ts';
import { matchItems } from '../plan/match-items.ts';
import { type Task, taskId, taskNumber } from '../plan/model.ts';
import type { Item } from '../plan/mutations/list-item.ts';
import type { Plan } from '../plan/plan.ts';
import { err, type Result } from '../plan/result.ts';
import type { Call, Failure, LookBack, Shown, Submitted } from './dialect.ts';

/**
 * How a dialect with full-list writes says its list. What a caller would send if it changed nothing is known, so only
 * what it did change is taken from its list: what the dialect cannot express stays as it is.
 */
export interface ListShape<Entry> {
  /** Whether the task stands in this dialect's list at all. */
  readonly shows: (task: Task) => boolean;
  /** The list of these tasks, which are all shown, in the plan's order. `rows[i]` is what `entries[i]` says. */
  readonly list: (tasks: readonly Task[]) => { readonly rows: readonly Task[]; readonly entries: readonly Entry[] };
  /** What each entry states, as items of a full-list write. A sibling is named by its place: `#1` is the first. */
  readonly state: (entries: readonly Entry[]) => readonly Item[];
}

export interface ListWrite<Entry> {
  readonly entries: readonly Entry[];
  /** For each entry the task it means by the dialect's own id, among those the writer saw. */
  readonly named?: (rows: readonly Task[]) => readonly (Task | undefined)[];
  /** As in `tasks.replace`. */
  readonly several?: boolean;
  readonly groups?: readonly string[];
  /** The dialect has an order of its own, so the order of the list says nothing. */
  readonly unordered?: boolean;
  /** Keeps what is not in the list, as merging writes do. */
  readonly keepsRest?: boolean;
  /** The refusal of a list with several entries in progress, where the dialect allows one; what others have does not count. */
  readonly refuseSeveral?: (indexes: readonly number[]) => Failure;
  /** What the actor has seen afterwards; absent: the whole list. */
  readonly sees?: (plan: Plan) => Omit<Shown, 'revision'>;
}

/** The key under which `state` names the entry at an index. */
export function siblingKey(index: number): string {
  return `#${index + 1}`;
}

/** The tasks of the plan that the dialect lists, as it lists them. */
export function listOf<Entry>(shape: ListShape<Entry>, plan: Plan): ReturnType<ListShape<Entry>['list']> {
  return shape.list([...plan.tasks()].filter(shape.shows));
}

/** What an actor has seen that was shown the whole list as it is now. */
export function shownList<Entry>(shape: ListShape<Entry>, plan: Plan): Shown {
  const tasks = [...plan.tasks()];
  const shown = tasks.filter(shape.shows);
  return { revision: plan.revision, shown: shown.length === tasks.length ? null : shown.map(({ uid }) => uid) };
}

/** Writes a full list, merged with what others did since the actor last saw the plan. */
export async function writeList<Entry>(
  call: Call,
  shape: ListShape<Entry>,
  write: ListWrite<Entry>,
): Promise<Result<Submitted, Failure>> {
  const back = await call.lookBack();
  if (!back.ok) return err(back.error);
  const { plan } = back.value;
  const seen = seenTasks(back.value);
  const items = itemsOf(plan, shape, write, seen);
  const busy = items.flatMap((item, index) => (isOwnStart(item, plan, call.actor) ? [index] : []));
  if (write.refuseSeveral && busy.length > 1) return err(write.refuseSeveral(busy));
  const { several, groups, sees = (after: Plan) => shownList(shape, after) } = write;
  const shown = (seen?.tasks ?? []).filter(shape.shows).map((task) => task.uid);
  return call.submit(
    {
      type: 'tasks.replace',
      items: [...items],
      ...(seen && { base: seen.revision, shown }),
      ...(several && { several }),
      ...(groups && { groups: [...groups] }),
    },
    { sees },
  );
}

/** Whether the writer has this entry in progress itself, or will. One that says nothing of its status keeps what it has. */
function isOwnStart({ task, status }: Item, plan: Plan, actor: string): boolean {
  const now = task === undefined ? undefined : plan.task(task);
  if (now?.status === 'in_progress' && now.startedBy !== actor) return false;
  return (status ?? now?.status) === 'in_progress';
}

interface Seen {
  readonly revision: number;
  /** The tasks the writer was shown or wrote itself, as they were then, in list order. */
  readonly tasks: readonly Task[];
}

function seenTasks({ plan, sight, base }: LookBack): Seen | undefined {
  if (plan.policy.fullListWrites === 'replace') return { revision: plan.revision, tasks: presentRows(plan).tasks };
  if (!sight || !base) return undefined;
  const shown = sight.shown && new Set(sight.shown);
  return { revision: sight.revision, tasks: base.tasks.filter(({ uid }) => !shown || shown.has(uid)) };
}

function itemsOf<Entry>(
  plan: Plan,
  shape: ListShape<Entry>,
  write: ListWrite<Entry>,
  seen: Seen | undefined,
): readonly Item[] {
  const stated = shape.state(write.entries);
  const { rows, entries } = shape.list((seen?.tasks ?? []).filter(shape.shows));
  const echo = shape.state(entries);
  const named = write.named?.(rows) ?? [];
  // Found by the text that was shown, which may be a shortened one.
  const asShown = rows.map((row, index) => ({ ...row, description: echo[index]?.description ?? row.description }));
  const matches = match(plan, stated, named, asShown, seen !== undefined);
  const place = new Map(rows.map((row, index) => [row.uid, index]));
  const items = stated.map((item, index) => {
    const at = place.get(matches[index]?.uid ?? '');
    if (at === undefined) return item;
    return changedItem(item, echo[at] as Item, rows[at] as Task, { matches, rows });
  });
  const all = write.keepsRest ? [...items, ...restOf(rows, matches)] : items;
  return (write.unordered || write.keepsRest) && seen ? inListOrder(all, seen.tasks) : all;
}

function match(
  plan: Plan,
  stated: readonly Item[],
  named: readonly (Task | undefined)[],
  rows: readonly Task[],
  knows: boolean,
): readonly (Task | undefined)[] {
  const shown = new Set(rows.map((row) => row.uid));
  const foreign = [...plan.tasks()].filter((task) => !shown.has(task.uid));
  const listed = stated.map(({ description, status }, index) => ({ description, status, named: named[index] }));
  const isUntouched = (task: Task): boolean => plan.task(task.uid)?.revision === task.revision;
  return matchItems(listed, rows, foreign, isUntouched, knows);
}

interface Siblings {
  readonly matches: readonly (Task | undefined)[];
  readonly rows: readonly Task[];
}

/** The item with what differs from the echo, pinned to its task. */
function changedItem(item: Item, echo: Item, row: Task, siblings: Siblings): Item {
  const changed: Record<string, unknown> = { task: row.uid, description: item.description };
  if (item.key !== undefined) changed.key = item.key;
  if (item.description === echo.description) changed.description = row.description;
  for (const field of ['status', 'group', 'priority', 'labels'] as const) {
    if (item[field] !== undefined && !sameValue(item[field], echo[field] ?? null)) changed[field] = item[field];
  }
  if (item.dependsOn) {
    const said = item.dependsOn.map((key) => siblingUid(key, (index) => siblings.matches[index]));
    const shown = (echo.dependsOn ?? []).map((key) => siblingUid(key, (index) => siblings.rows[index]));
    if (!sameValue(said, shown)) changed.dependsOn = [...item.dependsOn, ...unshownDependencies(row, siblings.rows)];
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
