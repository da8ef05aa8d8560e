import { z } from 'zod';
import { isTerminal, type Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { oneLine } from '../plan/render.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { splitText } from './headed-text.ts';
import { microsoftEdits } from './microsoft-edits.ts';
import { isListed, todoOf, todoSchema } from './microsoft-todos.ts';
import { failure, jsonReply } from './reply.ts';
import { jsonSchema } from './schema.ts';

/**
 * The todo provider of Microsoft's Agent Framework: todos with a title, a description and whether they are complete. Ids
 * are task numbers. Cancelled tasks, which it has no word for, are not in its list.
 */

function listing(choose: (plan: Plan) => readonly Task[]): Tool['run'] {
  return async (_args, call: Call): Promise<ToolReply> => {
    const look = await call.look();
    if (!look.ok) return failure(look.error);
    const { plan } = look.value;
    const tasks = choose(plan);
    return jsonReply({ todos: tasks.map(todoOf) }, { revision: plan.revision, shown: tasks.map(({ uid }) => uid) });
  };
}

function all(plan: Plan): readonly Task[] {
  return [...plan.tasks()].filter(isListed);
}

function remaining(plan: Plan): readonly Task[] {
  return [...plan.tasks()].filter(({ status }) => !isTerminal(status));
}

/** What is injected before each run. */
function render(plan: Plan): string | null {
  const tasks = remaining(plan);
  if (tasks.length === 0) return null;
  const lines = tasks.map(({ number, description }) => {
    const { head, rest } = splitText(description);
    return `- ${number}: ${oneLine(head)}${rest === '' ? '' : ` (${oneLine(rest)})`}`;
  });
  return ['Todos that remain:', ...lines].join('\n');
}

const output = jsonSchema(z.object({ todos: z.array(todoSchema) }));

const reads: readonly Tool[] = [
  {
    name: 'todos_get_remaining',
    title: 'Get the todos that remain',
    description: 'Gives the todos that are not complete, those of others too.',
    input: jsonSchema(z.object({})),
    output,
    hints: { readOnly: true },
    run: listing(remaining),
  },
  {
    name: 'todos_get_all',
    title: 'Get all todos',
    description: 'Gives all todos, complete or not, those of others too.',
    input: jsonSchema(z.object({})),
    output,
    hints: { readOnly: true },
    run: listing(all),
  },
];

export const microsoft: Dialect = {
  name: 'microsoft',
  title: 'Microsoft Agent Framework: the todo provider',
  instructions:
    'Keep the todos current: todos_add before you begin, todos_complete with the reason as soon as something is done, ' +
    'todos_remove for what nobody needs. The list is shared with other agents: look at todos_get_remaining before you choose ' +
    'what to do, and remove only todos of your own.',
  tools: [...microsoftEdits, ...reads],
  view: (plan: Plan) => ({ todos: all(plan).map(todoOf) }),
  render,
};
