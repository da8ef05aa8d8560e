import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import { hasDocument } from '../plan/mutations/document.ts';
import type { Plan } from '../plan/plan.ts';
import type { Call, Failure, Submitted, Tool, ToolReply } from './dialect.ts';
import { given, guardFailure, notFound, outputs, planOf, refusedFor, refuseName } from './docker-agent-view.ts';
import { failure, jsonReply, parseArguments, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';

const name = z.string().describe("The plan's name: lower-case letters, digits, - and _.");
const revisionGuard = z
  .number()
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .optional()
  .describe('Revision you last read: refused if the plan is at another. 0: only if there is no plan yet.');
const labels = {
  title: z.string().optional().describe('Kept when absent.'),
  author: z.string().optional().describe('Who writes, such as your agent name. Kept when absent.'),
  status: z.string().optional().describe('Free label. Kept when absent.'),
};
const guarded = { ...labels, last_known_revision: revisionGuard };

const writeInput = z.object({ name, content: z.string().describe('The whole plan, in Markdown.'), ...guarded });
const fromFileInput = z.object({
  name,
  path: z.string().describe('File on the server that holds the plan.'),
  ...guarded,
});
const statusInput = z.object({ name, status: z.string(), last_known_revision: revisionGuard });
const deleteInput = z.object({ name, last_known_revision: revisionGuard });

type Labels = z.output<typeof fromFileInput>;

async function writePlan(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(writeInput, args);
  if (!parsed.ok) return parsed.error;
  const { content, ...rest } = parsed.value;
  if (content === '') return refusal('The content must not be empty. Send the whole plan.');
  return refuseName(rest.name) ?? write(call, content, rest);
}

async function updateFromFile(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(fromFileInput, args);
  if (!parsed.ok) return parsed.error;
  const { path, ...rest } = parsed.value;
  if (path === '') return refusal('The path must not be empty.');
  const file = await call.files.read(path, limits.contentBytesMax);
  if (!file.ok) return failure(file.error);
  if (file.value === '') return refusal(`'${path}' is empty; a plan must have content.`);
  return refuseName(rest.name) ?? write(call, file.value, rest);
}

async function write(
  call: Call,
  content: string,
  { name: room, title, author, status, last_known_revision: expected }: Omit<Labels, 'path'>,
): Promise<ToolReply> {
  const look = await call.look(room);
  if (!look.ok) return failure(look.error);
  const stale = guardFailure(look.value.plan, room, expected);
  if (stale) return failure(stale);
  const said = given({ title, author, status });
  const written = await call.submit({ type: 'document.write', content, ...said, ...guardOf(expected) }, { room });
  if (!written.ok) return refusedFor(room, expected, written.error);
  return jsonReply(asWritten(written.value, { content, ...said }));
}

/** The plan as this call left it, also when others have changed it since. */
function asWritten({ plan, revision }: Submitted, fields: object): { readonly [key: string]: unknown } {
  const now = planOf(plan) ?? { name: plan.room, updatedAt: plan.updatedAt };
  return plan.document.revision === revision ? now : { ...now, ...fields, revision };
}

/** The look before was not in one step with the write; the room checks again. */
function guardOf(expected: number | undefined): { readonly base?: number; readonly mode?: 'create' | 'update' } {
  if (expected === undefined) return {};
  return { base: expected, mode: expected === 0 ? 'create' : 'update' };
}

async function setStatus(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(statusInput, args);
  if (!parsed.ok) return parsed.error;
  const { name: room, status, last_known_revision: expected } = parsed.value;
  if (status === '') return refusal('The status must not be empty. Any label will do, such as in-progress.');
  const invalid = refuseName(room);
  if (invalid) return invalid;
  const look = await call.look(room);
  if (!look.ok) return failure(look.error);
  const refused = deletable(look.value.plan, room, expected);
  if (refused) return failure(refused);
  const base = expected === undefined ? {} : { base: expected };
  const set = await call.submit({ type: 'document.status', status, ...base }, { room });
  if (!set.ok) return refusedFor(room, expected, set.error);
  return jsonReply({ name: room, status, revision: set.value.revision });
}

/** Removes the plan with everything in its room; one that cannot be read only without a guard: the way out of damage. */
async function deletePlan(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(deleteInput, args);
  if (!parsed.ok) return parsed.error;
  const { name: room, last_known_revision: expected } = parsed.value;
  const invalid = refuseName(room);
  if (invalid) return invalid;
  const allows = (plan: Plan) => deletable(plan, room, expected);
  let deleted = await call.deleteRoom(room, { allows, guard: expected ?? 0 });
  const isDamaged = !deleted.ok && deleted.error.code === 'store_corrupt';
  if (isDamaged && expected === undefined) deleted = await call.deleteRoom(room, { guard: 0 });
  return deleted.ok ? jsonReply({ deleted: room }) : refusedFor(room, expected, deleted.error);
}

function deletable(plan: Plan, room: string, expected: number | undefined): Failure | undefined {
  return hasDocument(plan) ? guardFailure(plan, room, expected) : notFound(room);
}

const replaces = { readOnly: false, destructive: true } as const;

export const planWrites: readonly Tool[] = [
  {
    name: 'write_plan',
    title: 'Write plan',
    description:
      'Creates a shared plan or replaces its whole content. With last_known_revision nobody else’s newer version is overwritten.',
    input: jsonSchema(writeInput),
    output: outputs.plan,
    hints: replaces,
    run: writePlan,
  },
  {
    name: 'delete_plan',
    title: 'Delete plan',
    description: 'Deletes a shared plan with its tasks and history.',
    input: jsonSchema(deleteInput),
    output: outputs.deleted,
    hints: replaces,
    run: deletePlan,
  },
  {
    name: 'update_plan_from_file',
    title: 'Update plan from file',
    description: 'Writes the plan from a file, so that a long text need not be sent.',
    input: jsonSchema(fromFileInput),
    output: outputs.plan,
    hints: replaces,
    run: updateFromFile,
  },
  {
    name: 'set_plan_status',
    title: 'Set plan status',
    description: 'Sets the status label of a plan and nothing else.',
    input: jsonSchema(statusInput),
    output: outputs.status,
    hints: { readOnly: false, destructive: false, idempotent: true },
    run: setStatus,
  },
];
