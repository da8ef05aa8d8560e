import { z } from 'zod';
import type { Nag } from '../plan/change.ts';
import { type Group, isTerminal, type Status, type Task, taskId } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { err, type Result } from '../plan/result.ts';
import type { Failure, Submitted, ToolReply } from './dialect.ts';
import { jsonReply, parseArguments, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';
import { shortNames } from './task-names.ts';

/** The plan in the words of cosh-grouped. */

const wireStatuses = {
  pending: 'Pending',
  in_progress: 'InProgress',
  completed: 'Completed',
  cancelled: 'Cancelled',
} as const;

export const statusNames = Object.values(wireStatuses);

export function statusOf(name: string): Status | undefined {
  return (Object.keys(wireStatuses) as Status[]).find((status) => wireStatuses[status] === name);
}

const groupSchema = z.object({
  title: z.string(),
  items: z.array(
    z.object({ id: z.string(), description: z.string(), status: z.string(), depends_on: z.array(z.string()) }),
  ),
  tests_verified: z.boolean(),
});
const nagsSchema = z.array(z.object({ message: z.string() }));

export const readOutput = jsonSchema(z.object({ groups: z.array(groupSchema), nags: nagsSchema }));
export const writeOutput = jsonSchema(z.object({ list: z.object({ groups: z.array(groupSchema) }), nags: nagsSchema }));

export function groupOf(plan: Plan, group: Group, tasks: readonly Task[] = plan.tasksOf(group.uid)): object {
  return { title: group.title, items: tasks.map((task) => itemOf(plan, task)), tests_verified: group.testsVerified };
}

/** Dependencies stay as written; one on a uid, which this tool does not know, is shown as the id. */
function itemOf(plan: Plan, task: Task): object {
  const { description, status, dependsOn } = task;
  const named = dependsOn.map((dependency) => {
    const other = plan.task(dependency);
    return other ? taskId(other) : dependency;
  });
  return { id: taskId(task), description, status: wireStatuses[status], depends_on: named };
}

export function groupsOf(plan: Plan): object[] {
  return plan.groups().map((group) => groupOf(plan, group));
}

/** Every group that is finished and whose tests nobody confirmed, whatever a filter shows. */
export function unverified(plan: Plan): readonly { readonly message: string }[] {
  return plan.groups().flatMap(({ uid, title, testsVerified }) => {
    const tasks = plan.tasksOf(uid);
    const isFinished = tasks.length > 0 && tasks.every((task) => isTerminal(task.status));
    if (!isFinished || testsVerified) return [];
    const message = `All tasks of group '${title}' are finished, but its tests are unconfirmed. Run them, then use VerifyGroup.`;
    return [{ message }];
  });
}

export function whole(plan: Plan): { readonly revision: number; readonly shown: null } {
  return { revision: plan.revision, shown: null };
}

export function written({ plan, nags }: Submitted): ToolReply {
  return jsonReply({ list: { groups: groupsOf(plan) }, nags: nags.map(inItsWords) }, whole(plan));
}

/** Arguments in a wrapper, which callers forget. */
export function parseWrapped<Schema extends z.ZodType>(
  schema: Schema,
  args: unknown,
  wrapper: string,
): Result<z.output<Schema>, ToolReply> {
  const fields = typeof args === 'object' && args !== null ? args : {};
  const mark = wrapper === 'action' ? 'type' : 'id';
  if (wrapper in fields || !(mark in fields)) return parseArguments(schema, args);
  const said = JSON.stringify((fields as Record<string, unknown>)[mark])?.slice(0, 60);
  return err(refusal(`Put it under ${wrapper}: {"${wrapper}": {"${mark}": ${said}, ...}}.`));
}

export function refused({ code, message }: Failure): ToolReply {
  const [first = message] = message.split(/(?<=\.) /);
  // The ways out that the message of the core names are tools this dialect does not have.
  return refusal(inItsWords({ message: code === 'terminal' || code === 'taken' ? first : message }).message);
}

function inItsWords({ message }: Pick<Nag, 'message'>): { readonly message: string } {
  return { message: shortNames(message).replace(/\bin_progress\b/g, wireStatuses.in_progress) };
}
