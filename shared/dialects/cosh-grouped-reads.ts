import { z } from 'zod';
import type { Plan } from '../plan/plan.ts';
import { groupOf, parseWrapped, readOutput, statusNames, statusOf, unverified, whole } from './cosh-grouped-view.ts';
import type { Call, Tool, ToolReply } from './dialect.ts';
import { failure, jsonReply, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';

const list = z.object({
  type: z.literal('List'),
  group: z.string().nullish().describe('Only the group with exactly this title.'),
  status: z.enum(statusNames).nullish().describe('Only tasks with this status.'),
});
const get = z.object({ type: z.literal('Get'), id: z.string().describe('Such as task-3.') });
const readInput = z.object({
  action: z.discriminatedUnion('type', [list, get], { error: 'the type of the action must be List or Get' }),
});

type List = z.output<typeof list>;

async function read(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseWrapped(readInput, args, 'action');
  if (!parsed.ok) return parsed.error;
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const { plan } = look.value;
  const { action } = parsed.value;
  if (action.type === 'List') {
    return jsonReply({ groups: filtered(plan, action), nags: unverified(plan) }, whole(plan));
  }
  const task = plan.findTask(action.id);
  const group = task && plan.group(task.group);
  if (!task || !group) return refusal(`Task '${action.id}' does not exist.`);
  return jsonReply({ groups: [groupOf(plan, group, [task])], nags: [] });
}

/** Groups stay when no task of theirs fits the status. */
function filtered(plan: Plan, { group: title, status: name }: List): object[] {
  const status = statusOf(name ?? '');
  const groups = plan.groups().filter((group) => title === undefined || title === null || group.title === title);
  return groups.map((group) => {
    const tasks = plan.tasksOf(group.uid);
    return groupOf(plan, group, status ? tasks.filter((task) => task.status === status) : tasks);
  });
}

export const coshGroupedReads: readonly Tool[] = [
  {
    name: 'plan_todo_read',
    title: 'Read the TODO list',
    description: 'List gives all groups, or those that fit a group title and a status; Get gives one task.',
    input: jsonSchema(readInput),
    output: readOutput,
    hints: { readOnly: true },
    run: read,
  },
];
