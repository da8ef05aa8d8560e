import { describe, expect, test } from 'vitest';
import { cursor } from '../../shared/dialects/cursor.ts';
import { SharedRoom } from './support/shared-room.ts';

const todo = (id: string, content: string, status = 'pending') => ({ id, content, status });

describe('cursor: todo_write', () => {
  test('shows the ids of the caller to the caller, and those of the room to others', async () => {
    const room = new SharedRoom();
    const desk = room.desk('cursor');
    const todos = [
      todo('setup', 'one', 'completed'),
      todo('build', 'two', 'in_progress'),
      todo('x', 'three', 'cancelled'),
    ];
    expect(await desk.ok('todo_write', { merge: false, todos })).toEqual({ todos });
    const reply = await desk.ok('todo_write', { merge: true, todos: [todo('mine', 'four')] }, 'bob');
    expect(reply.todos).toEqual([
      todo('task-1', 'one', 'completed'),
      todo('task-2', 'two', 'in_progress'),
      todo('task-3', 'three', 'cancelled'),
      todo('mine', 'four'),
    ]);
    expect(cursor.view(await room.plan())).toMatchObject({ todos: [{ id: 'task-1' }, {}, {}, { id: 'task-4' }] });
  });

  test('merge changes and adds by id and leaves the rest; a known id needs neither content nor status', async () => {
    const room = new SharedRoom();
    const desk = room.desk('cursor');
    await desk.ok('todo_write', { merge: false, todos: [todo('a', 'one'), todo('b', 'two'), todo('c', 'three')] });
    const merged = await desk.ok('todo_write', {
      merge: true,
      todos: [{ id: 'b', status: 'completed' }, { id: 'c', content: 'drei' }, todo('d', 'four', 'in_progress')],
    });
    expect(merged).toEqual({
      todos: [todo('a', 'one'), todo('b', 'two', 'completed'), todo('c', 'drei'), todo('d', 'four', 'in_progress')],
    });
    expect((await room.tasks()).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    // A single new one does not take the place of the only one there is.
    await desk.ok('todo_write', { merge: false, todos: [todo('a', 'one')] });
    await desk.ok('todo_write', { merge: true, todos: [todo('new', 'other')] });
    expect(await room.list()).toEqual(['pending one', 'pending other']);
  });

  test('without merge the list is replaced', async () => {
    const room = new SharedRoom();
    const desk = room.desk('cursor');
    await desk.ok('todo_write', { merge: false, todos: [todo('a', 'one'), todo('b', 'two')] });
    const todos = [todo('b', 'two', 'completed'), todo('c', 'three')];
    expect(await desk.ok('todo_write', { merge: false, todos })).toEqual({ todos });
    expect(await desk.ok('todo_write', { merge: false, todos: [] })).toEqual({ todos: [] });
  });

  test('todos of others may be named by the id that is shown', async () => {
    const room = await new SharedRoom().add('theirs');
    const desk = room.desk('cursor');
    expect(await desk.ok('todo_write', { merge: true, todos: [] })).toMatchObject({
      todos: [todo('task-1', 'theirs')],
    });
    await desk.ok('todo_write', { merge: true, todos: [{ id: 'task-1', status: 'in_progress' }] });
    expect(await room.list()).toEqual(['in_progress theirs']);
  });

  test('an own id in the shape of the room’s is the own one, and the other gets another', async () => {
    const room = await new SharedRoom().add('theirs');
    const desk = room.desk('cursor');
    const { todos } = await desk.ok('todo_write', { merge: true, todos: [todo('task-1', 'mine')] });
    const { uid } = await room.task('theirs');
    expect(todos).toEqual([todo(uid, 'theirs'), todo('task-1', 'mine')]);
    await desk.ok('todo_write', {
      merge: true,
      todos: [
        { id: 'task-1', status: 'completed' },
        { id: uid, status: 'cancelled' },
      ],
    });
    expect(await room.list()).toEqual(['cancelled theirs', 'completed mine']);
  });

  test('dependencies are ids of the caller, kept where they are not sent', async () => {
    const room = await new SharedRoom().add('theirs');
    const desk = room.desk('cursor');
    await desk.ok('todo_write', { merge: true, todos: [] });
    const first = await desk.ok('todo_write', {
      merge: true,
      todos: [todo('a', 'one'), { ...todo('b', 'two'), dependencies: ['a', 'task-1'] }],
    });
    expect(first.todos).toEqual([
      todo('task-1', 'theirs'),
      todo('a', 'one'),
      { ...todo('b', 'two'), dependencies: ['a', 'task-1'] },
    ]);
    const second = await desk.ok('todo_write', { merge: true, todos: [{ id: 'b', status: 'in_progress' }] });
    expect((second.todos as object[])[2]).toMatchObject({ dependencies: ['a', 'task-1'] });
    expect(second.notes).toEqual([expect.stringContaining("'b' is in progress but depends on 'a'"), expect.anything()]);
    const third = await desk.ok('todo_write', { merge: true, todos: [{ id: 'b', dependencies: ['a'] }] });
    expect((third.todos as object[])[2]).toMatchObject({ dependencies: ['a'] });
  });

  test('an id may be a number, and the list JSON text', async () => {
    const desk = new SharedRoom().desk('cursor');
    const todos = [
      { ...todo('7', 'one'), id: 7 },
      { ...todo('8', 'two'), dependencies: [7] },
    ];
    expect(await desk.ok('todo_write', { merge: true, todos: JSON.stringify(todos) })).toEqual({
      todos: [todo('7', 'one'), { ...todo('8', 'two'), dependencies: ['7'] }],
    });
  });

  test('refuses what is not understood, naming it, and changes nothing', async () => {
    const room = new SharedRoom();
    const desk = room.desk('cursor');
    const refused = (args: unknown) => desk.refused('todo_write', args);
    expect(await refused({ todos: [] })).toContain('merge');
    expect(await refused({ merge: true, items: [] })).toContain('todos');
    expect(await refused({ merge: true, todos: [{ id: '', content: 'one', status: 'pending' }] })).toContain(
      'todos.0.id',
    );
    expect(await refused({ merge: true, todos: [todo('a', 'one', 'done')] })).toContain('todos.0.status');
    expect(await refused({ merge: true, todos: [todo('a', ' ')] })).toContain('todos.0.content');
    expect(await refused({ merge: true, todos: [{ id: 'a', status: 'completed' }] })).toMatch(/'a'.*content/);
    expect(await refused({ merge: false, todos: [todo('a', 'one'), todo('a', 'two')] })).toMatch(/'a'.*twice/);
    expect(await room.list()).toEqual([]);
  });

  test('a stale list merges', async () => {
    const room = new SharedRoom();
    const desk = room.desk('cursor');
    await desk.ok('todo_write', { merge: false, todos: [todo('a', 'one'), todo('b', 'two'), todo('c', 'three')] });
    await room.add('theirs');
    await room.submit({ type: 'task.complete', task: 'task-1' });
    await room.submit({ type: 'task.edit', task: 'task-3', description: 'three!' });
    const reply = await desk.ok('todo_write', {
      merge: false,
      todos: [todo('a', 'one'), todo('b', 'two', 'in_progress')],
    });
    expect(await room.list()).toEqual(['completed one', 'in_progress two', 'pending three!', 'pending theirs']);
    expect(reply.notes).toEqual([
      expect.stringMatching(/'a': 'bob' changed its status \(now completed\)/),
      expect.stringMatching(/'c' \("three!"\) is not in your list.*it stays/),
      expect.stringMatching(/'task-4' \("theirs"\) was added by others/),
    ]);
  });

  test('a new list that counts its ids anew does not inherit what others did under the old ones', async () => {
    const room = new SharedRoom();
    const desk = room.desk('cursor');
    await desk.ok('todo_write', { merge: false, todos: [todo('1', 'one')] });
    await room.submit({ type: 'task.complete', task: 'task-1' });
    const reply = await desk.ok('todo_write', {
      merge: false,
      todos: [todo('1', 'something else'), todo('2', 'more')],
    });
    expect(await room.list()).toEqual(['completed one', 'pending something else', 'pending more']);
    expect(reply.todos).toEqual([todo('task-1', 'one', 'completed'), todo('1', 'something else'), todo('2', 'more')]);
  });
});
