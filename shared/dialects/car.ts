import { z } from 'zod';
import { isTerminal, type Status, type Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { oneLine } from '../plan/render.ts';
import { err, ok, type Result } from '../plan/result.ts';
import { collapse, isWellFormed, joinNames, trim } from '../plan/text.ts';
import type { Call, Dialect, Tool, ToolReply } from './dialect.ts';
import { type ListShape, type Written, writeList } from './list-write.ts';
import { renumber } from './positions.ts';
import { refusal, textReply, withNags } from './reply.ts';
import { jsonSchema } from './schema.ts';

/**
 * The checklist of car-server-core 0.47.0 [S2]: one tool that writes all of it. Ids are places. A task in progress is an
 * open item. The answer lists open items alone, so a finished one that the caller did not send does not count as seen.
 */

const itemsMax = 40;
const textCodePointsMax = 200;

const carStatuses = ['open', 'done', 'dropped'] as const;
type CarStatus = (typeof carStatuses)[number];

interface Entry {
  readonly text: string;
  readonly status: CarStatus;
}

/** What the tool says it takes. What it does take is up to `parseItems`. */
const input = z.object({
  items: z
    .array(
      z.object({
        text: z.string().describe(`One step. More than ${textCodePointsMax} characters are cut.`),
        status: z.enum(carStatuses).optional().describe('open when absent. dropped: given up, which is not done.'),
      }),
    )
    .max(itemsMax)
    .describe('All items in order, unchanged and finished ones too. [] empties the list.'),
});

const shape: ListShape<Entry> = {
  shows: () => true,
  list: (tasks) => ({ rows: tasks, entries: tasks.map(entryOf) }),
  state: (entries) => entries.map(({ text, status }) => ({ description: text, status: statusOf(status) })),
  // The answer has each text on one line.
  retext: ({ text }, row) => (collapse(text) === collapse(entryOf(row).text) ? row.description : text),
};

function entryOf({ description, status }: Task): Entry {
  return { text: clip(trim(description)), status: carStatus(status) };
}

function carStatus(status: Status): CarStatus {
  return status === 'completed' ? 'done' : status === 'cancelled' ? 'dropped' : 'open';
}

function statusOf(status: CarStatus): Status {
  return status === 'done' ? 'completed' : status === 'dropped' ? 'cancelled' : 'pending';
}

/** Cut between code points, with a mark behind it. */
function clip(text: string): string {
  if (text.length <= textCodePointsMax) return text;
  let end = 0;
  for (let points = 0; points < textCodePointsMax && end < text.length; points += 1) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return end < text.length ? `${text.slice(0, end)}…` : text;
}

/** Checks in the order of the original: how many, then each from first to last. Places in messages count from 0. */
function parseItems(args: unknown): Result<readonly Entry[], string> {
  const items = fieldsOf(args).items;
  if (!Array.isArray(items)) return err('`items` must be an array: the whole checklist, in order.');
  if (items.length > itemsMax) {
    return err(
      `${items.length} items are too many, ${itemsMax} are allowed. Split the work: give parts of it to sub-runs with lists of their own.`,
    );
  }
  const entries: Entry[] = [];
  for (const [index, item] of items.entries()) {
    const { text, status } = fieldsOf(item);
    if (typeof text !== 'string') return err(`item ${index} has no \`text\`; give it one that says what to do.`);
    const trimmed = trim(text);
    if (trimmed === '') return err(`item ${index} has empty \`text\`; say what to do, or leave the item out.`);
    if (!isWellFormed(trimmed)) return err(`item ${index} has \`text\` with half of a surrogate pair.`);
    const said = typeof status === 'string' ? status : 'open';
    const known = carStatuses.find((each) => each === said);
    if (!known) {
      return err(
        `item ${index} has the unknown status ${joinNames([said.slice(0, 40)])}; there are ${carStatuses.join(', ')}.`,
      );
    }
    entries.push({ text: clip(trimmed), status: known });
  }
  return ok(entries);
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [name: string]: unknown }) : {};
}

/**
 * The tasks of the view, in list order. In a plan of more than it can hold the open ones come first, then those that were
 * finished last.
 */
function viewed(plan: Plan): readonly Task[] {
  if (plan.taskCount <= itemsMax) return [...plan.tasks()];
  const tasks = [...plan.tasks()];
  const open = tasks.filter(isOpen).slice(0, itemsMax);
  const finished = tasks.filter((task) => !isOpen(task)).sort((a, b) => b.revision - a.revision);
  const chosen = new Set([...open, ...finished.slice(0, itemsMax - open.length)]);
  return tasks.filter((task) => chosen.has(task));
}

function isOpen({ status }: Task): boolean {
  return !isTerminal(status);
}

function placeId(place: number): string {
  return String(place + 1);
}

/** How far the list is, and what of it is open [S2]; null for an empty one. Counts are of the whole plan. */
function render(plan: Plan): string | null {
  const { completed: done, cancelled: dropped, pending, in_progress } = plan.countByStatus();
  if (plan.taskCount === 0) return null;
  const progress = `todo: ${done}/${plan.taskCount} done${dropped > 0 ? `, ${dropped} dropped` : ''}`;
  const lines = viewed(plan).flatMap((task, place) =>
    isOpen(task) ? [`  [ ] ${placeId(place)} ${oneLine(entryOf(task).text)}`] : [],
  );
  if (lines.length === 0) return `${progress} — nothing open`;
  const more = pending + in_progress - lines.length;
  return [progress, ...lines, ...(more > 0 ? [`  and ${more} more that are open`] : [])].join('\n');
}

/** What the caller knows after its write: what it sent, and the open items that the answer lists. */
function knownAfter(plan: Plan, written: Written): { readonly shown: readonly string[] } {
  const known = [...written.flatMap((task) => task ?? []), ...viewed(plan).filter(isOpen)];
  return { shown: [...new Set(known.map(({ uid }) => uid))] };
}

async function write(args: unknown, call: Call): Promise<ToolReply> {
  const parsed = parseItems(args);
  if (!parsed.ok) return refusal(parsed.error);
  const entries = parsed.value;
  const result = await writeList(call, shape, {
    entries,
    named: (rows) => namedByStatus(entries, rows),
    sees: knownAfter,
  });
  if (!result.ok) {
    const look = await call.look();
    return refusal(look.ok ? words(result.error.message, look.value.plan) : result.error.message);
  }
  const { plan, written, nags } = result.value;
  const notes = [
    ...nags.map(({ message }) => ({ message: words(message, plan) })),
    ...finishedByOthers(plan, entries, written),
  ];
  return textReply(withNags(render(plan) ?? 'The list is empty.', notes), {
    revision: plan.revision,
    ...knownAfter(plan, written),
  });
}

/**
 * Where the caller sends a text more often than it saw it, some of those items are tasks it did not see, as finished ones
 * are. Then the tasks it saw are the items with their status.
 */
function namedByStatus(entries: readonly Entry[], rows: readonly Task[]): readonly (Task | undefined)[] {
  const seen = entryCounts(rows.map(entryOf));
  const sent = entryCounts(entries);
  const left = [...rows];
  return entries.map((entry) => {
    const text = collapse(entry.text);
    if ((sent.get(text) ?? 0) <= (seen.get(text) ?? 0)) return undefined;
    const at = left.findIndex((row) => {
      const shown = entryOf(row);
      return shown.status === entry.status && collapse(shown.text) === text;
    });
    return at < 0 ? undefined : left.splice(at, 1)[0];
  });
}

/** How often each text is there. */
function entryCounts(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of entries) counts.set(collapse(text), (counts.get(collapse(text)) ?? 0) + 1);
  return counts;
}

/** Items that are finished, but not as the caller sent them: the answer does not list them. */
function finishedByOthers(
  plan: Plan,
  entries: readonly Entry[],
  written: Written,
): readonly { readonly message: string }[] {
  const places = new Map(viewed(plan).map(({ uid }, place) => [uid, placeId(place)]));
  return entries.flatMap((sent, index) => {
    const task = written[index];
    if (!task || isOpen(task)) return [];
    const { text, status } = entryOf(task);
    if (status === sent.status && collapse(text) === collapse(sent.text)) return [];
    const name = joinNames([places.get(task.uid) ?? 'the item']);
    return [{ message: `${name} is ${status}, which '${task.updatedBy}' wrote last: ${oneLine(text)}` }];
  });
}

const carWords: Readonly<Record<Status, string>> = {
  pending: 'open',
  in_progress: 'in progress',
  completed: 'done',
  cancelled: 'dropped',
};

/** A message of the core with the ids and statuses of the view. */
function words(message: string, plan: Plan): string {
  const told = message.replace(
    /\b(is|now|sent) (pending|in_progress|completed|cancelled)\b/g,
    (_, verb: string, status: Status) => `${verb} ${carWords[status]}`,
  );
  return renumber(told, viewed(plan), placeId);
}

const todoWrite: Tool = {
  name: 'todo_write',
  title: 'Write the checklist',
  description:
    'Writes the checklist of the work: send every item each time, finished ones too, for the list becomes what you send. It ' +
    'outlives what is cut from your context. Answers with the progress and the open items; lines that begin with Note say ' +
    'what others did.',
  input: jsonSchema(input),
  hints: { readOnly: false, destructive: true, idempotent: true },
  run: write,
};

export const car: Dialect = {
  name: 'car',
  title: 'car-server-core 0.47.0: a checklist of at most 40 items',
  instructions:
    'Keep the checklist current with todo_write whenever the work has more than two steps: send all items each time, mark what ' +
    'is done as done and what was given up as dropped. The list is shared with other agents: the answer shows their open ' +
    'items too. Carry those along as they are; what you were shown and leave out is removed.',
  tools: [todoWrite],
  view: (plan: Plan) => ({ items: viewed(plan).map((task, place) => ({ id: place + 1, ...entryOf(task) })) }),
  render,
};
