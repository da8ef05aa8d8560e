import { z } from 'zod';
import { hasDocument } from '../plan/mutations/document.ts';
import type { Plan } from '../plan/plan.ts';
import { err, ok, type Result } from '../plan/result.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { given, notFound, outputs, planOf, refuseName, summaryOf } from './docker-agent-view.ts';
import { planWrites } from './docker-agent-writes.ts';
import { failure, jsonReply, parseArguments, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';

/** docker-agent's shared plan documents [S3]: each plan is the document of the room of its name. */

const nameInput = z.object({ name: z.string() });
const exportInput = z.object({
  name: z.string(),
  path: z.string().describe('Where the server writes it; replaced if there.'),
});

async function readPlan(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(nameInput, args);
  if (!parsed.ok) return parsed.error;
  const plan = await find(call, parsed.value.name);
  return plan.ok ? jsonReply(planOf(plan.value) ?? {}) : plan.error;
}

async function planStatus(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(nameInput, args);
  if (!parsed.ok) return parsed.error;
  const plan = await find(call, parsed.value.name);
  if (!plan.ok) return plan.error;
  const { status = '', revision } = plan.value.document;
  return jsonReply({ name: parsed.value.name, status, revision });
}

async function listPlans(_args: unknown, call: Call): Promise<ToolReply> {
  const listed = await call.listRooms();
  if (!listed.ok) return failure(listed.error);
  const { rooms, warnings } = listed.value;
  const plans = rooms.filter((room) => room.documentRevision > 0).map(summaryOf);
  const skipped = warnings.map(({ room, message }) => `skipped "${room}": ${message}`);
  return jsonReply({ plans, ...(skipped.length > 0 && { warnings: skipped }) });
}

/** The content goes to the file and not into the answer. */
async function exportPlan(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(exportInput, args);
  if (!parsed.ok) return parsed.error;
  const { name, path } = parsed.value;
  if (path === '') return refusal('The path must not be empty.');
  const plan = await find(call, name);
  if (!plan.ok) return plan.error;
  const { title, status, content, revision } = plan.value.document;
  const written = await call.files.write(path, content);
  if (!written.ok) return failure(written.error);
  return jsonReply({
    name,
    path: written.value.path,
    ...given({ title, status }),
    revision,
    bytesWritten: written.value.bytes,
  });
}

async function find(call: Call, name: string): Promise<Result<Plan, ToolReply>> {
  const invalid = refuseName(name);
  if (invalid) return err(invalid);
  const look = await call.look(name);
  if (!look.ok) return err(failure(look.error));
  return hasDocument(look.value.plan) ? ok(look.value.plan) : err(failure(notFound(name)));
}

const planReads: readonly Tool[] = [
  {
    name: 'read_plan',
    title: 'Read plan',
    description: 'Gives a shared plan with its content and revision.',
    input: jsonSchema(nameInput),
    output: outputs.plan,
    hints: { readOnly: true },
    run: readPlan,
  },
  {
    name: 'list_plans',
    title: 'List plans',
    description: 'Lists the shared plans without their content.',
    input: jsonSchema(z.object({})),
    output: outputs.list,
    hints: { readOnly: true },
    run: listPlans,
  },
  {
    name: 'get_plan_status',
    title: 'Get plan status',
    description: 'Gives the status label and revision of a plan, without its content.',
    input: jsonSchema(nameInput),
    output: outputs.status,
    hints: { readOnly: true },
    run: planStatus,
  },
  {
    name: 'export_plan_to_file',
    title: 'Export plan to file',
    description: 'Writes the content of a plan to a file on the server and answers with its size alone.',
    input: jsonSchema(exportInput),
    output: outputs.exported,
    hints: { readOnly: false, destructive: true, idempotent: true },
    run: exportPlan,
  },
];

/** In the order of the original. */
const order = [
  'write_plan',
  'read_plan',
  'list_plans',
  'delete_plan',
  'update_plan_from_file',
  'export_plan_to_file',
  'set_plan_status',
  'get_plan_status',
];

export const dockerAgent: Dialect = {
  name: 'docker-agent',
  title: 'docker-agent 1.119: shared plan documents',
  instructions:
    'Shared plans are Markdown documents that several agents write. Read a plan before you change it, and pass its revision as ' +
    'last_known_revision: if others wrote meanwhile, the write is refused and you re-read. set_plan_status tells others where it stands.',
  tools: [...planReads, ...planWrites].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)),
  view: planOf,
  render: () => null,
};
