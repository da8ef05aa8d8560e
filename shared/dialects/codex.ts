import { z } from 'zod';
import type { Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { type ListShape, listOf, shownList } from './list-write.ts';
import { listOfEntries, numberedLines, saidText, writePlainList } from './plain-list.ts';
import { parseArguments, textReply, withNags } from './reply.ts';
import { jsonSchema } from './schema.ts';

/**
 * Codex: one tool that writes the steps of a plan, without ids. Cancelled tasks are not in it. Its answer has the list only
 * where it is not the one that was sent.
 */

const step = z.strictObject({
  step: saidText,
  status: z.enum(['pending', 'in_progress', 'completed']).describe('At most one in_progress.'),
});
const input = z.strictObject({
  explanation: z.string().nullish().describe('Not kept.'),
  plan: listOfEntries(step).describe('All steps, unchanged ones too.'),
});

type Step = z.output<typeof step>;

const shape: ListShape<Step> = {
  shows: ({ status }) => status !== 'cancelled',
  list: (tasks) => ({ rows: tasks, entries: tasks.map(stepOf) }),
  state: (entries) => entries.map(({ step: description, status }) => ({ description, status })),
};

function stepOf({ description, status }: Task): Step {
  return { step: description, status: status === 'cancelled' ? 'completed' : status };
}

async function update(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(input, args);
  if (!parsed.ok) return parsed.error;
  const { plan: steps } = parsed.value;
  const refuseSeveral = (indexes: readonly number[]) => ({
    code: 'busy',
    message: `At most one step can be in_progress at a time; steps ${indexes.map((index) => index + 1).join(' and ')} are. Set the others to pending.`,
  });
  const result = await writePlainList(call, shape, { entries: steps, refuseSeveral, adopts: true });
  if (!result.ok) return result.error;
  const { plan, nags } = result.value;
  return textReply(`${withNags('Plan updated', nags)}${asItIs(plan, steps)}`, shownList(shape, plan));
}

/** The plan, where it is not what was sent. */
function asItIs(plan: Plan, sent: readonly Step[]): string {
  const { entries } = listOf(shape, plan);
  const isSent = ({ step: text, status }: Step, place: number): boolean =>
    text === sent[place]?.step && status === sent[place]?.status;
  if (entries.length === sent.length && entries.every(isSent)) return '';
  if (entries.length === 0) return '\nThe shared plan has no steps now.';
  return `\nThe shared plan is now:\n${numberedLines(entries.map(({ step: text, status }) => ({ text, status })))}`;
}

const updatePlan: Tool = {
  name: 'update_plan',
  title: 'Update the plan',
  description:
    'Writes the steps of the plan with their statuses; to change one, send them again. Steps of others stay, and the result ' +
    'shows the plan when it is not what you sent.',
  input: jsonSchema(input),
  hints: { readOnly: false, destructive: true, idempotent: true },
  run: update,
};

export const codex: Dialect = {
  name: 'codex',
  title: 'Codex: update_plan',
  instructions:
    'Keep the plan current with update_plan: send all your steps each time, at most one in_progress, and mark a step completed ' +
    'as soon as it is done. The plan is shared with other agents: what they add stays, whether you send it or not. To take ' +
    'over a step of theirs, send it with exactly its text and a new status. An empty plan from an agent that has not written ' +
    'any step changes nothing and shows the plan.',
  tools: [updatePlan],
  view: (plan: Plan) => ({ plan: listOf(shape, plan).entries }),
  render: () => null,
};
