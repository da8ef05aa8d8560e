import { type Status, statuses } from '../plan/model.ts';
import { err, ok, type Result } from '../plan/result.ts';
import { isBlank } from '../plan/text.ts';

/** Todos of Sagents v0.8.0-rc.10 as values, and lists of them [S4]. Lists are never changed in place. */

export interface Todo {
  /** 1 or more; unique in its list, but for lists that were read with doubles. */
  readonly id: number;
  readonly content: string;
  readonly status: Status;
}

export interface TodoFault {
  readonly message: string;
  /** Field -> what is wrong with it. */
  readonly fields: { readonly [field: string]: readonly string[] };
}

const contentGraphemesMax = 1000;

/** One todo from its fields. The id is needed; a string that is a whole number will do. The status is pending when absent. */
export function newTodo(attributes: unknown): Result<Todo, TodoFault> {
  const { status } = fieldsOf(attributes);
  const known = statuses.find((each) => each === (status ?? 'pending'));
  return build(attributes, known);
}

/** One todo of a stored map: as `newTodo`, but a status that is not known means pending. */
export function todoFromMap(map: unknown): Result<Todo, TodoFault> {
  return build(map, readStatus(fieldsOf(map).status));
}

/** The todos of maps, in their order. One without an id that will do gets its place, counted from 1. The first fault ends it. */
export function todoListFromMaps(maps: unknown): Result<readonly Todo[], TodoFault> {
  if (!Array.isArray(maps)) return fault('todos', `must be an array, not ${kindOf(maps)}`);
  const todos: Todo[] = [];
  for (const [index, map] of maps.entries()) {
    const { id, content, status } = fieldsOf(map);
    const todo = todoFromMap({ id: readId(id) ?? index + 1, content, status });
    if (!todo.ok) return err({ ...todo.error, message: `todo ${index + 1}: ${todo.error.message}` });
    todos.push(todo.value);
  }
  return ok(todos);
}

export function todoToMap({ id, content, status }: Todo): { readonly [field: string]: unknown } {
  return { id, content, status };
}

/** Whether the todo, or the status, is completed or cancelled. */
export function isResolved(subject: unknown): boolean {
  const status = typeof subject === 'string' ? subject : fieldsOf(subject).status;
  return status === 'completed' || status === 'cancelled';
}

/** Everything that is not resolved, what is not known included. */
export function isOpen(subject: unknown): boolean {
  return !isResolved(subject);
}

/** With the todo in the place of the one that has its id, else at the end. */
export function putTodo(todos: readonly Todo[], todo: Todo): readonly Todo[] {
  const place = todos.findIndex(({ id }) => id === todo.id);
  return place < 0 ? [...todos, todo] : todos.map((each, index) => (index === place ? todo : each));
}

export function getTodo(todos: readonly Todo[], id: number): Todo | undefined {
  return todos.find((todo) => todo.id === id);
}

export function deleteTodo(todos: readonly Todo[], id: number): readonly Todo[] {
  return todos.filter((todo) => todo.id !== id);
}

export function todosByStatus(todos: readonly Todo[], status: Status): readonly Todo[] {
  return todos.filter((todo) => todo.status === status);
}

/** Of several with one id the last, where the first stood. */
export function lastOfEach(todos: readonly Todo[]): readonly Todo[] {
  return [...new Map(todos.map((todo) => [todo.id, todo])).values()];
}

export function byId(todos: readonly Todo[]): readonly Todo[] {
  return [...todos].sort((a, b) => a.id - b.id);
}

/** When a list clears itself: once all is completed or cancelled, or, as in the seed's version, once all is completed. */
export type ClearsWhen = 'resolved' | 'completed';

export function clearsItself(todos: readonly Pick<Todo, 'status'>[], when: ClearsWhen = 'resolved'): boolean {
  const ends = ({ status }: Pick<Todo, 'status'>): boolean =>
    when === 'resolved' ? isResolved(status) : status === 'completed';
  return todos.length > 0 && todos.every(ends);
}

export interface WrittenTodos {
  readonly todos: readonly Todo[];
  readonly reply: string;
}

/** What `write_todos` makes of a list that nobody else writes, and what it replies. */
export function writeTodos(
  todos: readonly Todo[],
  args: unknown,
  { clearsWhen = 'resolved' }: { readonly clearsWhen?: ClearsWhen } = {},
): Result<WrittenTodos, TodoFault> {
  const parsed = readWrite(args);
  if (!parsed.ok) return parsed;
  const { merges, todos: sent } = parsed.value;
  if (merges && sent.length === 0) return ok({ todos, reply: sayWritten(merges, todos) });
  const after = byId(merges ? sent.reduce(putTodo, todos) : sent);
  if (after.length === 0) return ok({ todos: [], reply: saidEmptied });
  if (clearsItself(after, clearsWhen)) return ok({ todos: [], reply: sayCleared(clearsWhen) });
  return ok({ todos: after, reply: sayWritten(merges, after) });
}

/** The arguments of `write_todos`. What is no todo is refused, what is no `merge` is none. */
export function readWrite(
  args: unknown,
): Result<{ readonly merges: boolean; readonly todos: readonly Todo[] }, TodoFault> {
  const { merge, todos } = fieldsOf(args);
  const merges = merge === true || merge === 'true';
  const read = todoListFromMaps(todos);
  if (!read.ok) return read;
  return ok({ merges, todos: merges ? lastOfEach(read.value) : read.value });
}

/** `TODO list merged, 3 TODO(s): 2 pending, 1 in_progress`: the statuses there are, in a fixed order. */
export function sayWritten(merges: boolean, todos: readonly Pick<Todo, 'status'>[]): string {
  const counts = statuses.flatMap((status) => {
    const count = todos.filter((todo) => todo.status === status).length;
    return count > 0 ? [`${count} ${status}`] : [];
  });
  const told = counts.length > 0 ? `: ${counts.join(', ')}` : '';
  return `TODO list ${merges ? 'merged' : 'replaced'}, ${todos.length} TODO(s)${told}`;
}

export const saidEmptied = 'TODO list cleared';

export function sayCleared(when: ClearsWhen = 'resolved'): string {
  return `${saidEmptied}: all of it is ${when === 'resolved' ? 'completed or cancelled' : 'completed'}`;
}

/** The text, or its beginning where it is too long to be the content of a todo. */
export function contentOf(text: string): string {
  return countsAtMost(text, contentGraphemesMax) ? text : `${beginning(text, contentGraphemesMax - 1)}…`;
}

function build(attributes: unknown, status: Status | undefined): Result<Todo, TodoFault> {
  const { id: givenId, content } = fieldsOf(attributes);
  const id = readId(givenId);
  const fields: Record<string, readonly string[]> = {};
  if (id === undefined) fields.id = ['must be a whole number of 1 or more'];
  const wrong = contentFault(content);
  if (wrong !== undefined) fields.content = [wrong];
  if (!status) fields.status = [`is invalid; it is one of ${statuses.join(', ')}`];
  if (id === undefined || typeof content !== 'string' || !status || wrong !== undefined) return faults(fields);
  return ok({ id, content, status });
}

function contentFault(content: unknown): string | undefined {
  if (content === undefined || content === null) return 'is missing';
  if (typeof content !== 'string') return `must be text, not ${kindOf(content)}`;
  if (isBlank(content)) return 'must say something; it is blank';
  if (!countsAtMost(content, contentGraphemesMax)) return `must have at most ${contentGraphemesMax} characters`;
  return undefined;
}

function readId(id: unknown): number | undefined {
  const number = typeof id === 'string' && /^[+]?[0-9]+$/.test(id) ? Number(id) : id;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function readStatus(status: unknown): Status {
  return statuses.find((each) => each === status) ?? 'pending';
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Reads no further than it must: the text may have a megabyte. */
function countsAtMost(text: string, max: number): boolean {
  return text.length <= max || beginning(text, max).length === text.length;
}

/** The first graphemes. */
function beginning(text: string, count: number): string {
  let left = count;
  for (const { index } of graphemes.segment(text)) {
    if (left === 0) return text.slice(0, index);
    left -= 1;
  }
  return text;
}

function fieldsOf(value: unknown): { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [field: string]: unknown }) : {};
}

function kindOf(value: unknown): string {
  return value === undefined ? 'nothing' : value === null ? 'null' : typeof value;
}

function fault(field: string, wrong: string): Result<never, TodoFault> {
  return faults({ [field]: [wrong] });
}

function faults(fields: TodoFault['fields']): Result<never, TodoFault> {
  const told = Object.entries(fields).map(([field, wrongs]) => `${field} ${wrongs.join(', ')}`);
  return err({ message: told.join('; '), fields });
}
