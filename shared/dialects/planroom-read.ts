import { z } from 'zod';
import { readyTasks } from '../plan/graph.ts';
import { isTerminal, type Task, taskId } from '../plan/model.ts';
import { hasDocument } from '../plan/mutations/document.ts';
import type { Plan } from '../plan/plan.ts';
import { oneLine } from '../plan/render.ts';
import type { Call, ChangeLine, ToolReply } from './dialect.ts';
import { digestReply, type Told } from './planroom-digest.ts';
import { cut, fitting, taskDetails, taskLine } from './planroom-text.ts';
import { failure, parseArguments, refusal } from './reply.ts';
import { idText, referenceOf } from './task-names.ts';

/** What a list may take of a context window: 2,000 tokens of a model's tokenizer, with the lines around it. */
const listBytesMax = 5_000;
const documentCharactersMax = 5_000;

const views = ['open', 'ready', 'mine', 'all', 'changes', 'document'] as const;

export const readInput = z.strictObject({
  view: z.enum(views).default('open').describe('mine: what you have in progress'),
  task: idText.optional().describe('one task in full, e.g. task-3'),
  since: z.number().int().min(0).optional().describe('with changes: after this revision'),
  cursor: z.string().max(200).optional().describe('from a reply, for the rest'),
});

type ReadInput = z.output<typeof readInput>;

export async function read(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseArguments(readInput, args);
  if (!parsed.ok) return parsed.error;
  const input = parsed.value;
  if (input.view === 'changes') return readChanges(input, call);
  return digestReply(call, ({ plan }) => {
    if (input.task !== undefined) return readTask(plan, input.task);
    if (input.view === 'document') return readDocument(plan, input.cursor);
    return readList(plan, input, call.actor);
  });
}

function readTask(plan: Plan, reference: string): Told | ToolReply {
  const task = plan.findTask(referenceOf(reference) ?? reference);
  if (!task) return refusal(`Task '${reference.slice(0, 100)}' does not exist. plan_read lists the ids there are.`);
  return { lines: [taskDetails(plan, task)], fields: { task: taskId(task) } };
}

function readList(plan: Plan, { view, cursor }: ReadInput, actor: string): Told | ToolReply {
  const tasks = tasksOf(plan, view, actor);
  const from = cursor === undefined ? 0 : tasks.findIndex((task) => taskId(task) === cursor) + 1;
  if (cursor !== undefined && from === 0) {
    return refusal(`The cursor '${cursor.slice(0, 100)}' is not in this view any more. Read again without it.`);
  }
  const rest = tasks.slice(from);
  if (rest.length === 0) return { lines: [from > 0 ? 'No more.' : emptyView(view)] };
  const { text, count } = fitting(linesOf(plan, rest), listBytesMax);
  const last = rest[count - 1];
  const left = rest.length - count;
  if (left === 0 || !last) return { lines: [text] };
  const next = taskId(last);
  return { lines: [text, `${left} more: cursor "${next}"`], fields: { cursor: next } };
}

function tasksOf(plan: Plan, view: ReadInput['view'], actor: string): readonly Task[] {
  if (view === 'ready') return readyTasks(plan);
  if (view === 'mine') return plan.inProgress(actor);
  const all = [...plan.tasks()];
  return view === 'all' ? all : all.filter((task) => !isTerminal(task.status));
}

function emptyView(view: ReadInput['view']): string {
  return view === 'mine' ? 'You have nothing in progress.' : `No task is ${view === 'all' ? 'there' : view}.`;
}

/** A line for each task; the first of a group carries the group's title above it. */
function linesOf(plan: Plan, tasks: readonly Task[]): readonly string[] {
  let group = '';
  return tasks.map((task) => {
    const line = taskLine(plan, task);
    if (task.group === group) return line;
    group = task.group;
    return `## ${oneLine(plan.group(group)?.title ?? '')}\n${line}`;
  });
}

function readDocument(plan: Plan, cursor = '0'): Told | ToolReply {
  const { content, title, author, status, revision } = plan.document;
  if (!hasDocument(plan)) return { lines: ['There is no document yet. plan_write_document writes one.'] };
  const from = /^\d{1,9}$/.test(cursor) ? Number(cursor) : content.length + 1;
  if (from > content.length) return refusal(`The cursor '${cursor}' is past the document. Read again without it.`);
  const page = cut(content.slice(from), documentCharactersMax);
  const end = from + page.length;
  const labels = Object.entries({ title, author, status }).flatMap(([name, value]) =>
    value ? [`${name}: ${oneLine(cut(value, 200))}`] : [],
  );
  const head = [`document r${revision}`, ...labels].join('; ');
  if (end >= content.length) return { lines: [head, page] };
  const more = `${content.length - end} more characters: cursor "${end}"`;
  return { lines: [head, page, more], fields: { cursor: String(end) } };
}

async function readChanges({ since, cursor }: ReadInput, call: Call): Promise<ToolReply> {
  const look = await call.look();
  if (!look.ok) return failure(look.error);
  const asked = cursor !== undefined && /^r\d{1,15}$/.test(cursor) ? Number(cursor.slice(1)) : since;
  const from = asked ?? look.value.sight?.revision ?? Math.max(0, look.value.plan.revision - 50);
  const changes = await call.changesSince(from);
  if (!changes.ok) return failure(changes.error);
  if (!changes.value) {
    return refusal(`r${from} has not been yet; the plan is at r${look.value.plan.revision}. Leave since out.`);
  }
  const { lines, isAll } = changes.value;
  return digestReply(call, ({ plan }) => {
    if (lines.length === 0) return { lines: [`Nothing changed since r${from}.`] };
    const { text, count } = fitting(
      lines.map((change) => changeText(plan, change)),
      listBytesMax,
    );
    if (isAll && count === lines.length) return { lines: [text] };
    const last = lines[count - 1]?.revision ?? from;
    return { lines: [text, `${plan.revision - last} more: cursor "r${last}"`], fields: { cursor: `r${last}` } };
  });
}

function changeText(plan: Plan, { revision, actor, action, tasks, document }: ChangeLine): string {
  const names = tasks.slice(0, 10).map(({ uid, deed }) => {
    const task = plan.task(uid);
    return task ? `${deed} ${taskId(task)} "${cut(oneLine(task.description), 40)}"` : `${deed} a task that is gone`;
  });
  const more = tasks.length > names.length ? [`${tasks.length - names.length} more`] : [];
  const what = [...names, ...more, ...(document ? ['document'] : [])].join(', ');
  return `r${revision} ${actor}: ${what || action}`;
}
