import { limits } from '../plan/limits.ts';
import { isTerminal, type Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { oneLine } from '../plan/render.ts';
import { collapse } from '../plan/text.ts';
import type { Shown } from './dialect.ts';
import type { Seen, Written } from './list-write.ts';
import { contentOf, type Todo } from './sagents-items.ts';

/** Lines of one answer; what is past them is counted, and does not count as seen. */
const linesMax = 30;

export function todoOf({ number, description, status }: Task): Todo {
  return { id: number, content: contentOf(description), status };
}

/**
 * What a caller knows of the list after its write, and what is news to it: open tasks of others that it never saw, and
 * tasks it saw that are not as it saw or sent them. Finished tasks of others are no news.
 */
export class SagentsNews {
  private readonly plan: Plan;
  private readonly sent: readonly Todo[];
  private readonly written: Written;
  private readonly known: readonly Task[];
  private readonly news: readonly Task[];

  constructor(plan: Plan, seen: Seen | undefined, sent: readonly Todo[], written: Written) {
    this.plan = plan;
    this.sent = sent;
    this.written = written;
    const then = new Map((seen?.tasks ?? []).map((row) => [row.uid, todoOf(row)]));
    const sentOf = new Map(written.flatMap((task, index) => (task ? [[task.uid, sent[index]]] : [])));
    const isKnown = (task: Task): boolean => {
      const said = sentOf.get(task.uid) ?? then.get(task.uid);
      return said !== undefined && isSame(said, todoOf(task));
    };
    const tasks = [...plan.tasks()].sort((a, b) => a.number - b.number);
    this.known = tasks.filter(isKnown);
    this.news = tasks.filter(
      (task) => !isKnown(task) && (!isTerminal(task.status) || then.has(task.uid) || sentOf.has(task.uid)),
    );
  }

  knownUids(): readonly string[] {
    return this.known.map(({ uid }) => uid);
  }

  lines(): readonly string[] {
    if (this.news.length === 0) return [];
    const shown = this.news.slice(0, linesMax).map(todoLine);
    const more = this.news.length - shown.length;
    return ['Of the shared list you did not know:', ...shown, ...(more > 0 ? [`and ${more} more`] : [])];
  }

  /** After the answer with these lines. */
  sight(): Shown {
    const told = this.news.slice(0, linesMax).map(({ uid }) => uid);
    return { revision: this.plan.revision, shown: [...this.knownUids(), ...told] };
  }

  /** Todos that did not get the id they were sent with. */
  otherIds(known: NonNullable<Shown['names']> = {}): readonly string[] {
    const notes = this.sent.flatMap(({ id }, index) => {
      const task = this.written[index];
      if (!task || task.number === id || known[task.uid] === String(id)) return [];
      const why = id > limits.taskNumberMax ? `ids go up to ${limits.taskNumberMax}` : `${id} is another TODO`;
      return [`The id of your TODO ${id} ("${beginning(task.description)}") is ${task.number}: ${why}.`];
    });
    const { mergeNagsPerWriteMax } = limits;
    if (notes.length <= mergeNagsPerWriteMax) return notes;
    return [...notes.slice(0, mergeNagsPerWriteMax), `${notes.length - mergeNagsPerWriteMax} more got other ids.`];
  }
}

/** Ids aside, and line breaks, which the lines of an answer do not show. */
function isSame(a: Todo, b: Todo): boolean {
  return a.status === b.status && collapse(a.content) === collapse(b.content);
}

function todoLine(task: Task): string {
  const { id, content, status } = todoOf(task);
  return `- ${id} [${status}] ${oneLine(content)}`;
}

/** Cut between characters. */
function beginning(description: string): string {
  const text = collapse(description);
  return text.length > 60 ? `${text.slice(0, 60).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
