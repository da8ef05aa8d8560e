import { z } from 'zod';
import { statuses, type Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { dependencyPlaces, type ListShape, listOf, placesByReference, shownList } from './list-write.ts';
import { listOfEntries, numberedLines, saidText, writePlainList } from './plain-list.ts';
import { parseArguments, textReply, withNags } from './reply.ts';
import { jsonSchema } from './schema.ts';
import { fewOf } from './task-names.ts';

/** Gemini CLI: one tool that writes the whole list, without ids. `blocked` is shown of pending tasks that wait for others. */

const entry = z.object({
  description: saidText,
  status: z.enum([...statuses, 'blocked']).describe('At most one in_progress.'),
});
const input = z.object({ todos: listOfEntries(entry).describe('The complete list; [] clears it.') });

type Entry = z.output<typeof entry>;

const shape: ListShape<Entry> = {
  shows: () => true,
  list: (tasks) => ({ rows: tasks, entries: entriesOf(tasks) }),
  state: (entries) =>
    entries.map(({ description, status }) => ({ description, status: status === 'blocked' ? 'pending' : status })),
};

function entriesOf(tasks: readonly Task[]): readonly Entry[] {
  const placeOf = placesByReference(tasks);
  return tasks.map((task) => {
    const waits = dependencyPlaces(task, placeOf).some(
      (place) => tasks[place] !== task && tasks[place]?.status !== 'completed',
    );
    return { description: task.description, status: waits && task.status === 'pending' ? 'blocked' : task.status };
  });
}

async function write(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(input, args);
  if (!parsed.ok) return parsed.error;
  const refuseSeveral = (indexes: readonly number[]) => ({
    code: 'busy',
    message: `Only one todo can be in_progress at a time; items ${fewOf(indexes.map((index) => index + 1))} are. Set the others to pending.`,
  });
  const written = await writePlainList(call, shape, { entries: parsed.value.todos, refuseSeveral });
  if (!written.ok) return written.error;
  const { plan, nags } = written.value;
  const entries = listOf(shape, plan).entries.map(({ description, status }) => ({ status, text: description }));
  const list = entries.length > 0 ? `The todo list is now:\n${numberedLines(entries)}` : 'The todo list is empty now.';
  return textReply(withNags(list, nags), shownList(shape, plan));
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

export const gemini: Dialect = {
  name: 'gemini',
  title: 'Gemini CLI: write_todos',
  instructions:
    'Keep the todo list current with write_todos: send the complete list that its last result showed, with your changes, and ' +
    'exactly one item of yours in_progress while you work. An item is blocked while others that must come first are open. ' +
    'The list is shared with other agents: what they add stays, so carry their items along and leave those they have in ' +
    'progress alone. An empty list from an agent that has not seen the list yet changes nothing and shows it.',
  tools: [writeTodos],
  view: (plan: Plan) => ({ todos: listOf(shape, plan).entries }),
  render: () => null,
};
