import { z } from 'zod';
import type { Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Call, Tool, ToolReply } from './dialect.ts';
import { type ListShape, listOf, shownList } from './list-write.ts';
import { listOfEntries, notesOf, notesOutput, saidText, writePlainList } from './plain-list.ts';
import { failure, jsonReply, parseArguments } from './reply.ts';
import { jsonSchema } from './schema.ts';

/** TodoWrite of Claude Code: the whole list, without ids. The active form is not kept; the content stands for it. */

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
};

function entryOf({ description, status }: Task): Entry {
  return {
    content: description,
    status: status === 'cancelled' ? 'completed' : status,
    activeForm: description,
  };
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
  const written = await writePlainList(call, shape, { entries: parsed.value.todos, several: true });
  if (!written.ok) return written.error;
  const { plan, nags } = written.value;
  return jsonReply({ oldTodos, newTodos: todosOf(plan), ...notesOf(nags) }, shownList(shape, plan));
}

export const todoWrite: Tool = {
  name: 'TodoWrite',
  title: 'Write the todo list',
  description:
    'Writes the whole todo list; to change a status, send the list again with it. What others added or changed since you ' +
    'last saw the list is kept. Gives the list before and after.',
  input: jsonSchema(input),
  output: jsonSchema(output),
  hints: { readOnly: false, destructive: true, idempotent: true },
  run: write,
};
