import type { Task } from '../plan/model.ts';
import type { Item } from '../plan/mutations/list-item.ts';
import type { Plan } from '../plan/plan.ts';
import type { Failure, Shown, Submitted } from './dialect.ts';

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
  /** What the entry, whose text is not the one that was shown, makes of the task's; absent: what it states. */
  readonly retext?: (entry: Entry, row: Task) => string;
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
  /** Callers choose the ids: an entry is the task that `named` gives for it or a new one, whatever its text or place. */
  readonly byId?: boolean;
  /** The refusal of a list with several entries in progress, where the dialect allows one; what others have does not count. */
  readonly refuseSeveral?: (indexes: readonly number[]) => Failure;
  /**
   * An open row that was there, but not shown to the writer, takes the status of an entry with its text. `pending`, which
   * may just be said for want of knowing, does not count.
   */
  readonly adopts?: boolean;
  /** What the actor has seen afterwards, given the task that each entry is now; absent: the whole list. */
  readonly sees?: (plan: Plan, written: Written) => Omit<Shown, 'revision'>;
}

/** For each entry the task it is now; undefined where others had removed that. */
export type Written = readonly (Task | undefined)[];

export interface SubmittedList extends Submitted {
  readonly written: Written;
}

/** The key under which `state` names the entry at an index. */
export function siblingKey(index: number): string {
  return `#${index + 1}`;
}

export interface Seen {
  readonly revision: number;
  /** The tasks the writer was shown or wrote itself, as they were then, in list order. */
  readonly tasks: readonly Task[];
  /** All that were there then. */
  readonly all: readonly Task[];
  /** As in `Sight`. */
  readonly unlisted: ReadonlySet<string>;
  readonly sent: NonNullable<Shown['sent']>;
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
