import { z } from 'zod';
import { fitsBytes, limits } from '../plan/limits.ts';
import { statuses, type Task } from '../plan/model.ts';
import type { SingleMutation } from '../plan/mutation.ts';
import type { Plan } from '../plan/plan.ts';
import { collapse, isWellFormed } from '../plan/text.ts';
import type { Call, Dialect, Shown, Tool, ToolReply } from './dialect.ts';
import { type ListShape, listOf, type Seen, seenTasks, type Written, writeList } from './list-write.ts';
import { failure, refusal, textReply, withNags } from './reply.ts';
import {
  contentOf,
  isOpen,
  isResolved,
  readWrite,
  saidEmptied,
  sayCleared,
  sayWritten,
  type Todo,
} from './sagents-items.ts';
import { SagentsNews, todoOf } from './sagents-news.ts';
import { jsonSchema } from './schema.ts';

/**
 * Sagents v0.8.0-rc.10: `write_todos` [S4]. The id of a todo is the number of the task: a new one asks for it, and gets
 * another when it is taken. The answer is a count, so it also lists what the caller cannot know, and only that, and what
 * the caller sent, counts as seen.
 */

/** What the tool says it takes; what it does take is up to `readWrite`. */
const input = z.object({
  merge: z.boolean().describe('true: add to the list, or change, by id. false: the list becomes what you send.'),
  todos: z
    .array(
      z.object({
        id: z.number().int().min(1).describe('Unique in the list; keep it from call to call.'),
        content: z.string().describe('What to do; at most 1000 characters.'),
        status: z.enum(statuses),
      }),
    )
    .min(1)
    .describe('Each whole, also when it changes only in part.'),
});

const shape: ListShape<Todo> = {
  shows: () => true,
  list: (tasks) => {
    const rows = [...tasks].sort((a, b) => a.number - b.number);
    return { rows, entries: rows.map(todoOf) };
  },
  state: (todos) =>
    todos.map(({ id, content, status }) => ({
      description: content,
      status,
      ...(id <= limits.taskNumberMax && { number: id }),
    })),
  // The answer has each text on one line.
  retext: ({ content }, row) =>
    collapse(content) === collapse(contentOf(row.description)) ? row.description : content,
};

async function write(args: unknown, call: Call): Promise<ToolReply> {
  const read = readWrite(args);
  if (!read.ok) return unreadable(read.error.message);
  const { merges, todos } = read.value;
  const unfit = refuseUnfit(todos);
  if (unfit !== undefined) return unreadable(unfit);
  const back = await call.lookBack();
  if (!back.ok) return failure(back.error);
  const { plan } = back.value;
  const seen = seenTasks(back.value);
  if (merges && todos.length === 0) {
    const news = new SagentsNews(plan, seen, [], []);
    return reply(sayWritten(merges, [...plan.tasks()]), news, []);
  }
  const names = back.value.sight?.names;
  const goes = clearedBy(plan, seen, todos, merges, names);
  return (goes && (await clear(call, goes, seen))) ?? writeNormally(call, seen, todos, merges, names);
}

/** What the core would refuse, told by place. */
function refuseUnfit(todos: readonly Todo[]): string | undefined {
  const { tasksPerRoomMax, descriptionBytesMax } = limits;
  if (todos.length > tasksPerRoomMax) return `todos: ${todos.length} are too many, ${tasksPerRoomMax} are allowed`;
  for (const [index, { content }] of todos.entries()) {
    if (!isWellFormed(content)) return `todo ${index + 1}: content has half of a surrogate pair`;
    if (!fitsBytes(content, descriptionBytesMax)) {
      return `todo ${index + 1}: content must have at most ${descriptionBytesMax} bytes in UTF-8`;
    }
  }
  return undefined;
}

function unreadable(what: string): ToolReply {
  return refusal(`Parse failure, nothing was written. ${what}.`);
}

/**
 * For each todo the row with its id; of several with one id the first has it. An id that the caller gave a todo of its own,
 * which got another, still means that one: callers number from 1, each of them.
 */
function rowsById(todos: readonly Todo[], rows: readonly Task[], names: Names = {}): readonly (Task | undefined)[] {
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  for (const row of rows) {
    const own = names[row.uid];
    if (own !== undefined) byNumber.set(Number(own), row);
  }
  const taken = new Set<string>();
  return todos.map(({ id }) => {
    const row = byNumber.get(id);
    if (!row || taken.has(row.uid)) return undefined;
    taken.add(row.uid);
    return row;
  });
}

type Names = NonNullable<Shown['names']>;

/** What the caller calls its todos that did not get the id it chose. */
function namesAfter(before: Names = {}, plan: Plan, todos: readonly Todo[], written: Written): Names {
  const names: Record<string, string> = {};
  for (const [uid, id] of Object.entries(before)) if (plan.task(uid)) names[uid] = id;
  for (const [index, task] of written.entries()) {
    const id = todos[index]?.id;
    if (!task || id === undefined) continue;
    if (task.number !== id && names[task.uid] === undefined) names[task.uid] = String(id);
  }
  return names;
}

/**
 * The rows that go when the list, with these todos written, clears itself. Undefined when it does not: something in it
 * would be open, or others changed what the caller saw.
 */
function clearedBy(
  plan: Plan,
  seen: Seen | undefined,
  todos: readonly Todo[],
  merges: boolean,
  names: Names | undefined,
): readonly Task[] | undefined {
  if (todos.length === 0 || todos.some(isOpen)) return undefined;
  const meant = new Set(rowsById(todos, seen?.tasks ?? [], names).map((row) => row?.uid));
  const isTakenUp = ({ uid }: Task): boolean => meant.has(uid) || !seen?.unlisted.has(uid);
  const rows = (seen?.tasks ?? []).filter((task) => plan.task(task.uid) && isTakenUp(task));
  if (rows.some(({ uid, revision }) => plan.task(uid)?.revision !== revision)) return undefined;
  if (rows.length > limits.mutationsPerBatchMax) return undefined;
  const isRow = new Set(rows.map(({ uid }) => uid));
  const isWritten = new Set(rowsById(todos, rows, names).map((row) => row?.uid));
  const stays = [...plan.tasks()].filter(({ uid }) => !isWritten.has(uid) && (merges || !isRow.has(uid)));
  return stays.every(isResolved) ? rows : undefined;
}

/** Takes the rows away, all or none; undefined when one was changed since. Those that others added stay. */
async function clear(call: Call, rows: readonly Task[], seen: Seen | undefined): Promise<ToolReply | undefined> {
  if (!seen || rows.length === 0) {
    const look = await call.look();
    return look.ok ? reply(sayCleared(), new SagentsNews(look.value.plan, seen, [], []), []) : failure(look.error);
  }
  const mutations = rows.map(({ uid }): SingleMutation => ({ type: 'task.remove', task: uid, base: seen.revision }));
  const sees = (plan: Plan) => ({ shown: new SagentsNews(plan, seen, [], []).knownUids() });
  const cleared = await call.submit({ type: 'batch', mutations }, { sees });
  if (cleared.ok) {
    const { plan } = cleared.value;
    // The first call of a retry may have been a write that left them there.
    if (rows.some(({ uid }) => plan.task(uid))) return undefined;
    return reply(sayCleared(), new SagentsNews(plan, seen, [], []), []);
  }
  const { code, message } = cleared.error;
  return code === 'conflict' || code === 'task_not_found' ? undefined : refusal(words(message));
}

async function writeNormally(
  call: Call,
  seen: Seen | undefined,
  todos: readonly Todo[],
  merges: boolean,
  known: Names | undefined,
): Promise<ToolReply> {
  const sees = (plan: Plan, written: Written) => ({
    shown: new SagentsNews(plan, seen, todos, written).knownUids(),
    names: namesAfter(known, plan, todos, written),
  });
  const named = (rows: readonly Task[]) => rowsById(todos, rows, known);
  const options = { named, byId: true, several: true, unordered: true, keepsRest: merges, sees };
  const result = await writeList(call, shape, { entries: todos, ...options });
  if (!result.ok) return refusal(words(result.error.message));
  const { plan, written, nags } = result.value;
  const news = new SagentsNews(plan, seen, todos, written);
  const text = todos.length === 0 ? saidEmptied : sayWritten(merges, [...plan.tasks()]);
  const told = [...new Set(nags.map(({ message }) => words(message)))];
  const names = namesAfter(known, plan, todos, written);
  return reply(text, news, [...news.otherIds(known), ...told], names);
}

function reply(text: string, news: SagentsNews, notes: readonly string[], names?: Names): ToolReply {
  const noted = withNags(
    text,
    notes.map((message) => ({ message })),
  );
  const sight = news.sight();
  const named = names && Object.keys(names).length > 0 ? { ...sight, names } : sight;
  return textReply([noted, ...news.lines()].join('\n'), named);
}

/** A message of the core with the ids of todos, and without the places of a list that the caller did not send so. */
function words(message: string): string {
  return message
    .replace(/^Mutation [0-9]+ of [0-9]+ was refused, so none took effect\. /, '')
    .replace(/ \(item [0-9]+\)$/, '')
    .replace(/'task-([0-9]+)'/g, 'TODO $1');
}

const writeTodos: Tool = {
  name: 'write_todos',
  title: 'Write TODOs',
  description:
    'Writes the TODO list: with merge true the todos you send are added or changed by id, with merge false they are the new ' +
    'list. Several may be in_progress. When all are completed or cancelled the list clears itself. Answers with counts, and ' +
    'with the TODOs of others that you have not seen.',
  input: jsonSchema(input),
  hints: { readOnly: false, destructive: true, idempotent: true },
  run: write,
};

export const sagents: Dialect = {
  name: 'sagents',
  title: 'Sagents v0.8.0-rc.10: write_todos with ids of your choice',
  instructions:
    'Keep the TODO list current with write_todos: merge true to change or add a few by id, merge false for a new list; set a ' +
    'TODO in_progress when you begin it and completed as soon as it is done. The list is shared with other agents: the ' +
    'answer shows what they added or changed, and when a new TODO of yours got another id than you chose, a note says so: ' +
    'use that id from then on. With merge false, send the TODOs of others that you were shown too, or they are removed.',
  tools: [writeTodos],
  view: (plan: Plan) => ({ todos: listOf(shape, plan).entries }),
  render: () => null,
};
