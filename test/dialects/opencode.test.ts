import { describe, expect, test } from 'vitest';
import { opencode } from '../../shared/dialects/opencode.ts';
import { SharedRoom } from './support/shared-room.ts';

const todo = (content: string, status = 'pending', priority = 'medium') => ({ content, status, priority });

describe('opencode: todowrite and todoread', () => {
  test('answer with the list, titled by how many are open', async () => {
    const room = new SharedRoom();
    const desk = room.desk('opencode');
    const todos = [
      todo('one', 'completed', 'high'),
      todo('two', 'in_progress', 'low'),
      todo('three'),
      todo('x', 'cancelled'),
    ];
    const reply = await desk.call('todowrite', { todos: todos.map((each, id) => ({ ...each, id: `${id}` })) });
    expect(reply.structured).toEqual({ title: '2 todos', todos });
    expect(JSON.parse(reply.text)).toEqual(todos);
    expect(await desk.ok('todoread', {})).toEqual({ title: '2 todos', todos });
    expect(opencode.view(await room.plan())).toEqual({ todos });
  });

  test('any text is a status and a priority: an unknown status makes a new item pending, with a note', async () => {
    const room = new SharedRoom();
    const desk = room.desk('opencode');
    const reply = await desk.call('todowrite', { todos: [todo('one', 'blocked', 'P1')] });
    expect(reply.structured).toMatchObject({ todos: [todo('one', 'pending', 'P1')] });
    expect(reply.structured?.notes).toEqual([
      expect.stringMatching(/"blocked".*pending, in_progress, completed, cancelled/),
    ]);
    expect(reply.text).toContain('\nNote: The status "blocked"');
  });

  test('a status in other words is understood, and one that is none leaves the status as it is', async () => {
    const room = new SharedRoom();
    const desk = room.desk('opencode');
    const said = ['done', 'In-Progress', 'finished', 'not started', 'canceled', 'constructor'];
    const reply = await desk.ok('todowrite', { todos: said.map((status) => todo(status, status)) });
    expect((reply.todos as { status: string }[]).map(({ status }) => status)).toEqual([
      'completed',
      'in_progress',
      'completed',
      'pending',
      'cancelled',
      'pending',
    ]);
    expect(reply.notes).toHaveLength(1);
    const again = await desk.ok('todowrite', { todos: said.map((status) => todo(status, 'verified')) });
    expect(again.todos).toEqual(reply.todos);
    expect(again.notes).toEqual([expect.stringContaining('"verified"')]);
  });

  test('a list as JSON text is a list, and an id of whatever type says nothing', async () => {
    const room = new SharedRoom();
    const desk = room.desk('opencode');
    await desk.ok('todowrite', { todos: JSON.stringify([{ ...todo('one'), id: 1 }]) });
    await desk.ok('todowrite', { todos: [{ ...todo('one', 'completed'), id: { a: 1 } }] });
    expect(await room.list()).toEqual(['completed one']);
    for (const todos of ['x', '[x', '{"a":1}']) expect(await desk.refused('todowrite', { todos })).toContain('todos');
  });

  test('a priority that the plan does not have is shown as medium and not made one', async () => {
    const room = await new SharedRoom().add('one');
    const desk = room.desk('opencode');
    const { todos } = await desk.ok('todoread', {});
    expect(todos).toEqual([todo('one')]);
    await desk.ok('todowrite', { todos });
    expect((await room.task('one')).priority).toBeUndefined();
    expect((await room.task('one')).revision).toBe(1);
    await desk.ok('todowrite', { todos: [todo('one', 'pending', 'high')] });
    await desk.ok('todowrite', { todos: [{ content: 'one', status: 'completed' }] });
    expect(await room.task('one')).toMatchObject({ priority: 'high', status: 'completed' });
  });

  test('refuses what is not understood, naming it', async () => {
    const desk = new SharedRoom().desk('opencode');
    expect(await desk.refused('todowrite', {})).toContain('todos');
    expect(await desk.refused('todowrite', { todos: [{ text: 'one', status: 'pending' }] })).toContain(
      'todos.0.content',
    );
    expect(await desk.refused('todowrite', { todos: [{ content: 'one' }] })).toContain('todos.0.status');
    expect(await desk.refused('todowrite', { todos: [todo('one', 'pending', 'x'.repeat(200))] })).toContain('priority');
  });

  test('a stale list merges', async () => {
    const room = new SharedRoom();
    const desk = room.desk('opencode');
    await desk.ok('todowrite', { todos: [todo('one'), todo('two')] });
    await room.add('theirs');
    await room.submit({ type: 'task.cancel', task: (await room.task('one')).uid });
    await room.submit({ type: 'task.edit', task: (await room.task('two')).uid, priority: 'high' });
    const { notes } = await desk.ok('todowrite', { todos: [todo('one', 'in_progress')] });
    expect(await room.list()).toEqual(['cancelled one', 'pending two', 'pending theirs']);
    expect(notes).toHaveLength(3);
    expect(await room.task('two')).toMatchObject({ priority: 'high' });
  });
});
