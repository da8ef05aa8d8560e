import { limits } from './limits.ts';
import { trim } from './text.ts';

/** Words and encodings of the Markdown export, shared by its writer and its reader (`markdown.ts`). */

/** First line of an export. A text that begins otherwise, or with another format, is a plain task list [S0.4]. */
export const exportHeader = '<!-- planroom plan, format 1 -->';

/** Names of the facts an export states in bullets: `* name: value` for plan and group, `- name: value` for a task. */
export const factNames = {
  title: 'title',
  author: 'author',
  status: 'status',
  inProgress: 'in progress',
  strictTerminal: 'strict terminal',
  fullListWrites: 'full-list writes',
  testsVerified: 'tests verified',
  text: 'text',
  id: 'id',
  startedBy: 'started by',
  priority: 'priority',
  labels: 'labels',
  exactDepends: 'exact depends',
} as const;

/** Longest list in JSON that is looked at: more could not be loaded anyway, and nested brackets would fill memory. */
const listCharactersMax = limits.dependenciesPerTaskMax * (limits.dependencyIdBytesMax * 6 + 8);

/** An editor may have put a byte order mark in front of the header. */
export function isExport(text: string): boolean {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  if (!text.startsWith(exportHeader, start)) return false;
  const next = text[start + exportHeader.length];
  return next === undefined || next === '\n' || next === '\r';
}

/** Whether the text comes back the same from the end of a line that the reader trims. */
export function fitsOnLine(text: string): boolean {
  return text !== '' && !/[\n\r]/.test(text) && trim(text) === text;
}

/** Whether every entry comes back the same from a comma list. */
export function fitsInCommaList(entry: string): boolean {
  return fitsOnLine(entry) && !entry.includes(',');
}

/** The text as it is where that is safe, else as a JSON string. */
export function writeScalar(text: string): string {
  return fitsOnLine(text) && !text.startsWith('"') ? text : JSON.stringify(text);
}

/** What `writeScalar` wrote; a quoted text that is not JSON stands for itself. */
export function readScalar(value: string): string {
  const parsed = value.startsWith('"') ? parseJson(value) : undefined;
  return typeof parsed === 'string' ? parsed : value;
}

/** A comma list where that is safe, else a JSON array. */
export function writeList(entries: readonly string[]): string {
  const safe = entries.every(fitsInCommaList) && !entries[0]?.startsWith('[');
  return safe ? entries.join(', ') : JSON.stringify(entries);
}

/** What `writeList` wrote; a bracketed text that is no JSON list of strings is read as a comma list. */
export function readList(value: string): readonly string[] {
  const parsed = value.startsWith('[') && value.length <= listCharactersMax ? parseJson(value) : undefined;
  const isList = Array.isArray(parsed) && parsed.every((entry): entry is string => typeof entry === 'string');
  return isList ? parsed : readCommaList(value);
}

/** Entries of a comma list, trimmed, blank ones left out. Reading stops at the first one more than a task may have. */
export function readCommaList(text: string): readonly string[] {
  const entries: string[] = [];
  for (let from = 0; from <= text.length && entries.length <= limits.dependenciesPerTaskMax; ) {
    const comma = text.indexOf(',', from);
    const end = comma < 0 ? text.length : comma;
    const entry = trim(text.slice(from, end));
    if (entry !== '') entries.push(entry);
    from = end + 1;
  }
  return entries;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
