import { z } from 'zod';
import type { Nag } from '../plan/change.ts';
import { limits } from '../plan/limits.ts';
import { statuses, type Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { contextHeading, renderTask } from '../plan/render.ts';
import { joinNames } from '../plan/text.ts';
import { refuseEntries, resolveEntries, withDependencies } from './cosh-names.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { dependencyPlaces, type ListShape, listOf, placesByReference, shownList, writeList } from './list-write.ts';
import { renumber } from './positions.ts';
import { jsonReply, parseArguments, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';

/** cosh-tools 0.1.4: one tool that writes the whole list [S1]. Ids are places: `task-1` is the first of the list. */

const entry = z.object({
  description: z.string().describe('What to do; never blank.'),
  status: z.enum(statuses).default('pending').describe('At most one may be in_progress.'),
  key: z.string().nullish().describe('Names this item for depends_on of others in this call; not kept.'),
  depends_on: z.array(z.string()).nullish().describe('Keys of items of this call, or ids task-1..N by place.'),
});

const input = z.object({
  todos: z.array(entry).max(limits.tasksPerRoomMax).describe('The complete list, unchanged items too. [] clears it.'),
});

const item = z.object({ id: z.string(), description: z.string(), status: z.string(), depends_on: z.array(z.string()) });
const output = z.object({
  list: z.object({ items: z.array(item) }),
  nags: z.array(z.object({ message: z.string() })),
});

type Entry = z.output<typeof entry>;

export function placeId(place: number): string {
  return `task-${place + 1}`;
}

const shape: ListShape<Entry> = {
  shows: () => true,
  list: (tasks) => ({ rows: tasks, entries: entriesOf(tasks) }),
  state: (entries) =>
    withDependencies(
      entries.map(({ description, status }) => ({ description, status })),
      resolveEntries(entries).dependencies.map((named) => named ?? []),
    ),
};

function entriesOf(tasks: readonly Task[]): readonly Entry[] {
  const placeOf = placesByReference(tasks);
  return tasks.map((task) => ({
    description: task.description,
    status: task.status,
    depends_on: dependencyPlaces(task, placeOf).map(placeId),
  }));
}

function view(plan: Plan): { readonly items: readonly object[] } {
  const { entries } = listOf(shape, plan);
  const items = entries.map(({ description, status, depends_on }, place) => ({
    id: placeId(place),
    description,
    status,
    depends_on,
  }));
  return { items };
}

const severalInList = 'several_in_list';

async function write(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(input, args);
  if (!parsed.ok) return parsed.error;
  const { todos } = parsed.value;
  const refused = refuseEntries(todos, (index) => `item ${index + 1}`);
  if (refused !== undefined) return refusal(refused);
  const refuseSeveral = (indexes: readonly number[]) => ({
    code: severalInList,
    message: `Only one task at a time can be in_progress; got ${joinNames(indexes.map(placeId))}. Leave one, set the others to pending.`,
  });
  const written = await writeList(call, shape, { entries: todos, refuseSeveral });
  const { nags } = resolveEntries(todos);
  if (written.ok) return reply(written.value.plan, [...nags, ...written.value.nags]);
  // This one speaks of places already.
  if (written.error.code === severalInList) return refusal(written.error.message);
  const look = await call.look();
  const rows = look.ok ? listOf(shape, look.value.plan).rows : [];
  return refusal(renumber(written.error.message, rows, placeId));
}

function reply(plan: Plan, nags: readonly Nag[]): ToolReply {
  const { rows } = listOf(shape, plan);
  const told = nags.map(({ message }) => ({ message: renumber(message, rows, placeId) }));
  return jsonReply({ list: view(plan), nags: told }, shownList(shape, plan));
}

const planTodoWrite: Tool = {
  name: 'plan_todo_write',
  title: 'Write the plan',
  description:
    'Replaces the whole TODO list by the one you send; to change a status, send the list again with it. Tasks that others ' +
    'added or changed since you last wrote are kept, and the nags say so.',
  input: jsonSchema(input),
  output: jsonSchema(output),
  hints: { readOnly: false, destructive: true, idempotent: true },
  run: write,
};

export const cosh: Dialect = {
  name: 'cosh',
  title: 'cosh-tools 0.1.4: one full-state TODO list',
  instructions:
    'Keep the TODO list current with plan_todo_write: send all tasks each time, exactly one in_progress while you work, and ' +
    'read the nags of every reply. The list is shared with other agents: what they add stays.',
  tools: [planTodoWrite],
  view,
  render,
};

/** The block of this generation: flat, with the ids of its list. */
function render(plan: Plan): string | null {
  const { pending, in_progress } = plan.countByStatus();
  if (pending + in_progress === 0) return null;
  const lines = listOf(shape, plan).entries.map(({ status, description, depends_on }, place) =>
    renderTask({ status, description, dependsOn: depends_on ?? [], id: placeId(place) }),
  );
  return [...contextHeading(['plan_todo_write']), '', ...lines].join('\n');
}
