import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { microsoft } from '../../shared/dialects/microsoft.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { nastyText } from '../support/nasty-snapshot.ts';
import { runs, testSeed } from '../support/random.ts';
import { add, openRooms, submission } from '../support/room-harness.ts';
import { Desk } from './support/desk.ts';

let desk: Desk;
beforeEach(() => {
  desk = new Desk(openRooms(), 'microsoft');
});

async function plan(): Promise<Plan> {
  const opened = await desk.rooms.open('room');
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value.plan;
}

async function list(): Promise<string[]> {
  return [...(await plan()).tasks()].map(({ number, status, description }) => `${number} ${status} ${description}`);
}

async function bob(...mutations: readonly Mutation[]): Promise<void> {
  for (const mutation of mutations) {
    const outcome = await desk.rooms.submit('room', submission(mutation, 'bob'));
    if (outcome.type !== 'ack') throw new Error(`${mutation.type}: ${JSON.stringify(outcome)}`);
  }
}

const addAll = (...titles: readonly string[]) => desk.ok('todos_add', { todos: titles.map((title) => ({ title })) });

describe('todos', () => {
  test('are added in one Change, with what was made as the answer', async () => {
    const todos = [
      { title: ' a ', description: ' more\n\nstill more ' },
      { title: 'b' },
      { title: 'c', description: null },
    ];
    expect(await desk.ok('todos_add', { todos })).toEqual({
      todos: [
        { id: 1, title: 'a', description: 'more\n\nstill more', isComplete: false },
        { id: 2, title: 'b', isComplete: false },
        { id: 3, title: 'c', isComplete: false },
      ],
    });
    expect([(await plan()).revision, await list()]).toEqual([
      1,
      ['1 pending a\n\nmore\n\nstill more', '2 pending b', '3 pending c'],
    ]);
  });

  test('are completed with a reason each, or by bare ids; each counts once', async () => {
    await addAll('a', 'b', 'c');
    const items = [{ id: 1, reason: 'tested' }, { id: 1, reason: 'again' }, { id: 3 }];
    expect(await desk.ok('todos_complete', { items })).toEqual({ count: 2 });
    expect(await desk.ok('todos_complete', { ids: [2, 3] })).toEqual({
      count: 1,
      notes: ['Todo 3 was complete already.'],
    });
    expect(await desk.ok('todos_complete', { ids: [3] })).toMatchObject({ count: 0 });
    expect(await desk.ok('todos_get_remaining', {})).toEqual({ todos: [] });
  });

  test('are removed by id', async () => {
    await addAll('a', 'b', 'c');
    expect(await desk.ok('todos_remove', { ids: [1, 3, 3] })).toEqual({ count: 2 });
    expect(await list()).toEqual(['2 pending b']);
  });

  test('those that remain are all that are not complete; cancelled ones are in no list', async () => {
    await addAll('a', 'b', 'c');
    await bob(
      { type: 'task.start', task: 'task-1' },
      { type: 'task.complete', task: 'task-2' },
      { type: 'task.cancel', task: 'task-3' },
    );
    const [a, b] = [
      { id: 1, title: 'a', isComplete: false },
      { id: 2, title: 'b', isComplete: true },
    ];
    expect(await desk.ok('todos_get_remaining', undefined)).toEqual({ todos: [a] });
    expect(await desk.ok('todos_get_all', {})).toEqual({ todos: [a, b] });
    expect(microsoft.view(await plan())).toEqual({ todos: [a, b] });
    expect(await desk.refused('todos_complete', { ids: [3] })).toContain('no todo 3');
  });

  test('a task that waits for the one that is complete is told of', async () => {
    await addAll('a');
    await bob({ type: 'task.add', description: 'b', dependsOn: ['task-1'] });
    expect(await desk.ok('todos_complete', { ids: [1] })).toEqual({
      count: 1,
      notes: [expect.stringMatching(/'2' depends on '1'/)],
    });
  });

  test('the block lists what remains, a line each, and is not there when nothing does', async () => {
    expect(microsoft.render(await plan())).toBeNull();
    await desk.ok('todos_add', { todos: [{ title: 'a\nb', description: 'c\n- d' }, { title: 'e' }] });
    expect(microsoft.render(await plan())).toBe('Todos that remain:\n- 1: a b (c - d)\n- 2: e');
    await desk.ok('todos_complete', { ids: [1, 2] });
    expect(microsoft.render(await plan())).toBeNull();
  });
});

describe('two actors', () => {
  test('see each other’s todos, and what one does leaves the others as they are', async () => {
    await addAll('mine');
    await bob(add('theirs'), add('more'), { type: 'task.start', task: 'task-2' });
    await desk.ok('todos_complete', { ids: [1] });
    await desk.ok('todos_remove', { ids: [3] });
    expect(await list()).toEqual(['1 completed mine', '2 in_progress theirs']);
    expect(await desk.ok('todos_get_all', {}, 'bob')).toMatchObject({
      todos: [{ title: 'mine' }, { title: 'theirs' }],
    });
  });

  test('an id that was given anew does not hit the new task', async () => {
    await addAll('a', 'b');
    await desk.ok('todos_get_all', {});
    await bob({ type: 'task.remove', task: 'task-2' }, add('new'));
    const result = await desk.ok('todos_complete', { ids: [1, 2] });
    expect(result).toEqual({ count: 1, notes: [expect.stringMatching(/^'2' is another task now.*todos_get_all/)] });
    expect(await desk.refused('todos_remove', { ids: [2] })).toContain('another task now');
    await desk.ok('todos_get_remaining', {});
    expect(await desk.ok('todos_remove', { ids: [2] })).toEqual({ count: 1 });
  });

  test('but does when the caller itself made that', async () => {
    await addAll('a', 'b');
    await desk.ok('todos_get_all', {});
    await desk.ok('todos_remove', { ids: [2] });
    expect(await addAll('c')).toMatchObject({ todos: [{ id: 2 }] });
    expect(await desk.ok('todos_complete', { ids: [2] })).toEqual({ count: 1 });
  });

  test('a call that comes again has effect once', async () => {
    const args = { todos: [{ title: 'a' }] };
    const first = await desk.call('todos_add', args, 'ann', 'op');
    expect(await desk.call('todos_add', args, 'ann', 'op')).toEqual(first);
    expect(await list()).toEqual(['1 pending a']);
  });
});

describe('bad input is refused with a message to act on, and changes nothing', () => {
  test.each([
    ['todos_add', undefined, ['todos']],
    ['todos_add', { todos: [] }, ['todos']],
    ['todos_add', { todos: [{ title: ' ' }] }, ['todos.0.title']],
    ['todos_add', { todos: [{ title: 'a' }, { title: 'x'.repeat(5000) }] }, ['Entry 2', '4096']],
    ['todos_add', { todos: [{ title: '\ud800' }] }, ['surrogate']],
    ['todos_add', { todos: Array.from({ length: 1001 }, () => ({ title: 'a' })) }, ['1000']],
    ['todos_complete', {}, ['items']],
    ['todos_complete', { items: [] }, ['items']],
    ['todos_complete', { items: [{ id: 'first' }] }, ['items.0.id']],
    ['todos_complete', { ids: [0] }, ['ids.0']],
    ['todos_complete', { ids: [7] }, ['no todo 7']],
    ['todos_remove', {}, ['ids']],
    ['todos_remove', { ids: [7, 8] }, ['7 and 8']],
  ])('%s %#', async (tool, args, facts) => {
    await addAll('kept');
    const text = await desk.refused(tool, args);
    for (const fact of facts) expect(text).toContain(fact);
    expect(await list()).toEqual(['1 pending kept']);
  });

  test('ids as text are understood, and many names are counted', async () => {
    await addAll(...Array.from({ length: 12 }, (_, index) => `t${index}`));
    expect(await desk.ok('todos_complete', { ids: ['2', '#3'] })).toEqual({ count: 2 });
    const items = Array.from({ length: 12 }, (_, index) => ({ id: `${index + 1}` }));
    expect(await desk.ok('todos_complete', { items })).toMatchObject({ count: 10 });
    const ids = items.map(({ id }) => id);
    expect(await desk.ok('todos_complete', { ids })).toEqual({
      count: 0,
      notes: ['Todos 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more were complete already.'],
    });
  });

  test('todos_complete says in its schema that it needs items', () => {
    const tool = microsoft.tools.find(({ name }) => name === 'todos_complete');
    expect(tool?.input.required).toEqual(['items']);
  });

  test('of some ids that there are and some that there are not, the latter are named', async () => {
    await addAll('a');
    expect(await desk.ok('todos_complete', { items: [{ id: 1 }, { id: 9 }] })).toEqual({
      count: 1,
      notes: [expect.stringContaining('no todo 9')],
    });
  });
});

test('a title and a description come back as they were sent, and any text of others as one or both', async () => {
  const property = fc.asyncProperty(nastyText, nastyText, async (title, description) => {
    desk = new Desk(openRooms(), 'microsoft');
    const made = await desk.call('todos_add', { todos: [{ title, description }] });
    if (made.isError) return;
    const [task] = [...(await plan()).tasks()];
    const [todo] = (await desk.ok('todos_get_all', {})).todos as { title: string; description?: string }[];
    expect(todo).toMatchObject({ id: 1, isComplete: false });
    expect([todo?.title, ...(todo?.description === undefined ? [] : [todo.description])].join('\n\n')).toBe(
      task?.description,
    );
  });
  await fc.assert(property, { seed: testSeed('microsoft texts'), numRuns: runs(200, 5000) });
});
