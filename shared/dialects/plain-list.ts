import { z } from 'zod';
import { limits } from '../plan/limits.ts';
import type { Task } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { err, ok, type Result } from '../plan/result.ts';
import { collapse, isBlank } from '../plan/text.ts';
import { parseJson } from '../protocol/codec.ts';
import type { Call, Failure, ToolReply } from './dialect.ts';
import { splitText } from './headed-text.ts';
import { type ListShape, type ListWrite, type Written, writeList } from './list-write.ts';
import { failure, refusal } from './reply.ts';
import { shortNames } from './task-names.ts';

/** What is alike in the dialects whose whole lists carry no id of ours: tasks are spoken of by their text. */

/** A text of the caller's that must say something. */
export const saidText = z.string().refine((text) => !isBlank(text), { error: 'must be text that says something' });

/** A list; models send it as JSON text too. */
export function listOfEntries<Entry extends z.ZodType>(entry: Entry): ListOf<Entry> {
  return z.preprocess(asList, z.array(entry).max(limits.tasksPerRoomMax));
}

type ListOf<Entry extends z.ZodType> = z.ZodPreprocess<z.ZodArray<Entry>>;

function asList(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\[/.test(value)) return value;
  const parsed = parseJson(value, limits.jsonDepthMax);
  return parsed.ok && Array.isArray(parsed.value) ? parsed.value : value;
}

/** Says a message of the core, which names tasks by id, in the words of a dialect. */
export type Words = (message: string, plan: Plan) => string;

export const byText: Words = wordsFor(({ description }) => description);

/** For dialects that keep the title of a task apart. */
export const byTitle: Words = wordsFor(({ description }) => splitText(description).head);

function wordsFor(nameOf: (task: Task) => string): Words {
  return (message, plan) => {
    const named = (task: Task): string => `"${shortened(nameOf(task))}"`;
    // The text that stands there is of a task that is gone where the id is another's by now.
    const told = message.replace(/'(task-[0-9]+)' \("([^"]*)"\)/g, (_, id: string, text: string) => {
      const task = plan.findTask(id);
      return task && shortened(task.description) === text ? named(task) : `"${text}"`;
    });
    return told.replace(/'([^' ]+)'/g, (quoted, reference: string) => {
      const task = plan.findTask(reference);
      if (task) return named(task);
      return /^task-[0-9]+$/.test(reference) ? reference : quoted;
    });
  };
}

/** On one line, cut between characters. */
function shortened(description: string): string {
  const text = collapse(description);
  return text.length > 60 ? `${text.slice(0, 60).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

export interface PlainWrite {
  readonly plan: Plan;
  readonly written: Written;
  readonly nags: readonly { readonly message: string }[];
}

/** As `writeList`, in the words of the dialect. */
export async function writePlainList<Entry>(
  call: Call,
  shape: ListShape<Entry>,
  write: ListWrite<Entry>,
  words: Words = byText,
): Promise<Result<PlainWrite, ToolReply>> {
  const submitted = await writeList(call, shape, write);
  if (!submitted.ok) return err(await refused(call, submitted.error, words));
  const { plan, written, nags } = submitted.value;
  return ok({ plan, written, nags: nags.map(({ message }) => ({ message: words(shortNames(message), plan) })) });
}

async function refused(call: Call, error: Failure, words: Words): Promise<ToolReply> {
  const look = await call.look();
  return look.ok ? refusal(words(shortNames(error.message), look.value.plan)) : failure(error);
}

/** Advice in JSON: the messages, or nothing at all. */
export function notesOf(nags: readonly { readonly message: string }[]): { readonly notes?: readonly string[] } {
  return nags.length > 0 ? { notes: nags.map(({ message }) => message) } : {};
}

/** Of JSON results: what others did meanwhile, and other advice. */
export const notesOutput = z.array(z.string()).optional();

/** `1. [pending] text`, a line each. */
export function numberedLines(entries: readonly { readonly status: string; readonly text: string }[]): string {
  return entries.map(({ status, text }, place) => `${place + 1}. [${status}] ${text}`).join('\n');
}
