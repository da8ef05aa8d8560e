import { z } from 'zod';
import type { Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { type ListShape, listOf, shownList } from './list-write.ts';
import { listOfEntries, saidText, writePlainList } from './plain-list.ts';
import { parseArguments, textReply, withNags } from './reply.ts';
import { jsonSchema } from './schema.ts';

/** LangChain and deepagents: one tool that writes the whole list, without ids. Cancelled tasks are not in it. */

const entry = z.object({ content: saidText, status: z.enum(['pending', 'in_progress', 'completed']) });
const input = z.object({ todos: listOfEntries(entry).describe('The complete list, unchanged items too.') });

type Entry = z.output<typeof entry>;

const shape: ListShape<Entry> = {
  shows: ({ status }) => status !== 'cancelled',
  list: (tasks) => ({ rows: tasks, entries: tasks.map(entryOf) }),
  state: (entries) => entries.map(({ content, status }) => ({ description: content, status })),
};

function entryOf({ description, status }: Task): Entry {
  return { content: description, status: status === 'cancelled' ? 'completed' : status };
}

async function write(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(input, args);
  if (!parsed.ok) return parsed.error;
  const written = await writePlainList(call, shape, { entries: parsed.value.todos, several: true });
  if (!written.ok) return written.error;
  const { plan, nags } = written.value;
  const { entries } = listOf(shape, plan);
  return textReply(withNags(`Updated todo list to ${JSON.stringify(entries)}`, nags), shownList(shape, plan));
}

const writeTodos: Tool = {
  name: 'write_todos',
  title: 'Write the todo list',
  description:
    'Writes the whole todo list; to change a status, send the list again with it. What others added or changed since you ' +
    'last saw the list is kept, and the result shows it.',
  input: jsonSchema(input),
  hints: { readOnly: false, destructive: true, idempotent: true },
  run: write,
};

export const deepagents: Dialect = {
  name: 'deepagents',
  title: 'LangChain and deepagents: write_todos',
  instructions:
    'Keep the todo list current with write_todos: send the complete list that its last result showed, with your changes, and ' +
    'mark an item in_progress before you work on it and completed as soon as it is done. The list is shared with other ' +
    'agents: what they add stays, so carry their items along and leave those they have in progress alone. An empty list ' +
    'from an agent that has not seen the list yet changes nothing and shows it.',
  tools: [writeTodos],
  view: (plan: Plan) => ({ todos: listOf(shape, plan).entries }),
  render: () => null,
};
