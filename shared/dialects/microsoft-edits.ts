import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import { isTerminal, type Task, taskId, taskNumber } from '../plan/model.ts';
import type { SingleMutation } from '../plan/mutation.ts';
import { err, ok, type Result } from '../plan/result.ts';
import { trim } from '../plan/text.ts';
import type { Call, Failure, Tool, ToolReply } from './dialect.ts';
import { joinText } from './headed-text.ts';
import { isListed, todoOf, todoSchema } from './microsoft-todos.ts';
import { notesOf, notesOutput, saidText } from './plain-list.ts';
import { jsonReply, parseArguments, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';
import { sameTask } from './stale-id.ts';
import { fewOf, referenceOf, shortNames } from './task-names.ts';

const perCallMax = limits.mutationsPerBatchMax;

const addInput = z.object({
  todos: z
    .array(z.object({ title: saidText, description: z.string().nullish().describe('Details.') }))
    .min(1)
    .max(perCallMax),
});
/** Models send ids as text too. */
const id = z.preprocess(asNumber, z.number().int().min(1));
const ids = z.array(id).min(1).max(perCallMax);
const completeInput = z.object({
  items: z
    .array(z.object({ id, reason: z.string().nullish().describe('How it was done; for your own account, not kept.') }))
    .min(1)
    .max(perCallMax),
});
/** Bare ids in place of the items are understood too. */
const completeArguments = completeInput.partial().extend({ ids: ids.optional() });
const removeInput = z.object({ ids });

const addOutput = z.object({ todos: z.array(todoSchema), notes: notesOutput });
const countOutput = z.object({ count: z.number(), notes: notesOutput });

type Note = { readonly message: string };

async function add(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(addInput, args);
  if (!parsed.ok) return parsed.error;
  const mutations = parsed.value.todos.map(
    ({ title, description }): SingleMutation => ({
      type: 'task.add',
      description: joinText(trim(title), trim(description ?? '')),
    }),
  );
  const submitted = await call.submit({ type: 'batch', mutations });
  if (!submitted.ok) return refusal(words(submitted.error.message));
  const { plan, created, nags } = submitted.value;
  const todos = created.flatMap(({ uid }) => plan.task(uid) ?? []).map(todoOf);
  return jsonReply({ todos, ...notesOf(nags.map(inItsWords)) });
}

async function complete(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(completeArguments, args);
  if (!parsed.ok) return parsed.error;
  const { items = [], ids: bare = [] } = parsed.value;
  const asked = [...items.map((item) => item.id), ...bare];
  if (asked.length === 0) return refusal('Say what is complete: items, each with an id and a reason.');
  const found = await find(call, asked);
  if (!found.ok) return refusal(words(found.error.message));
  const open = found.value.tasks.filter(({ status }) => !isTerminal(status));
  const done = found.value.tasks.filter(({ status }) => isTerminal(status));
  const notes = done.length > 0 ? [{ message: sayDone(done.map(({ number }) => number)) }] : [];
  return submitAll(call, 'task.complete', open, { ...found.value, notes: [...found.value.notes, ...notes] });
}

async function remove(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(removeInput, args);
  if (!parsed.ok) return parsed.error;
  const found = await find(call, parsed.value.ids);
  if (!found.ok) return refusal(words(found.error.message));
  return submitAll(call, 'task.remove', found.value.tasks, found.value);
}

interface Found {
  readonly revision: number;
  readonly tasks: readonly Task[];
  /** On ids that name no todo, or another one than their caller knows. */
  readonly notes: readonly Note[];
}

/** The tasks of the ids, each once. A refusal when there is none at all. */
async function find(call: Call, asked: readonly number[]): Promise<Result<Found, Failure>> {
  const look = await call.look();
  if (!look.ok) return look;
  const { revision } = look.value.plan;
  const numbers = [...new Set(asked)];
  const listed = numbers.flatMap((number) => {
    const task = look.value.plan.taskByNumber(number);
    return task && isListed(task) ? [task] : [];
  });
  const tasks: Task[] = [];
  const notes: Note[] = [];
  for (const task of listed) {
    // Whoever made the task was told its id.
    const stale = task.createdBy === call.actor ? undefined : await sameTask(call, taskId(task));
    if (!stale) tasks.push(task);
    else if (stale.code === 'stale_task') notes.push({ message: words(stale.message) });
    else return err(stale);
  }
  const known = new Set(listed.map(({ number }) => number));
  const unknown = numbers.filter((number) => !known.has(number));
  if (unknown.length > 0) notes.push({ message: sayUnknown(unknown) });
  if (tasks.length > 0) return ok({ revision, tasks, notes });
  return err({ code: 'task_not_found', message: notes.map(({ message }) => message).join(' ') });
}

function sayUnknown(unknown: readonly number[]): string {
  const some = fewOf(unknown);
  return unknown.length === 1
    ? `There is no todo ${some}; see todos_get_all.`
    : `There are no todos ${some}; see todos_get_all.`;
}

function sayDone(done: readonly number[]): string {
  return done.length === 1
    ? `Todo ${fewOf(done)} was complete already.`
    : `Todos ${fewOf(done)} were complete already.`;
}

function asNumber(value: unknown): unknown {
  return typeof value === 'string' ? (taskNumber(referenceOf(value) ?? '') ?? value) : value;
}

/** All or none, unless others changed one of the tasks since it was found. */
async function submitAll(
  call: Call,
  type: 'task.complete' | 'task.remove',
  tasks: readonly Task[],
  { revision: base, notes }: Found,
): Promise<ToolReply> {
  if (tasks.length === 0) return jsonReply({ count: 0, ...notesOf(notes) });
  const mutations = tasks.map((task): SingleMutation => ({ type, task: taskId(task), base }));
  const submitted = await call.submit({ type: 'batch', mutations });
  if (!submitted.ok) return refusal(words(submitted.error.message));
  return jsonReply({
    count: tasks.length,
    ...notesOf([...notes, ...submitted.value.nags.map(inItsWords)]),
  });
}

function inItsWords({ message }: Note): Note {
  return { message: words(message) };
}

/** A message of the core with the ids and tools of this dialect. */
function words(message: string): string {
  return shortNames(message)
    .replace(
      /^Mutation ([0-9]+) of [0-9]+ was refused, so none took effect\. /,
      'Entry $1 was refused, so none took effect. ',
    )
    .replace(/'task-([0-9]+)'/g, "'$1'")
    .replace(/ \(List\)/, ' (todos_get_all)');
}

export const microsoftEdits: readonly Tool[] = [
  {
    name: 'todos_add',
    title: 'Add todos',
    description: 'Adds todos at the end of the list. Gives them with their ids.',
    input: jsonSchema(addInput),
    output: jsonSchema(addOutput),
    hints: { readOnly: false, destructive: false },
    run: add,
  },
  {
    name: 'todos_complete',
    title: 'Complete todos',
    description: 'Marks todos as complete, each with the reason. Gives how many there were; notes tell of the others.',
    input: jsonSchema(completeInput),
    output: jsonSchema(countOutput),
    hints: { readOnly: false, destructive: false, idempotent: true },
    run: complete,
  },
  {
    name: 'todos_remove',
    title: 'Remove todos',
    description: 'Takes todos off the list for everybody. Gives how many there were; notes tell of the others.',
    input: jsonSchema(removeInput),
    output: jsonSchema(countOutput),
    hints: { readOnly: false, destructive: true, idempotent: true },
    run: remove,
  },
];
