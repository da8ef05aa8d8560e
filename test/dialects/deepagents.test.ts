import { describe, expect, test } from 'vitest';
import { deepagents } from '../../shared/dialects/deepagents.ts';
import { SharedRoom } from './support/shared-room.ts';

const todo = (content: string, status = 'pending') => ({ content, status });

describe('deepagents: write_todos', () => {
  test('answers with the list as JSON, and several may be in progress', async () => {
    const room = new SharedRoom();
    const todos = [todo('one', 'in_progress'), todo('two', 'in_progress'), todo('three')];
    const reply = await room.desk('deepagents').call('write_todos', { todos });
    expect(reply).toMatchObject({ isError: false, text: `Updated todo list to ${JSON.stringify(todos)}` });
    expect(deepagents.view(await room.plan())).toEqual({ todos });
    expect(await room.desk('deepagents').call('write_todos', { todos: [] })).toMatchObject({
      text: 'Updated todo list to []',
    });
    expect(await room.list()).toEqual([]);
  });

  test('refuses what is not understood, naming it, and changes nothing', async () => {
    const room = new SharedRoom();
    const desk = room.desk('deepagents');
    expect(await desk.refused('write_todos', { todo: [] })).toContain('todos');
    expect(await desk.refused('write_todos', { todos: [{ text: 'one', status: 'pending' }] })).toContain(
      'todos.0.content',
    );
    expect(await desk.refused('write_todos', { todos: [todo('one', 'cancelled')] })).toContain('todos.0.status');
    expect(await desk.refused('write_todos', { todos: [todo('one'), todo('')] })).toContain('todos.1.content');
    expect(await desk.refused('write_todos', { todos: [todo('x'.repeat(5000))] })).toMatch(/5000.*4096/);
    expect(await room.list()).toEqual([]);
  });

  test('an actor that never saw the list adds to it, and sees it', async () => {
    const room = await new SharedRoom().add('theirs');
    const reply = await room.desk('deepagents').call('write_todos', { todos: [todo('mine')] });
    expect(reply.text).toContain(JSON.stringify([todo('theirs'), todo('mine')]));
    expect(reply.text).toContain('Note: "theirs" was there before you saw the plan, and stays.');
  });

  test('a stale list merges: additions stay, finished work stays finished, changed rows are not dropped', async () => {
    const room = new SharedRoom();
    const desk = room.desk('deepagents');
    await desk.call('write_todos', { todos: [todo('one'), todo('two'), todo('three')] });
    await room.add('theirs');
    await room.submit({ type: 'task.complete', task: (await room.task('one')).uid });
    await room.submit({ type: 'task.edit', task: (await room.task('three')).uid, description: 'three, and more' });
    const reply = await desk.call('write_todos', { todos: [todo('one'), todo('two', 'completed')] });
    expect(await room.list()).toEqual(['completed one', 'completed two', 'pending three, and more', 'pending theirs']);
    expect(reply.text.split('\n').filter((line) => line.startsWith('Note: '))).toHaveLength(3);
    // What it never listed, it does not drop, though it was shown it; once it has taken it up it may.
    await desk.call('write_todos', { todos: [todo('one', 'completed')] });
    expect(await room.list()).toEqual(['completed one', 'pending theirs']);
    await desk.call('write_todos', { todos: [todo('one', 'completed'), todo('theirs')] });
    await desk.call('write_todos', { todos: [todo('one', 'completed')] });
    expect(await room.list()).toEqual(['completed one']);
  });

  test('dependencies, group, labels, priority and cancelled rows survive', async () => {
    const room = await new SharedRoom().add('one', 'two', 'gone');
    await room.submit({ type: 'task.cancel', task: (await room.task('gone')).uid });
    const two = (await room.task('two')).uid;
    await room.submit({
      type: 'task.edit',
      task: two,
      dependsOn: ['task-1'],
      labels: ['x'],
      priority: 'high',
      group: 'H',
    });
    const desk = room.desk('deepagents');
    await desk.call('write_todos', { todos: [] });
    await desk.call('write_todos', { todos: [todo('one', 'completed'), todo('two', 'in_progress')] });
    expect(await room.list()).toEqual(['completed one', 'cancelled gone', 'in_progress two']);
    expect(await room.task('two')).toMatchObject({ dependsOn: ['task-1'], labels: ['x'], priority: 'high' });
  });
});
