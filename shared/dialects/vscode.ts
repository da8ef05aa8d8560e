import { z } from 'zod';
import type { Status, Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { joinText, splitText } from './headed-text.ts';
import { type ListShape, listOf, shownList, type Written } from './list-write.ts';
import { byTitle, listOfEntries, numberedLines, saidText, type Words, writePlainList } from './plain-list.ts';
import { failure, jsonReply, parseArguments, refusal, textReply, withNags } from './reply.ts';
import { jsonSchema } from './schema.ts';

/**
 * VS Code Copilot: one tool that reads or writes the whole list. Ids are places, 1 to n. Cancelled tasks are not in it.
 * The answer to a write has no list: what of it was not sent does not count as seen.
 */

const wireStatuses = { pending: 'not-started', in_progress: 'in-progress', completed: 'completed' } as const;

/** Models send numbers as text. */
function asNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[0-9]{1,9}\s*$/.test(value) ? Number(value) : value;
}

const entry = z.object({
  id: z.preprocess(asNumber, z.number()).describe('Its place in the list, from 1.'),
  title: saidText,
  description: z.string().optional().describe('Details; stay as they are when absent.'),
  status: z.enum(Object.values(wireStatuses)),
});
const input = z.object({
  operation: z.enum(['write', 'read']).optional().describe('write when absent.'),
  todoList: listOfEntries(entry).optional().describe('To write: all items, unchanged ones too.'),
});

type Entry = z.output<typeof entry>;

const shape: ListShape<Entry> = {
  shows: ({ status }) => status !== 'cancelled',
  list: (tasks) => ({ rows: tasks, entries: tasks.map(entryOf) }),
  state: (entries) =>
    entries.map(({ title, description = '', status }) => ({
      description: joinText(title, description),
      status: statusOf(status),
    })),
  retext: ({ title, description }, row) => {
    const { head, rest } = splitText(row.description);
    return title === head && description === undefined ? row.description : joinText(title, description ?? rest);
  },
};

function entryOf(task: Task, place: number): Entry {
  const { head, rest } = splitText(task.description);
  const status = task.status === 'cancelled' ? 'completed' : wireStatuses[task.status];
  return { id: place + 1, title: head, ...(rest !== '' && { description: rest }), status };
}

function statusOf(wire: Entry['status']): Status {
  return wire === 'not-started' ? 'pending' : wire === 'in-progress' ? 'in_progress' : 'completed';
}

const words: Words = (message, plan) =>
  byTitle(message, plan)
    .replace(/\bin_progress\b/g, wireStatuses.in_progress)
    .replace(/\bpending\b/g, wireStatuses.pending);

async function manage(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(input, args);
  if (!parsed.ok) return parsed.error;
  const { operation = 'write', todoList } = parsed.value;
  if (operation === 'read') return read(call);
  if (!todoList) return refusal('To write, send todoList: all items, each with id, title and status.');
  return write(todoList, call);
}

async function read(call: Call): Promise<ToolReply> {
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const { plan } = look.value;
  return jsonReply({ todoList: listOf(shape, plan).entries }, shownList(shape, plan));
}

async function write(todoList: readonly Entry[], call: Call): Promise<ToolReply> {
  const before = await call.look();
  if (!before.ok) return failure(before.error);
  const { entries: old } = listOf(shape, before.value.plan);
  const sees = (_plan: Plan, written: Written) => ({ shown: uidsOf(written) });
  const named = (rows: readonly Task[]) => titled(todoList, rows);
  const result = await writePlainList(
    call,
    shape,
    { entries: todoList, named, several: true, adopts: true, sees },
    words,
  );
  if (!result.ok) return result.error;
  const { plan, written, nags } = result.value;
  const warnings = [...warningsOf(old, listOf(shape, plan).entries, todoList.length), ...nags];
  const sight = { revision: plan.revision, shown: uidsOf(written) };
  return textReply(`${withNags('Successfully wrote the todo list', warnings)}${asItIs(plan, todoList)}`, sight);
}

function uidsOf(written: Written): readonly string[] {
  return written.flatMap((task) => task?.uid ?? []);
}

/** The row with the title at the place that the id says, else the first one with that title that is left. */
function titled(entries: readonly Entry[], rows: readonly Task[]): readonly (Task | undefined)[] {
  const headOf = (row: Task): string => splitText(row.description).head;
  const taken = new Set<Task>();
  const found = entries.map(({ id, title }) => {
    const row = rows[id - 1];
    if (!row || taken.has(row) || headOf(row) !== title) return undefined;
    taken.add(row);
    return row;
  });
  const left = new Map<string, Task[]>();
  for (const row of [...rows].reverse()) {
    if (!taken.has(row)) left.set(headOf(row), [...(left.get(headOf(row)) ?? []), row]);
  }
  return found.map((row, index) => row ?? left.get(entries[index]?.title ?? '')?.pop());
}

function warningsOf(
  old: readonly Entry[],
  now: readonly Entry[],
  sent: number,
): readonly { readonly message: string }[] {
  const warnings: string[] = [];
  if (sent > 0 && now.length > 0 && now.length < 3)
    warnings.push('The list has fewer than 3 items; a task this small may need none.');
  if (sent > 10) warnings.push('The list has more than 10 items; fewer are easier to follow.');
  const most = Math.max(old.length, now.length);
  const changes = Array.from({ length: most }, (_, place) => same(old[place], now[place])).filter((is) => !is).length;
  if (old.length > 0 && changes > 3) {
    warnings.push(`${changes} items changed at once; better change one at a time, as the work goes on.`);
  }
  return warnings.map((message) => ({ message }));
}

function same(a: Entry | undefined, b: Entry | undefined): boolean {
  return a?.title === b?.title && a?.status === b?.status && (a?.description ?? '') === (b?.description ?? '');
}

/** The list, where it is not what was sent. */
function asItIs(plan: Plan, sent: readonly Entry[]): string {
  const { entries } = listOf(shape, plan);
  const isSent = ({ title, status }: Entry, place: number): boolean =>
    title === sent[place]?.title && status === sent[place]?.status;
  if (entries.length === sent.length && entries.every(isSent)) return '';
  if (entries.length === 0) return '\nThe shared list is empty now.';
  return `\nThe shared list is now:\n${numberedLines(entries.map(({ title, status }) => ({ text: title, status })))}`;
}

const manageTodoList: Tool = {
  name: 'manage_todo_list',
  title: 'Manage the todo list',
  description:
    'Reads or writes the todo list. A write sends all items, unchanged ones too. Items of others stay, and the result shows ' +
    'the list when it is not what you sent.',
  input: jsonSchema(input),
  hints: { readOnly: false, destructive: true, idempotent: true },
  run: manage,
};

export const vscode: Dialect = {
  name: 'vscode',
  title: 'VS Code Copilot: manage_todo_list',
  instructions:
    'Keep the todo list current with manage_todo_list: read it first, then write all items each time, one of yours ' +
    'in-progress while you work on it, completed as soon as it is done. The list is shared with other agents: what they add ' +
    'stays. Ids are places in the list, so they shift when it changes; details you do not send stay as they are.',
  tools: [manageTodoList],
  view: (plan: Plan) => ({ todoList: listOf(shape, plan).entries }),
  render: () => null,
};
