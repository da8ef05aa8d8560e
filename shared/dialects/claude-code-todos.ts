import { z } from 'zod';
import type { Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Call, Tool, ToolReply } from './dialect.ts';
import { joinText, splitText } from './headed-text.ts';
import { type ListShape, listOf, shownList } from './list-write.ts';
import { byTitle, listOfEntries, notesOf, notesOutput, numberedLines, saidText, writePlainList } from './plain-list.ts';
import { failure, parseArguments, withNags } from './reply.ts';
import { jsonSchema } from './schema.ts';

/**
 * TodoWrite of Claude Code: the whole list, without ids. The content is what the task tools call the subject; the description
 * stays as it is. The active form is not kept; the content stands for it.
 */

const statusField = z.enum(['pending', 'in_progress', 'completed']);
const entry = z.object({
  content: saidText,
  status: statusField,
  activeForm: z.string().optional().describe('Not kept.'),
});
const input = z.object({ todos: listOfEntries(entry).describe('The complete list, unchanged items too.') });
const todo = z.object({ content: z.string(), status: z.string(), activeForm: z.string() });
const output = z.object({ oldTodos: z.array(todo), newTodos: z.array(todo), notes: notesOutput });

type Entry = z.output<typeof entry>;

const shape: ListShape<Entry> = {
  shows: ({ status }) => status !== 'cancelled',
  list: (tasks) => ({ rows: tasks, entries: tasks.map(entryOf) }),
  state: (entries) => entries.map(({ content, status }) => ({ description: content, status })),
  retext: ({ content }, row) => (splitText(content).rest === '' ? withRest(content, row) : content),
};

function withRest(content: string, { description }: Task): string {
  return joinText(content, splitText(description).rest);
}

function entryOf({ description, status }: Task): Entry {
  const { head } = splitText(description);
  return { content: head, status: status === 'cancelled' ? 'completed' : status, activeForm: head };
}

export function todosOf(plan: Plan): readonly Entry[] {
  return listOf(shape, plan).entries;
}

async function write(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(input, args);
  if (!parsed.ok) return parsed.error;
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const oldTodos = todosOf(look.value.plan);
  const { todos } = parsed.value;
  const named = (rows: readonly Task[]) => byWholeText(todos, rows);
  const written = await writePlainList(call, shape, { entries: todos, named, several: true }, byTitle);
  if (!written.ok) return written.error;
  const { plan, nags } = written.value;
  const newTodos = todosOf(plan);
  return {
    isError: false,
    text: `${withNags(`The todo list is written: ${countsOf(newTodos)}.`, nags)}${asItIs(newTodos, todos)}`,
    structured: { oldTodos, newTodos, ...notesOf(nags) },
    sight: shownList(shape, plan),
  };
}

/** Rows that are named by subject and description together. */
function byWholeText(todos: readonly Entry[], rows: readonly Task[]): readonly (Task | undefined)[] {
  const left = new Map(
    rows.filter(({ description }) => splitText(description).rest !== '').map((row) => [row.description, row]),
  );
  return todos.map(({ content }) => {
    const row = left.get(content);
    left.delete(content);
    return row;
  });
}

function countsOf(todos: readonly Entry[]): string {
  const count = (wanted: Entry['status']): number => todos.filter(({ status }) => status === wanted).length;
  return `${count('completed')} completed, ${count('in_progress')} in progress, ${count('pending')} pending`;
}

/** The list, where it is not what was sent. */
function asItIs(now: readonly Entry[], sent: readonly Entry[]): string {
  const isSent = ({ content, status }: Entry, place: number): boolean =>
    content === sent[place]?.content && status === sent[place]?.status;
  if (now.length === sent.length && now.every(isSent)) return '';
  if (now.length === 0) return '\nThe list is empty now.';
  return `\nThe list is now:\n${numberedLines(now.map(({ content, status }) => ({ text: content, status })))}`;
}

export const todoWrite: Tool = {
  name: 'TodoWrite',
  title: 'Write the todo list',
  description:
    'Writes the whole todo list; to change a status, send the list again with it. What others added or changed since you ' +
    'last saw the list is kept. Says what became of the list, and shows it when it is not what you sent.',
  input: jsonSchema(input),
  output: jsonSchema(output),
  hints: { readOnly: false, destructive: true, idempotent: true },
  run: write,
};
