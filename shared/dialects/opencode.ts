import { z } from 'zod';
import { isTerminal, type Status, statuses, type Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { fold, isBlank } from '../plan/text.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { type ListShape, listOf, shownList } from './list-write.ts';
import { listOfEntries, notesOf, notesOutput, saidText, writePlainList } from './plain-list.ts';
import { failure, parseArguments, withNags } from './reply.ts';
import { jsonSchema } from './schema.ts';

/**
 * opencode: the whole list with priorities. Statuses and priorities are plain strings there, so none is refused; an id says
 * nothing.
 */

const entry = z.object({
  content: saidText,
  status: z.string().describe('pending, in_progress, completed or cancelled.'),
  priority: z.string().optional().describe('high, medium or low.'),
});
const input = z.object({ todos: listOfEntries(entry).describe('The complete list, unchanged items too.') });
const output = z.object({
  title: z.string(),
  todos: z.array(z.object({ content: z.string(), status: z.string(), priority: z.string() })),
  notes: notesOutput,
});

type Entry = z.output<typeof entry>;

/** Shown of a task that has none. */
const usualPriority = 'medium';

const shape: ListShape<Entry> = {
  shows: () => true,
  list: (tasks) => ({ rows: tasks, entries: tasks.map(entryOf) }),
  state: (entries) =>
    entries.map(({ content, status, priority = '' }) => ({
      description: content,
      ...statusField(status),
      ...(!isBlank(priority) && { priority }),
    })),
};

function entryOf({ description, status, priority }: Task): Entry {
  return { content: description, status, priority: isBlank(priority ?? '') ? usualPriority : priority };
}

/** Words that models write for the four there are. */
const synonyms: Readonly<Record<string, Status>> = {
  done: 'completed',
  complete: 'completed',
  finished: 'completed',
  doing: 'in_progress',
  active: 'in_progress',
  started: 'in_progress',
  todo: 'pending',
  to_do: 'pending',
  open: 'pending',
  not_started: 'pending',
  canceled: 'cancelled',
};

function statusOf(text: string): Status | undefined {
  const word = fold(text).replace(/[- ]/g, '_');
  return statuses.find((status) => status === word) ?? (Object.hasOwn(synonyms, word) ? synonyms[word] : undefined);
}

/** Without one a task keeps what it has, and a new one is pending. */
function statusField(text: string): { readonly status?: Status } {
  const status = statusOf(text);
  return status ? { status } : {};
}

async function write(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(input, args);
  if (!parsed.ok) return parsed.error;
  const { todos } = parsed.value;
  const written = await writePlainList(call, shape, { entries: todos, several: true });
  if (!written.ok) return written.error;
  const { plan, nags } = written.value;
  return reply(plan, [...unknownStatuses(todos), ...nags]);
}

function unknownStatuses(todos: readonly Entry[]): readonly { readonly message: string }[] {
  const unknown = new Set(todos.map(({ status }) => status).filter((status) => !statusOf(status)));
  return [...unknown].slice(0, 5).map((status) => ({
    message: `The status "${status.slice(0, 40)}" is not known: such items keep the status they have, new ones are pending. There are ${statuses.join(', ')}.`,
  }));
}

async function read(_args: unknown, call: Call): Promise<ToolReply> {
  const look = await call.look();
  return look.ok ? reply(look.value.plan, []) : failure(look.error);
}

/** The text is the list alone; with advice, a line for each behind it. */
function reply(plan: Plan, nags: readonly { readonly message: string }[]): ToolReply {
  const { rows, entries } = listOf(shape, plan);
  const open = rows.filter(({ status }) => !isTerminal(status)).length;
  return {
    isError: false,
    text: withNags(JSON.stringify(entries), nags),
    structured: { title: `${open} todos`, todos: entries, ...notesOf(nags) },
    sight: shownList(shape, plan),
  };
}

const tools: readonly Tool[] = [
  {
    name: 'todowrite',
    title: 'Write the todo list',
    description:
      'Writes the whole todo list; to change a status, send the list again with it. What others added or changed since you ' +
      'last saw the list is kept, and the result shows it.',
    input: jsonSchema(input),
    output: jsonSchema(output),
    hints: { readOnly: false, destructive: true, idempotent: true },
    run: write,
  },
  {
    name: 'todoread',
    title: 'Read the todo list',
    description: 'Gives the todo list as it is.',
    input: jsonSchema(z.object({})),
    output: jsonSchema(output),
    hints: { readOnly: true },
    run: read,
  },
];

export const opencode: Dialect = {
  name: 'opencode',
  title: 'opencode: todowrite and todoread',
  instructions:
    'Keep the todo list current: todoread first, then todowrite with the complete list and your changes; one item of yours ' +
    'in_progress while you work on it, completed as soon as it is done. The list is shared with other agents: what they add ' +
    'stays, so carry their items along and leave those they have in progress alone.',
  tools,
  view: (plan: Plan) => ({ todos: listOf(shape, plan).entries }),
  render: () => null,
};
