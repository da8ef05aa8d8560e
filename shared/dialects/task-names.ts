import { z } from 'zod';

/** How callers write the ids of tasks, and how messages list them. */

/** An id in arguments; models send numbers too. */
export const idText = z.preprocess(asText, z.string());

export function asText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

/** `task-3` for what a caller may write of task 3: `3`, `#3`, `TASK-3`; undefined for what is no id. */
export function referenceOf(id: string): string | undefined {
  const number = /^(?:#|task-)?([1-9][0-9]{0,14})$/i.exec(id.trim())?.[1];
  return number === undefined ? undefined : `task-${number}`;
}

const namesMax = 10;

/** As the core names a task: its id, often with the beginning of its text. */
const name = `'task-[0-9]+'(?: \\("(?:.{0,61}?)"\\)(?=[,.:;]| and | was | were | is | are | stay|$))?`;
const lists = new RegExp(`${name}(?:(?:, and |, | and )${name}){${namesMax},}(?:,? and ([0-9]+) more)?`, 'g');
const names = new RegExp(name, 'g');

/** A message of the core in which no list names more than a few tasks; the others are counted. */
export function shortNames(message: string): string {
  return message.replace(lists, (list, uncounted: string | undefined) => {
    const found = list.match(names) ?? [];
    const more = found.length - namesMax + Number(uncounted ?? 0);
    return `${found.slice(0, namesMax).join(', ')} and ${more} more`;
  });
}

/** Names or places in a sentence: the first ones, and how many more there are. */
export function fewOf(all: readonly (string | number)[]): string {
  const more = all.length - namesMax;
  if (more > 0) return `${all.slice(0, namesMax).join(', ')} and ${more} more`;
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : all.join('');
}
