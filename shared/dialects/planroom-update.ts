import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import type { SingleMutation } from '../plan/mutation.ts';
import type { Plan } from '../plan/plan.ts';
import { err, ok, type Result } from '../plan/result.ts';
import { operationIdSchema } from '../protocol/names.ts';
import type { Call, Failure, Submitted, ToolReply } from './dialect.ts';
import { digestReply } from './planroom-digest.ts';
import { listed } from './planroom-text.ts';
import { parseArguments, refusal } from './reply.ts';
import { sameTask } from './stale-id.ts';

const kinds = ['add', 'edit', 'start', 'done', 'cancel', 'reopen', 'move', 'remove', 'verify', 'clean'] as const;

const operation = z.strictObject({
  op: z.enum(kinds),
  id: z.string().optional().describe('the task, e.g. task-3'),
  text: z.string().optional(),
  group: z.string().optional().describe('title; a new one is made'),
  after: z.array(z.string()).optional().describe('ids it waits for; or keys'),
  key: z.string().optional().describe('add: names the task in this call'),
  before: z.string().optional().describe('move: the task it goes before'),
  priority: z.string().optional(),
  labels: z.array(z.string()).optional(),
  evidence: z.string().optional().describe('verify: what showed that tests pass'),
});

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
  const { ops, once } = parsed.value;
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

function decode(each: Operation, { base }: UpdateInput): Result<SingleMutation, string> {
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
  return message
    .replace(/^Mutation (\d+) of \d+ was refused, so none took effect\./, 'Op $1 was refused, so none took effect.')
    .replace(/ \(List\)/g, ' (plan_read)')
    .replace(/task\.reopen/g, 'op reopen');
}

function outcome({ created, nags, repeated }: Submitted, mutations: readonly SingleMutation[], plan: Plan): string[] {
  const ids = created.flatMap(({ id, uid }) => (plan.task(uid) ? [id] : []));
  const made = ids.length > 0 ? `: added ${listed(ids, 40)}` : '';
  const again = repeated ? ' (this call had been made before)' : '';
  const done = `${mutations.length === 1 ? 'Done' : `All ${mutations.length} done`}${made}${again}.`;
  const notes = nags.slice(0, notesMax).map(({ message }) => `Note: ${message.slice(0, noteCharactersMax)}`);
  const rest = nags.length > notesMax ? [`${nags.length - notesMax} more notes.`] : [];
  return [done, ...notes, ...rest];
}

const notesMax = 10;
const noteCharactersMax = 300;
