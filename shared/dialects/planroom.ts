import { z } from 'zod';
import type { Plan } from '../plan/plan.ts';
import { renderContext } from '../plan/render.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { digestReply } from './planroom-digest.ts';
import { read, readInput } from './planroom-read.ts';
import { update, updateInput } from './planroom-update.ts';
import { failure, parseArguments, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';

/** planroom's own tools: few, small, and every reply says what others did. */

const output = jsonSchema(z.object({ room: z.string(), revision: z.number().int(), cursor: z.string().optional() }));

const waitSecondsMax = 50;
const waitInput = z.strictObject({
  since: z.number().int().min(0).optional().describe('revision; default: the last you were told'),
  seconds: z.number().min(0).max(waitSecondsMax).default(30),
});
/** More than the most is taken for the most. */
const waitArguments = waitInput.extend({ seconds: z.number().min(0).default(30) });

/** Returns as soon as there is something to tell, of others or not; clients end calls that take a minute. */
async function wait(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(waitArguments, args);
  if (!parsed.ok) return parsed.error;
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const { plan, sight } = look.value;
  const since = parsed.value.since ?? sight?.revision ?? plan.revision;
  if (since > plan.revision) {
    return refusal(`Revision ${since} has not been yet; the plan is at ${plan.revision}. Wait from there.`);
  }
  const waited = await call.waitForChange(since, Math.min(parsed.value.seconds, waitSecondsMax) * 1_000);
  if (!waited.ok) return failure(waited.error);
  const moved = waited.value < since ? 'The room was deleted.' : `The plan moved from r${since} to r${waited.value}.`;
  const told = waited.value === since ? 'Nothing changed.' : moved;
  return digestReply(call, () => ({ lines: [told] }));
}

const documentInput = z.strictObject({
  content: z.string().optional().describe('whole Markdown text; absent: kept'),
  title: z.string().optional(),
  author: z.string().optional(),
  status: z.string().optional().describe('free label'),
  base: z.number().int().min(0).optional().describe('revision you read: refused if the document changed since'),
});

async function writeDocument(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(documentInput, args);
  if (!parsed.ok) return parsed.error;
  const { content, title, author, status, base } = parsed.value;
  const before = await call.look();
  const written = await call.submit(
    {
      type: 'document.write',
      ...(content !== undefined && { content }),
      ...(title !== undefined && { title }),
      ...(author !== undefined && { author }),
      ...(status !== undefined && { status }),
      ...(base !== undefined && { base }),
    },
    { sees: () => ({ shown: null }) },
  );
  if (!written.ok) return failure(written.error);
  const line = `The document is written (r${written.value.revision}).`;
  return digestReply(call, () => ({ lines: [line] }), before.ok ? before.value.sight : undefined);
}

const tools: readonly Tool[] = [
  {
    name: 'plan_read',
    title: 'Read the plan',
    description:
      'Tasks by view (default open), one task, what changed, or the document. Replies are bounded; cursor gives the rest.',
    input: jsonSchema(readInput),
    output,
    hints: { readOnly: true },
    run: read,
  },
  {
    name: 'plan_update',
    title: 'Change the plan',
    description:
      'Does the ops in order, all or none. start before you work on a task, done when it is finished and checked.',
    input: jsonSchema(updateInput),
    output,
    hints: { readOnly: false, destructive: true },
    run: update,
  },
  {
    name: 'plan_wait',
    title: 'Wait for a change',
    description: 'Returns at the next change of the plan, or after the seconds.',
    input: jsonSchema(waitInput),
    output,
    hints: { readOnly: true },
    run: wait,
  },
  {
    name: 'plan_write_document',
    title: 'Write the document',
    description: "Writes the plan's Markdown document or its labels.",
    input: jsonSchema(documentInput),
    output,
    hints: { readOnly: false, destructive: true, idempotent: true },
    run: writeDocument,
  },
];

export const planroom: Dialect = {
  name: 'planroom',
  title: "planroom's own tools: read, update, wait, write the document",
  instructions: [
    'The plan is shared, live, with other agents and people. Before you work on a task, start it with plan_update; when it is finished and checked, mark it done. One task in progress at a time.',
    'Begin with plan_read (view ready). Every reply says what others did since your last call: heed it, and do not redo what they did. Never take a task that somebody has in progress.',
    'Put what is left to do into the plan, not into your memory: it survives compaction. Ids are task-<n>. Refusals say what to do; nothing was changed then. plan_wait waits for others.',
  ].join('\n'),
  tools,
  view: (plan: Plan) => {
    const { room, revision, policy, document, groups, tasks } = plan.toSnapshot();
    return { room, revision, policy, document, groups, tasks };
  },
  render: (plan: Plan) => renderContext(plan, { ids: true, verified: true, tools: ['plan_update'] }),
};
