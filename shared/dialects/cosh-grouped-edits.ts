import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import type { SingleMutation } from '../plan/mutation.ts';
import { assertNever } from '../plan/result.ts';
import { replaceGroups, replaceListAction } from './cosh-grouped-list.ts';
import { parseWrapped, refused, writeOutput, written } from './cosh-grouped-view.ts';
import type { Call, Tool, ToolReply } from './dialect.ts';
import { failure, parseArguments, refusal, textReply } from './reply.ts';
import { jsonSchema } from './schema.ts';
import { sameTask } from './stale-id.ts';

const id = z.string().describe('Such as task-3.');
const dependsOn = z.array(z.string()).nullish().describe('Ids of tasks that come first.');

const add = z.object({
  type: z.literal('Add'),
  group: z.string().describe('Title; a new one makes the group.'),
  description: z.string(),
  depends_on: dependsOn,
});
const start = z.object({ type: z.literal('Start'), id });
const remove = z.object({ type: z.literal('Remove'), id });
const clean = z.object({
  type: z.literal('Clean'),
  keep_pending: z.boolean().describe('false removes pending tasks too.'),
});
const verify = z.object({ type: z.literal('VerifyGroup'), group: z.string() });

const actions = [add, start, remove, clean, verify, replaceListAction] as const;
const writeInput = z.object({
  action: z.discriminatedUnion('type', actions, {
    error: 'the type of the action must be Add, Start, Remove, Clean, VerifyGroup or ReplaceList',
  }),
});
const editInput = z.object({
  edit: z
    .object({ id, description: z.string().nullish(), group: z.string().nullish(), depends_on: dependsOn })
    .describe('Absent fields stay.'),
});
const crossOffInput = z.object({
  action: z.discriminatedUnion(
    'type',
    [z.object({ type: z.literal('Complete'), id }), z.object({ type: z.literal('Cancel'), id })],
    { error: 'the type of the action must be Complete or Cancel' },
  ),
});
const loadInput = z.object({ path: z.string().describe('A Markdown file with ## groups and - [ ] tasks.') });

async function write(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseWrapped(writeInput, args, 'action');
  if (!parsed.ok) return parsed.error;
  const { action } = parsed.value;
  switch (action.type) {
    case 'Add': {
      const { group, description, depends_on } = action;
      return submit(call, { type: 'task.add', group, description, ...(depends_on && { dependsOn: depends_on }) });
    }
    case 'Start':
      return submitForTask(call, { type: 'task.start', task: action.id });
    case 'Remove':
      return submitForTask(call, { type: 'task.remove', task: action.id });
    case 'Clean':
      return submit(call, { type: 'tasks.clean', keepPending: action.keep_pending });
    case 'VerifyGroup':
      return submit(call, { type: 'group.verify', group: action.group });
    case 'ReplaceList':
      return replaceGroups(action.groups, call);
    default:
      return assertNever(action);
  }
}

async function edit(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseWrapped(editInput, args, 'edit');
  if (!parsed.ok) return parsed.error;
  const { id: task, description, group, depends_on } = parsed.value.edit;
  return submitForTask(call, {
    type: 'task.edit',
    task,
    ...(typeof description === 'string' && { description }),
    ...(typeof group === 'string' && { group }),
    ...(depends_on && { dependsOn: depends_on }),
  });
}

async function crossOff(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseWrapped(crossOffInput, args, 'action');
  if (!parsed.ok) return parsed.error;
  const { type, id: task } = parsed.value.action;
  return submitForTask(call, { type: type === 'Complete' ? 'task.complete' : 'task.cancel', task });
}

/** Replaces the list by that of the file, unless others wrote what the caller has not seen: that would be lost unread. */
async function load(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(loadInput, args);
  if (!parsed.ok) return parsed.error;
  const file = await call.files.read(parsed.value.path, limits.contentBytesMax);
  if (!file.ok) return failure(file.error);
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const { plan, sight } = look.value;
  const unseen = [...plan.tasks()].filter((task) => task.revision > (sight?.revision ?? 0)).length;
  if (unseen > 0) {
    return refusal(
      `Loading replaces the list, and ${unseen} tasks of it were added or changed since you last saw it. Use List, then load again.`,
    );
  }
  const loaded = await submit(call, { type: 'plan.load', markdown: file.value, base: plan.revision });
  return loaded.isError ? loaded : textReply('ok', loaded.sight);
}

async function submit(call: Call, mutation: SingleMutation): Promise<ToolReply> {
  const submitted = await call.submit(mutation, { sees: () => ({ shown: null }) });
  return submitted.ok ? written(submitted.value) : refused(submitted.error);
}

async function submitForTask(call: Call, mutation: SingleMutation & { readonly task: string }): Promise<ToolReply> {
  const stale = await sameTask(call, mutation.task);
  return stale ? refused(stale) : submit(call, mutation);
}

const changes = { readOnly: false, destructive: false } as const;

export const coshGroupedEdits: readonly Tool[] = [
  {
    name: 'plan_todo_write',
    title: 'Change the TODO list',
    description:
      'Add a task (pending, at the end of its group), Start one (one at a time), Remove one, Clean finished ones away, ' +
      'VerifyGroup after its tests passed, or ReplaceList by a new one. Gives the whole list and nags.',
    input: jsonSchema(writeInput),
    output: writeOutput,
    hints: { readOnly: false, destructive: true },
    run: write,
  },
  {
    name: 'plan_todo_edit',
    title: 'Edit a task',
    description: 'Changes description, group or dependencies of a task. depends_on replaces the whole list.',
    input: jsonSchema(editInput),
    output: writeOutput,
    hints: changes,
    run: edit,
  },
  {
    name: 'plan_todo_cross_off',
    title: 'Complete or cancel a task',
    description: 'Complete when it is done and checked, Cancel when it will not be done. Final.',
    input: jsonSchema(crossOffInput),
    output: writeOutput,
    hints: changes,
    run: crossOff,
  },
  {
    name: 'plan_load_from_md',
    title: 'Load the TODO list from a Markdown file',
    description: 'Replaces the whole list by the groups and tasks of a Markdown file on the server.',
    input: jsonSchema(loadInput),
    hints: { readOnly: false, destructive: true },
    run: load,
  },
];
