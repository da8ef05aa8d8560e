import { z } from 'zod';
import type { Plan } from '../plan/plan.ts';
import {
  idField,
  inWords,
  isListed,
  knownAfter,
  listedTasks,
  subjectField,
  subjectOf,
  tidy,
  wholeTask,
  wireId,
} from './claude-code-view.ts';
import type { Call, Shown, Tool, ToolReply } from './dialect.ts';
import { joinText } from './headed-text.ts';
import { notesOf, notesOutput } from './plain-list.ts';
import { failure, jsonReply, parseArguments, refusal } from './reply.ts';
import { jsonSchema } from './schema.ts';
import { referenceOf } from './task-names.ts';

/** TaskCreate, TaskGet and TaskList of Claude Code. */

const createInput = z.object({
  subject: subjectField.describe('Brief, in the imperative.'),
  description: z.string().optional().describe('What is to be done.'),
  activeForm: z.string().optional().describe('Not kept.'),
  metadata: z.record(z.string(), z.unknown()).optional().describe('Not kept.'),
});
const createOutput = z.object({ task: z.object({ id: z.string(), subject: z.string() }), notes: notesOutput });

const getInput = z.object({ taskId: idField });
const getOutput = z.object({
  task: z
    .object({
      id: z.string(),
      subject: z.string(),
      description: z.string(),
      status: z.string(),
      blocks: z.array(z.string()),
      blockedBy: z.array(z.string()),
    })
    .nullable(),
});
const listOutput = z.object({
  tasks: z.array(
    z.object({
      id: z.string(),
      subject: z.string(),
      status: z.string(),
      owner: z.string().optional(),
      blockedBy: z.array(z.string()),
    }),
  ),
});

async function create(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(createInput, tidy(args));
  if (!parsed.ok) return parsed.error;
  const { subject, description = '' } = parsed.value;
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const sees = knownAfter(look.value, call.actor);
  const added = await call.submit({ type: 'task.add', description: joinText(subject, description) }, { sees });
  if (!added.ok) return refusal(inWords(added.error));
  const { plan, created, nags } = added.value;
  const [made] = created;
  const task = made && plan.task(made.uid);
  const id = task ? wireId(task) : (made?.id.replace('task-', '') ?? '');
  const notes = notesOf(nags.map((nag) => ({ message: inWords(nag) })));
  return jsonReply({ task: { id, subject: task ? subjectOf(task) : subject }, ...notes });
}

async function get(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(getInput, tidy(args));
  if (!parsed.ok) return parsed.error;
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const { plan } = look.value;
  const task = plan.findTask(referenceOf(parsed.value.taskId) ?? '');
  const sight = { revision: plan.revision, ...knownAfter(look.value, call.actor)(plan) };
  return jsonReply({ task: task && isListed(task) ? wholeTask(plan, task) : null }, sight);
}

async function list(_args: unknown, call: Call): Promise<ToolReply> {
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const { plan } = look.value;
  return jsonReply({ tasks: listedTasks(plan) }, wholeList(plan));
}

function wholeList(plan: Plan): Shown {
  const listed = [...plan.tasks()].filter(isListed);
  return { revision: plan.revision, shown: listed.length === plan.taskCount ? null : listed.map(({ uid }) => uid) };
}

export const taskCreate: Tool = {
  name: 'TaskCreate',
  title: 'Create a task',
  description: 'Adds a pending task to the shared list and gives its id.',
  input: jsonSchema(createInput),
  output: jsonSchema(createOutput),
  hints: { readOnly: false },
  run: create,
};

export const taskGet: Tool = {
  name: 'TaskGet',
  title: 'Get a task',
  description: 'Gives one task with its description and the tasks before and behind it; null when there is none.',
  input: jsonSchema(getInput),
  output: jsonSchema(getOutput),
  hints: { readOnly: true },
  run: get,
};

export const taskList: Tool = {
  name: 'TaskList',
  title: 'List the tasks',
  description: 'Gives all tasks: id, subject, status, owner, and the open tasks that each waits for.',
  input: jsonSchema(z.object({})),
  output: jsonSchema(listOutput),
  hints: { readOnly: true },
  run: list,
};
