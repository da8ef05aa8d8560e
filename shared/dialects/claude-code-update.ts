import { z } from 'zod';
import { isTerminal, type Status, type Task, taskId } from '../plan/model.ts';
import type { SingleMutation } from '../plan/mutation.ts';
import type { Plan } from '../plan/plan.ts';
import { assertNever, err, ok, type Result } from '../plan/result.ts';
import {
  idField,
  inWords,
  knownAfter,
  labelsWithOwner,
  ownerOf,
  subjectField,
  tidy,
  type WireStatus,
  wireStatuses,
  wireStatusOf,
} from './claude-code-view.ts';
import type { Call, Tool, ToolReply } from './dialect.ts';
import { joinText, splitText } from './headed-text.ts';
import { notesOf, notesOutput } from './plain-list.ts';
import { jsonReply, parseArguments } from './reply.ts';
import { jsonSchema } from './schema.ts';
import { sameTask } from './stale-id.ts';
import { referenceOf } from './task-names.ts';

/** TaskUpdate of Claude Code: whatever one call changes is one Change, or nothing. */

const input = z.object({
  taskId: idField,
  status: z.enum(wireStatuses).optional().describe('deleted takes it off the list.'),
  subject: subjectField.optional(),
  description: z.string().optional(),
  activeForm: z.string().optional().describe('Not kept.'),
  addBlocks: z.array(z.string()).optional().describe('Ids of tasks that wait for this one.'),
  addBlockedBy: z.array(z.string()).optional().describe('Ids of tasks that come first.'),
  owner: z.string().optional().describe('Shown as the owner; "" takes it away.'),
  metadata: z.record(z.string(), z.unknown()).optional().describe('Not kept.'),
});
const output = z.object({
  success: z.boolean(),
  taskId: z.string(),
  updatedFields: z.array(z.string()),
  error: z.string().optional(),
  statusChange: z.object({ from: z.string(), to: z.string() }).optional(),
  notes: notesOutput,
});

type Wanted = z.output<typeof input>;

async function update(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(input, tidy(args));
  if (!parsed.ok) return parsed.error;
  const wanted = parsed.value;
  const { taskId: id, addBlocks = [], addBlockedBy = [] } = wanted;
  for (const each of new Set([id, ...addBlocks, ...addBlockedBy])) {
    const stale = await sameTask(call, referenceOf(each) ?? '');
    if (stale) return failed(id, inWords(stale));
  }
  const look = await call.look();
  if (!look.ok) return failed(id, look.error.message);
  const { plan } = look.value;
  const task = find(plan, id);
  if (!task.ok) return failed(id, task.error);
  const changes = changesFor(plan, task.value, wanted, call.actor);
  if (!changes.ok) return failed(id, changes.error);
  const { mutations, updatedFields, touched } = changes.value;
  const [first, ...more] = mutations;
  if (!first) return jsonReply({ success: true, taskId: id, updatedFields });
  const sees = knownAfter(look.value, call.actor, touched);
  const from = wireStatusOf(task.value.status);
  const submitted = await call.submit(more.length > 0 ? { type: 'batch', mutations } : first, { sees });
  if (!submitted.ok) return failed(id, inWords(submitted.error));
  const { status } = wanted;
  return jsonReply({
    success: true,
    taskId: id,
    updatedFields,
    ...(status && updatedFields.includes('status') && { statusChange: { from, to: status } }),
    ...notesOf(submitted.value.nags.map((nag) => ({ message: inWords(nag) }))),
  });
}

function failed(id: string, error: string): ToolReply {
  return { ...jsonReply({ success: false, taskId: id, updatedFields: [], error }), isError: true };
}

function find(plan: Plan, id: string): Result<Task, string> {
  const task = plan.findTask(referenceOf(id) ?? '');
  return task ? ok(task) : err(`Task ${id.slice(0, 100)} does not exist. TaskList shows the ids there are.`);
}

interface Changes {
  readonly mutations: SingleMutation[];
  readonly updatedFields: readonly string[];
  /** uids of the tasks that are edited. */
  readonly touched: readonly string[];
}

function changesFor(plan: Plan, task: Task, wanted: Wanted, actor: string): Result<Changes, string> {
  const edits = new Edits(plan);
  const updatedFields: string[] = [];
  const { head, rest } = splitText(task.description);
  const { subject = head, description = rest, status, owner, addBlocks = [], addBlockedBy = [] } = wanted;
  if (subject !== head) updatedFields.push('subject');
  if (description !== rest) updatedFields.push('description');
  if (updatedFields.length > 0) edits.set(task, { description: joinText(subject, description) });
  const moves = status ? statusMutations(task, status, actor) : [];
  if (moves.length > 0) updatedFields.push('status');
  if (owner !== undefined && owner !== (ownerOf({ ...task, startedBy: undefined }) ?? '')) {
    edits.set(task, { labels: [...labelsWithOwner(task, owner)] });
    updatedFields.push('owner');
  }
  for (const [field, ids] of [['blocks', addBlocks] as const, ['blockedBy', addBlockedBy] as const]) {
    let changed = false;
    for (const id of ids) {
      const other = find(plan, id);
      if (!other.ok) return other;
      const [before, behind] = field === 'blocks' ? [task, other.value] : [other.value, task];
      if (edits.addDependency(behind, before)) changed = true;
    }
    if (changed) updatedFields.push(field);
  }
  return ok({ mutations: [...edits.mutations(), ...moves], updatedFields, touched: [task.uid, ...edits.uids()] });
}

/** Fields of tasks as they are to be; one mutation for each task. */
class Edits {
  private readonly plan: Plan;
  private readonly byUid = new Map<string, { description?: string; labels?: string[]; dependsOn?: string[] }>();

  constructor(plan: Plan) {
    this.plan = plan;
  }

  set({ uid }: Task, fields: { readonly description?: string; readonly labels?: string[] }): void {
    this.byUid.set(uid, { ...this.byUid.get(uid), ...fields });
  }

  /** Whether it was not there yet. */
  addDependency(task: Task, before: Task): boolean {
    const edit = this.byUid.get(task.uid);
    const dependsOn = edit?.dependsOn ?? task.dependsOn;
    if (dependsOn.some((dependency) => this.plan.findTask(dependency)?.uid === before.uid)) return false;
    this.byUid.set(task.uid, { ...edit, dependsOn: [...dependsOn, taskId(before)] });
    return true;
  }

  uids(): readonly string[] {
    return [...this.byUid.keys()];
  }

  /** Refused where others change the task before: what is written was made from what it was. */
  mutations(): SingleMutation[] {
    const base = this.plan.revision;
    return [...this.byUid].map(([task, fields]) => ({ type: 'task.edit', task, base, ...fields }));
  }
}

/** None where the task is so already; one that somebody else has in progress is not the caller's. */
function statusMutations(task: Task, wanted: WireStatus, actor: string): SingleMutation[] {
  const { uid, status, startedBy } = task;
  if (wireStatusOf(status) === wanted && (status !== 'in_progress' || startedBy === actor)) return [];
  switch (wanted) {
    case 'pending':
      return [{ type: 'task.reopen', task: uid }];
    case 'in_progress':
      return [{ type: 'task.start', task: uid }];
    case 'completed':
      return [...reopened(uid, status), { type: 'task.complete', task: uid }];
    case 'deleted':
      return [...reopened(uid, status), { type: 'task.cancel', task: uid }];
    default:
      return assertNever(wanted);
  }
}

/** These tools know no final status: what is done may still be deleted. */
function reopened(uid: string, status: Status): SingleMutation[] {
  return isTerminal(status) ? [{ type: 'task.reopen', task: uid }] : [];
}

export const taskUpdate: Tool = {
  name: 'TaskUpdate',
  title: 'Update a task',
  description:
    'Changes a task, all of it or nothing: in_progress when you begin (one at a time), completed when it is done and checked.',
  input: jsonSchema(input),
  output: jsonSchema(output),
  hints: { readOnly: false, destructive: true },
  run: update,
};
