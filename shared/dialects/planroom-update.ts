import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import type { SingleMutation } from '../plan/mutation.ts';
import type { Plan } from '../plan/plan.ts';
import { err, ok, type Result } from '../plan/result.ts';
import { operationIdSchema } from '../protocol/names.ts';
import type { Call, Failure, Submitted, ToolReply } from './dialect.ts';
import { digestReply } from './planroom-digest.ts';
import { cut, listed } from './planroom-text.ts';
import { parseArguments, refusal } from './reply.ts';
import { sameTask } from './stale-id.ts';
import { idText, referenceOf, shortNames } from './task-names.ts';

const kinds = ['add', 'edit', 'start', 'done', 'cancel', 'reopen', 'move', 'remove', 'verify', 'clean'] as const;

const operation = z.strictObject({
  op: z.enum(kinds),
  id: idText.optional().describe('the task, e.g. task-3'),
  text: z.string().optional(),
  group: z.string().optional().describe('title; a new one is made'),
  after: z.array(idText).optional().describe('ids it waits for; or keys'),
  key: z.string().optional().describe('add: names the task in this call'),
  before: idText.optional().describe('move: the task it goes before'),
  priority: z.string().optional(),
  labels: z.array(z.string()).optional(),
  evidence: z.string().optional().describe('verify: what showed that tests pass'),
});

type Field = Exclude<keyof z.output<typeof operation>, 'op'>;

/** What each op takes. */
const fieldsOf: Readonly<Record<(typeof kinds)[number], readonly Field[]>> = {
  add: ['text', 'group', 'after', 'key', 'priority', 'labels'],
  edit: ['id', 'text', 'group', 'after', 'priority', 'labels'],
  start: ['id'],
  done: ['id'],
  cancel: ['id'],
  reopen: ['id'],
  move: ['id', 'group', 'before'],
  remove: ['id'],
  verify: ['group', 'evidence'],
  clean: [],
};

export const updateInput = z.strictObject({
  ops: z.array(operation).min(1).max(limits.mutationsPerBatchMax),
  base: z.number().int().min(0).optional().describe('revision you read: refused if what you touch changed since'),
  once: operationIdSchema.optional().describe('any new id; the same again has effect once'),
});

type Operation = z.output<typeof operation>;
type UpdateInput = z.output<typeof updateInput>;

export async function update(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(updateInput, args);
  if (!parsed.ok) return parsed.error;
  const { once } = parsed.value;
  const ops = withIds(parsed.value.ops);
  const mutations: SingleMutation[] = [];
  for (const [index, each] of ops.entries()) {
    const decoded = decode(each, parsed.value);
    if (!decoded.ok) return refusal(`Op ${index + 1} (${each.op}) ${decoded.error} Nothing changed.`);
    mutations.push(decoded.value);
  }
  const stale = await firstStale(call, ops);
  if (stale) return refusal(stale.message);
  const before = await call.look();
  const [only, ...others] = mutations;
  const submitted = await call.submit(only && others.length === 0 ? only : { type: 'batch', mutations }, {
    operationId: once,
    sees: () => ({ shown: null }),
  });
  if (!submitted.ok) return refusal(inOps(submitted.error));
  const sight = before.ok ? before.value.sight : undefined;
  return digestReply(call, ({ plan }) => ({ lines: outcome(submitted.value, mutations, plan) }), sight);
}

/** With the ids of the room, but for what is a key of this call. */
function withIds(ops: readonly Operation[]): readonly Operation[] {
  const keys = new Set(ops.map(({ key }) => key));
  const idOf = (said: string): string => (keys.has(said) ? said : (referenceOf(said) ?? said));
  return ops.map((each) => ({
    ...each,
    ...(each.id !== undefined && { id: idOf(each.id) }),
    ...(each.before !== undefined && { before: idOf(each.before) }),
    ...(each.after && { after: each.after.map(idOf) }),
  }));
}

/** Fields that say something the op has no use for; undefined when there are none. */
function useless(each: Operation): string | undefined {
  const takes = fieldsOf[each.op];
  const said = (Object.keys(each) as (keyof Operation)[]).filter((field): field is Field => field !== 'op');
  const wrong = said.filter(
    (field) => !takes.includes(field) && each[field] !== undefined && each[field]?.length !== 0,
  );
  if (wrong.length === 0) return undefined;
  return `does not take ${wrong.join(', ')}; it takes ${takes.length > 0 ? takes.join(', ') : 'nothing'}.`;
}

function decode(each: Operation, { base }: UpdateInput): Result<SingleMutation, string> {
  const wrong = useless(each);
  if (wrong !== undefined) return err(wrong);
  const guard = base === undefined ? {} : { base };
  const { id: task, text, group, after, key, before, priority, labels, evidence } = each;
  const fields = {
    ...(group !== undefined && { group }),
    ...(after && { dependsOn: after }),
    ...(priority !== undefined && { priority }),
    ...(labels && { labels }),
  };
  if (each.op === 'clean') return ok({ type: 'tasks.clean', keepPending: true });
  if (each.op === 'add') {
    if (text === undefined) return err('needs text.');
    return ok({ type: 'task.add', description: text, ...fields, ...(key !== undefined && { key }) });
  }
  if (each.op === 'verify') {
    if (group === undefined) return err('needs group.');
    return ok({ type: 'group.verify', group, ...guard, ...(evidence !== undefined && { evidence }) });
  }
  if (task === undefined) return err('needs id.');
  if (each.op === 'edit') {
    if (text === undefined && Object.keys(fields).length === 0) {
      return err('has nothing to change; it takes text, group, after, priority and labels.');
    }
    return ok({ type: 'task.edit', task, ...(text !== undefined && { description: text }), ...fields, ...guard });
  }
  if (each.op === 'move') {
    const to = group === undefined ? {} : { group };
    return ok({ type: 'task.move', task, ...to, ...(before !== undefined && { before }), ...guard });
  }
  return ok({ type: types[each.op], task, ...guard });
}

const types = {
  start: 'task.start',
  done: 'task.complete',
  cancel: 'task.cancel',
  reopen: 'task.reopen',
  remove: 'task.remove',
} as const;

async function firstStale(call: Call, ops: readonly Operation[]): Promise<Failure | undefined> {
  const keys = new Set(ops.map(({ key }) => key));
  for (const { id } of ops) {
    const stale = id === undefined || keys.has(id) ? undefined : await sameTask(call, id);
    if (stale) return stale;
  }
  return undefined;
}

/** The refusal of the room, in the words of this tool. */
function inOps({ message }: Failure): string {
  return shortNames(message)
    .replace(/^Mutation (\d+) of \d+ was refused, so none took effect\./, 'Op $1 was refused, so none took effect.')
    .replace(/ \(List\)/g, ' (plan_read)')
    .replace(/task\.reopen/g, 'op reopen');
}

function outcome({ created, nags, repeated }: Submitted, mutations: readonly SingleMutation[], plan: Plan): string[] {
  const ids = created.flatMap(({ id, uid }) => (plan.task(uid) ? [id] : []));
  const made = listed(ids, 40);
  const notes = nags.slice(0, notesMax).map(({ message }) => `Note: ${cut(shortNames(message), noteCharactersMax)}`);
  const rest = nags.length > notesMax ? [`${nags.length - notesMax} more notes.`] : [];
  const first = repeated ? again(made) : `${counted(mutations.length)} done${made && `; added ${made}`}.`;
  return [first, ...notes, ...rest];
}

function again(made: string): string {
  return `This call had been made before; nothing was done now.${made && ` It had added ${made}.`}`;
}

function counted(ops: number): string {
  return ops === 1 ? '1 op' : `${ops} ops`;
}

const notesMax = 10;
const noteCharactersMax = 300;
