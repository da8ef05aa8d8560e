import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  byId,
  clearsItself,
  contentOf,
  deleteTodo,
  getTodo,
  isOpen,
  isResolved,
  lastOfEach,
  newTodo,
  putTodo,
  type Todo,
  todoFromMap,
  todoListFromMaps,
  todosByStatus,
  todoToMap,
  writeTodos,
} from '../../shared/dialects/sagents-items.ts';
import { statuses } from '../../shared/plan/model.ts';

/** The library behind `write_todos`, which needs no room. */

interface LibraryCase {
  readonly id: string;
  readonly title: string;
  readonly how: string;
  readonly calls?: readonly LibraryCall[];
}

interface LibraryCall {
  readonly fn: 'newTodo' | 'todoFromMap' | 'todoListFromMaps';
  readonly input: unknown;
  readonly output?: unknown;
  readonly error?: { readonly mentions: readonly string[] };
}

const functions = { newTodo, todoFromMap, todoListFromMaps };
const all: LibraryCase[] = JSON.parse(readFileSync(new URL('../cases/other.json', import.meta.url), 'utf8'));
const cases = all.filter(({ id, how }) => how === 'library' && id.startsWith('S4-'));

describe('the cases of other.json', () => {
  test('are all of a kind that is played here', () => {
    const byHand = cases.filter(({ calls }) => !calls).map(({ id }) => id);
    expect(byHand).toEqual(['S4-18/profile', 'S4-24']);
  });

  test.each(cases.filter(({ calls }) => calls).map((each) => [each.id, each.title, each] as const))(
    '%s %s',
    (_id, _title, { calls = [] }) => {
      for (const { fn, input, output, error } of calls) {
        const result = functions[fn](input);
        if (!error) expect(result).toEqual({ ok: true, value: output });
        for (const fact of error?.mentions ?? []) expect(messageOf(result)).toContain(fact);
      }
    },
  );

  test('S4-18/profile: in the older profile only a list of completed todos clears itself', () => {
    const older = { clearsWhen: 'completed' } as const;
    const [done, dropped] = [todo(1, 'completed'), todo(2, 'cancelled')];
    const mixed = value(writeTodos([], { merge: false, todos: [done, dropped] }, older));
    expect(mixed.todos).toEqual([done, dropped]);
    expect(mixed.reply).not.toContain('clear');
    const completed = value(writeTodos([], { merge: false, todos: [done, todo(2, 'completed')] }, older));
    expect([completed.todos, completed.reply]).toEqual([[], expect.stringContaining('cleared')]);
    expect(value(writeTodos([], { merge: false, todos: [done, dropped] })).todos).toEqual([]);
  });

  test('S4-24: putting a known id replaces in place, deleting an unknown one does nothing', () => {
    const list = value(
      todoListFromMaps([
        { id: 3, content: 'c' },
        { id: 1, content: 'a' },
      ]),
    );
    const put = putTodo(list, { id: 3, content: 'c2', status: 'completed' });
    const after = deleteTodo(putTodo(put, { id: 2, content: 'b', status: 'pending' }), 9);
    expect(after.map(todoToMap)).toEqual([
      { id: 3, content: 'c2', status: 'completed' },
      { id: 1, content: 'a', status: 'pending' },
      { id: 2, content: 'b', status: 'pending' },
    ]);
    expect(list[0]?.content).toBe('c');
  });
});

describe('ids', () => {
  test.each([
    [5, 5],
    ['5', 5],
    ['01', 1],
    ['+5', 5],
    ['5abc', undefined],
    [' 5', undefined],
    ['', undefined],
    [0, undefined],
    ['0', undefined],
    [-1, undefined],
    ['-1', undefined],
    [1.5, undefined],
    ['1.5', undefined],
    [2 ** 53, undefined],
    [null, undefined],
    [true, undefined],
    [[1], undefined],
  ])('%j is %j', (id, number) => {
    const made = newTodo({ id, content: 't' });
    if (number === undefined) expect(messageOf(made)).toContain('id');
    else expect(value(made).id).toBe(number);
    // In a list the place stands in for an id that will not do.
    expect(
      value(
        todoListFromMaps([
          { id: 7, content: 'x' },
          { id, content: 't' },
        ]),
      )[1]?.id,
    ).toBe(number ?? 2);
  });

  test('nothing sees to it that they are unique', () => {
    const list = value(todoListFromMaps([{ id: 2, content: 'a' }, { content: 'b' }]));
    expect(list.map(({ id }) => id)).toEqual([2, 2]);
  });
});

describe('content', () => {
  test('has 1 to 1000 characters as people count them, and is kept as it is', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(value(newTodo({ id: 1, content: family.repeat(1000) })).content).toBe(family.repeat(1000));
    expect(messageOf(newTodo({ id: 1, content: family.repeat(1001) }))).toContain('1000');
    expect(messageOf(newTodo({ id: 1, content: 'a'.repeat(1001) }))).toContain('1000');
    expect(value(newTodo({ id: 1, content: ' a\n' })).content).toBe(' a\n');
  });

  test.each(['', ' \n\u0085', undefined, null, 5, ['a']])('%j is none', (content) => {
    expect(messageOf(todoFromMap({ id: 1, content }))).toContain('content');
  });

  test('a longer text is shown by its beginning, of 1000 characters with the mark', () => {
    const shown = contentOf('é'.repeat(1001));
    expect([shown.length, contentOf(shown)]).toEqual([1000, shown]);
    expect(shown.endsWith('é…')).toBe(true);
  });
});

test('a status that is not known is a fault of a new todo, and pending in a map', () => {
  expect(messageOf(newTodo({ id: 1, content: 't', status: 'weird' }))).toContain('status is invalid');
  for (const status of ['weird', null, 5, undefined]) {
    expect(value(todoFromMap({ id: 1, content: 't', status })).status).toBe('pending');
  }
  for (const status of statuses) expect(value(newTodo({ id: 1, content: 't', status })).status).toBe(status);
});

test('a map of a todo gives the todo again', () => {
  const made = value(newTodo({ id: '12', content: 'x ', status: 'cancelled' }));
  expect(value(todoFromMap(todoToMap(made)))).toEqual(made);
});

test('a fault names its fields, and in a list the first todo that has one', () => {
  const made = newTodo({ status: 'x' });
  expect(made).toMatchObject({
    ok: false,
    error: { fields: { id: [expect.anything()], content: [expect.anything()] } },
  });
  const listed = todoListFromMaps([{ content: 'a' }, { content: '' }, {}]);
  expect(messageOf(listed)).toMatch(/^todo 2: content/);
  for (const map of ['x', null, 5, []]) expect(newTodo(map).ok).toBe(false);
  expect(messageOf(todoListFromMaps('x'))).toMatch(/array.*string/);
});

test('what is completed or cancelled is resolved, anything else is open', () => {
  for (const subject of ['completed', 'cancelled', todo(1, 'completed')]) {
    expect([isResolved(subject), isOpen(subject)]).toEqual([true, false]);
  }
  for (const subject of ['pending', 'weird', null, undefined, {}, todo(1, 'in_progress')]) {
    expect([isResolved(subject), isOpen(subject)]).toEqual([false, true]);
  }
});

test('the helpers of a list', () => {
  const list = [todo(3), todo(1, 'completed')];
  expect(getTodo(list, 1)).toBe(list[1]);
  expect(getTodo(list, 2)).toBeUndefined();
  expect(todosByStatus(list, 'completed')).toEqual([list[1]]);
  expect(deleteTodo(list, 3)).toEqual([list[1]]);
  expect(byId(list).map(({ id }) => id)).toEqual([1, 3]);
  expect(lastOfEach([todo(3), todo(1), todo(3, 'completed')])).toEqual([todo(3, 'completed'), todo(1)]);
  expect([clearsItself([]), clearsItself([todo(1, 'cancelled')]), clearsItself(list)]).toEqual([false, true, false]);
});

describe('a write to a list of one', () => {
  const list = [todo(1, 'in_progress'), todo(2)];

  test('a merge takes the last of one id, keeps the rest and is sorted', () => {
    const todos = [
      { id: 9, content: 'new' },
      { id: 2, content: 'first' },
      { id: 2, content: 'last', status: 'completed' },
    ];
    const written = value(writeTodos(list, { merge: 'true', todos }));
    expect(written.todos.map(({ id, content }) => `${id} ${content}`)).toEqual(['1 t', '2 last', '9 new']);
    expect(written.reply).toBe('TODO list merged, 3 TODO(s): 1 pending, 1 in_progress, 1 completed');
  });

  test('a replacement keeps both of one id; what is no merge is none', () => {
    const todos = [{ id: 2, content: 'x' }, { content: 'y' }];
    expect(value(writeTodos(list, { merge: 'yes', todos })).todos.map(({ content }) => content)).toEqual(['x', 'y']);
  });

  test('an empty merge changes nothing, an empty replacement clears', () => {
    expect(value(writeTodos(list, { merge: true, todos: [] })).todos).toBe(list);
    expect(value(writeTodos(list, { todos: [] }))).toEqual({ todos: [], reply: 'TODO list cleared' });
  });

  test('a fault leaves it as it is', () => {
    expect(messageOf(writeTodos(list, { merge: true, todos: [{ id: 1 }] }))).toContain('content');
    expect(messageOf(writeTodos(list, undefined))).toContain('array');
  });
});

function todo(id: number, status: Todo['status'] = 'pending'): Todo {
  return { id, content: 't', status };
}

function value<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

function messageOf(result: { readonly ok: boolean; readonly error?: { readonly message: string } }): string {
  return result.error?.message ?? 'no error';
}
