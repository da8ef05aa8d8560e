import { z } from 'zod';
import { statuses, type Task, taskId, taskNumber } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { fold } from '../plan/text.ts';
import type { Call, Dialect, Look, Shown, Tool, ToolReply } from './dialect.ts';
import {
  dependencyPlaces,
  type ListShape,
  listOf,
  placesByReference,
  shownList,
  siblingKey,
  type Written,
} from './list-write.ts';
import { listOfEntries, notesOf, notesOutput, saidText, type Words, writePlainList } from './plain-list.ts';
import { failure, jsonReply, parseArguments, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';
import { asText, idText } from './task-names.ts';

/**
 * Cursor: one tool that writes the whole list, or some of it beside the rest. The caller chooses the ids; what it calls a
 * task is remembered with what it saw. A task it gave no name has the id of the room.
 */

const entry = z.object({
  id: z.preprocess(asText, z.string().min(1).max(128)).describe('Your own, or task-<n> as shown.'),
  content: saidText.optional().describe('Needed for a new id.'),
  status: z.enum(statuses).optional(),
  dependencies: z.array(idText).optional().describe('Ids that come first.'),
});
const input = z.object({
  merge: z.boolean().describe('true: add or change these, keep the rest. false: this is the whole list.'),
  todos: listOfEntries(entry),
});
const output = z.object({
  todos: z.array(
    z.object({ id: z.string(), content: z.string(), status: z.string(), dependencies: z.array(z.string()).optional() }),
  ),
  notes: notesOutput,
});

type Entry = z.output<typeof entry>;
type Names = NonNullable<Shown['names']>;

/** Where a task is looked up: a plan, or rows of it as they once were. */
type Rows = Pick<Plan, 'task' | 'taskByNumber'>;

function indexed(rows: readonly Task[]): Rows {
  const byUid = new Map(rows.map((row) => [row.uid, row]));
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  return { task: (uid) => byUid.get(uid), taskByNumber: (number) => byNumber.get(number) };
}

/** What one actor calls the tasks. */
class Naming {
  private readonly names: Names;
  private readonly uids: ReadonlyMap<string, string>;

  constructor(names: Names = {}) {
    this.names = names;
    this.uids = new Map(Object.entries(names).map(([uid, id]) => [id, uid]));
  }

  /** The id of the room gives way where the actor calls another task so. */
  idOf(task: Task): string {
    const own = this.names[task.uid];
    if (own !== undefined) return own;
    return this.uids.has(taskId(task)) ? task.uid : taskId(task);
  }

  find(id: string, rows: Rows): Task | undefined {
    const uid = this.uids.get(id);
    if (uid !== undefined) return rows.task(uid);
    return rows.taskByNumber(taskNumber(id) ?? 0) ?? rows.task(id);
  }

  /** With the names that a call gave; those of tasks that are gone are forgotten. */
  after(plan: Plan, entries: readonly Entry[], written: Written): Names {
    const given = new Map<string, string>();
    entries.forEach(({ id }, index) => {
      const task = written[index];
      if (task && (id !== taskId(task) || this.uids.has(id)) && id !== task.uid) given.set(id, task.uid);
    });
    const kept = Object.entries(this.names).filter(([uid, id]) => plan.task(uid) && !given.has(id));
    const named = new Set(given.values());
    return Object.fromEntries([
      ...kept.filter(([uid]) => !named.has(uid)),
      ...[...given].map(([id, uid]) => [uid, id] as const),
    ]);
  }
}

function shapeFor(naming: Naming): ListShape<Entry> {
  return {
    shows: () => true,
    list: (tasks) => ({ rows: tasks, entries: entriesOf(tasks, naming) }),
    state: (entries) => {
      const places = new Map(entries.map(({ id }, index) => [id, index]));
      const key = (id: string): string => {
        const place = places.get(id);
        return place === undefined ? id : siblingKey(place);
      };
      return entries.map(({ content = '', status, dependencies }, index) => ({
        key: siblingKey(index),
        description: content,
        ...(status && { status }),
        ...(dependencies && { dependsOn: dependencies.map(key) }),
      }));
    },
    retext: ({ content }, row) => content ?? row.description,
  };
}

function entriesOf(tasks: readonly Task[], naming: Naming): readonly Entry[] {
  const placeOf = placesByReference(tasks);
  return tasks.map((task) => {
    const first = dependencyPlaces(task, placeOf).flatMap((place) => tasks[place] ?? []);
    const dependencies = first.map((other) => naming.idOf(other));
    return {
      id: naming.idOf(task),
      content: task.description,
      status: task.status,
      ...(dependencies.length > 0 && { dependencies }),
    };
  });
}

async function write(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(input, args);
  if (!parsed.ok) return parsed.error;
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const { plan: before } = look.value;
  const { merge } = parsed.value;
  const naming = new Naming(look.value.sight?.names);
  const fault = faultOf(parsed.value.todos, naming, look.value);
  if (fault !== undefined) return refusal(fault);
  const todos = withKnownDependencies(parsed.value.todos, naming, before);
  const shape = shapeFor(naming);
  const named = (rows: readonly Task[]) => {
    const seen = indexed(rows);
    return todos.map((todo) => meant(todo, naming.find(todo.id, seen), merge, before));
  };
  let names = look.value.sight?.names;
  const sees = (plan: Plan, written: Written) => {
    names = naming.after(plan, todos, written);
    return { shown: shownList(shape, plan).shown, names };
  };
  const words: Words = (message, plan) => inNames(message, plan, new Naming(names));
  const list = { entries: todos, named, several: true, keepsRest: merge, sees };
  const result = await writePlainList(call, shape, list, words);
  if (!result.ok) return result.error;
  const { plan, written, nags } = result.value;
  return reply(plan, naming.after(plan, todos, written), nags);
}

function faultOf(todos: readonly Entry[], naming: Naming, { plan, sight }: Look): string | undefined {
  const ids = new Set<string>();
  const rows = sight ? plan : indexed([]);
  for (const { id, content } of todos) {
    if (ids.has(id)) return `The id '${id}' stands in the list twice; each todo needs its own.`;
    ids.add(id);
    if (content !== undefined || naming.find(id, rows)) continue;
    return `There is no todo '${id}' in the list that you know, and a new one needs content.`;
  }
  return undefined;
}

/** A list that starts anew often counts its ids anew: then an id with another text is not a row that others changed. */
function meant({ content }: Entry, row: Task | undefined, merge: boolean, plan: Plan): Task | undefined {
  if (!row || merge || content === undefined || fold(content) === fold(row.description)) return row;
  return plan.task(row.uid)?.revision === row.revision ? row : undefined;
}

/** Ids of todos that are not in this call become those of the room. */
function withKnownDependencies(todos: readonly Entry[], naming: Naming, plan: Plan): readonly Entry[] {
  const ids = new Set(todos.map(({ id }) => id));
  const reference = (id: string): string => (ids.has(id) ? id : (naming.find(id, plan)?.uid ?? id));
  return todos.map((todo) => ({
    ...todo,
    ...(todo.dependencies && { dependencies: todo.dependencies.map(reference) }),
  }));
}

/** In messages the ids of the actor; a task that it gave no name has the room's already. */
function inNames(message: string, plan: Plan, naming: Naming): string {
  return message.replace(/'(task-[0-9]+)'/g, (quoted, id: string) => {
    const task = plan.findTask(id);
    return task ? `'${naming.idOf(task)}'` : quoted;
  });
}

function reply(plan: Plan, names: Names, nags: readonly { readonly message: string }[]): ToolReply {
  const shape = shapeFor(new Naming(names));
  const sight = { ...shownList(shape, plan), names };
  return jsonReply({ todos: listOf(shape, plan).entries, ...notesOf(nags) }, sight);
}

const todoWrite: Tool = {
  name: 'todo_write',
  title: 'Write todos',
  description:
    'Adds or changes todos by id (merge: true), or writes the whole list (merge: false). What others added or changed since ' +
    'you last saw the list is kept, and the result shows the list.',
  input: jsonSchema(input),
  output: jsonSchema(output),
  hints: { readOnly: false, destructive: true, idempotent: true },
  run: write,
};

const room = new Naming();

export const cursor: Dialect = {
  name: 'cursor',
  title: 'Cursor: todo_write',
  instructions:
    'Keep the todo list current with todo_write: merge: true with the todos you add or change, by ids of your own choice; one ' +
    'of yours in_progress while you work on it, completed as soon as it is done. The list is shared with other agents: what ' +
    'they add stays and is shown as task-<n>, an id you may use too. merge: false writes the whole list, so carry the todos ' +
    'of others along. With merge: true and no todos the list is only shown.',
  tools: [todoWrite],
  view: (plan: Plan) => ({ todos: listOf(shapeFor(room), plan).entries }),
  render: () => null,
};
