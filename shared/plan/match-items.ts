import { isTerminal, type Status, type Task } from './model.ts';
import { fold } from './text.ts';

/** An item of a submitted list, as far as finding its task goes. */
export interface ListItem {
  readonly description: string;
  readonly status?: Status | undefined;
  /** The task it names by uid or id, already looked up. */
  readonly named: Task | undefined;
}

/**
 * Whether a new text in the place of this row may be a new text for it: the writer made the row or changed it last, nobody
 * did since, and nobody else is at work on it. Else it is one task less and one more.
 */
export function isOwnPlace(row: Task, now: Task | undefined, actor: string): boolean {
  if (now?.revision !== row.revision) return false;
  if (now.status === 'in_progress' && now.startedBy !== actor) return false;
  return now.createdBy === actor || now.updatedBy === actor;
}

/**
 * Which task each item means; undefined for a new one. First the task it names, then the same text, then the same text but
 * for blanks and case, each time rows the writer saw (`base`) before rows it did not (`foreign`); at last the same place,
 * when the list is as long as the one it saw and every item left over stands where a row left over stood. A row that
 * others changed or removed since is not met by its place alone: a new text there would be lost with it. Nor does an open
 * item mean a finished row that the writer did not see (`knows` says whether it saw any): the work is to be done again.
 */
export function matchItems(
  items: readonly ListItem[],
  base: readonly Task[],
  foreign: readonly Task[],
  isUntouched: (task: Task) => boolean,
  knows: boolean,
): readonly (Task | undefined)[] {
  const matches: (Task | undefined)[] = items.map((item) => item.named);
  const taken = new Set(matches.flatMap((task) => task?.uid ?? []));
  for (const textOf of [exact, fold]) {
    const seen = new TasksByText(base, taken, textOf);
    const open = new TasksByText(knows ? foreign.filter((task) => !isTerminal(task.status)) : foreign, taken, textOf);
    const finished = new TasksByText(knows ? foreign.filter((task) => isTerminal(task.status)) : [], taken, textOf);
    items.forEach(({ description, status = 'pending' }, index) => {
      const text = textOf(description);
      matches[index] ??= seen.take(text) ?? open.take(text) ?? (isTerminal(status) ? finished.take(text) : undefined);
    });
  }
  if (items.length !== base.length) return matches;
  const byPlace = base.map((task, index) => (matches[index] ? undefined : taken.has(task.uid) ? null : task));
  if (byPlace.includes(null)) return matches;
  return matches.map((match, index) => {
    const there = match ?? byPlace[index] ?? undefined;
    return match || !there || isUntouched(there) ? there : undefined;
  });
}

function exact(text: string): string {
  return text;
}

/** Tasks that are not taken yet, by their text; equal texts are taken in list order. */
class TasksByText {
  private readonly taken: Set<string>;
  private readonly byText = new Map<string, Task[]>();

  constructor(tasks: readonly Task[], taken: Set<string>, textOf: (text: string) => string) {
    this.taken = taken;
    for (const task of tasks) {
      if (taken.has(task.uid)) continue;
      const text = textOf(task.description);
      const same = this.byText.get(text);
      if (same) same.push(task);
      else this.byText.set(text, [task]);
    }
    for (const same of this.byText.values()) same.reverse();
  }

  take(text: string): Task | undefined {
    const task = this.byText.get(text)?.pop();
    if (task) this.taken.add(task.uid);
    return task;
  }
}
