import { describe, expect, test } from 'vitest';
import { gemini } from '../../shared/dialects/gemini.ts';
import { SharedRoom } from './support/shared-room.ts';

const todo = (description: string, status = 'pending') => ({ description, status });

describe('gemini: write_todos', () => {
  test('answers with the numbered list; an empty one clears it', async () => {
    const room = new SharedRoom();
    const desk = room.desk('gemini');
    const todos = [todo('one', 'completed'), todo('two', 'in_progress'), todo('three', 'cancelled'), todo('four')];
    const reply = await desk.call('write_todos', { todos });
    expect(reply.isError).toBe(false);
    expect(reply.text.split('\n').slice(1)).toEqual([
      '1. [completed] one',
      '2. [in_progress] two',
      '3. [cancelled] three',
      '4. [pending] four',
    ]);
    expect(gemini.view(await room.plan())).toEqual({ todos });
    expect((await desk.call('write_todos', { todos: [] })).text).toBe('The todo list is empty now.');
    expect(await room.list()).toEqual([]);
  });

  test('refuses two in progress and what is not understood, and changes nothing', async () => {
    const room = new SharedRoom();
    const desk = room.desk('gemini');
    const two = [todo('one', 'in_progress'), todo('two', 'in_progress')];
    expect(await desk.refused('write_todos', { todos: two })).toMatch(/one todo.*1 and 2/);
    expect(await desk.refused('write_todos', { items: [] })).toContain('todos');
    expect(await desk.refused('write_todos', { todos: [{ content: 'one', status: 'pending' }] })).toContain(
      'todos.0.description',
    );
    expect(await desk.refused('write_todos', { todos: [todo('one', 'done')] })).toMatch(/blocked/);
    expect(await room.list()).toEqual([]);
  });

  test('what another has in progress does not count', async () => {
    const room = new SharedRoom();
    const desk = room.desk('gemini');
    await desk.call('write_todos', { todos: [todo('one', 'in_progress')] }, 'bob');
    await desk.call('write_todos', { todos: [] }, 'ann');
    const reply = await desk.call(
      'write_todos',
      { todos: [todo('one', 'in_progress'), todo('two', 'in_progress')] },
      'ann',
    );
    expect(reply.isError).toBe(false);
    expect((await room.tasks()).map(({ startedBy }) => startedBy)).toEqual(['bob', 'ann']);
  });

  test('blocked is shown of a pending task with open dependencies, and written is pending', async () => {
    const room = await new SharedRoom().add('first', 'second');
    await room.submit({ type: 'task.edit', task: 'task-2', dependsOn: ['task-1'] });
    const desk = room.desk('gemini');
    expect((await desk.call('write_todos', { todos: [] })).text).toContain('2. [blocked] second');
    const blocked = [todo('first'), todo('second', 'blocked'), todo('third', 'blocked')];
    await desk.call('write_todos', { todos: blocked });
    expect(await room.list()).toEqual(['pending first', 'pending second', 'pending third']);
    expect(await room.task('second')).toMatchObject({ dependsOn: ['task-1'] });
    const done = [todo('first', 'completed'), todo('second', 'blocked'), todo('third')];
    expect((await desk.call('write_todos', { todos: done })).text).toContain('2. [pending] second');
  });

  test('a stale list merges', async () => {
    const room = new SharedRoom();
    const desk = room.desk('gemini');
    await desk.call('write_todos', { todos: [todo('one'), todo('two')] });
    await room.add('theirs');
    await room.submit({ type: 'task.complete', task: (await room.task('one')).uid });
    await room.submit({ type: 'task.start', task: (await room.task('two')).uid });
    const reply = await desk.call('write_todos', { todos: [todo('one')] });
    expect(await room.list()).toEqual(['completed one', 'in_progress two', 'pending theirs']);
    expect(reply.text).toMatch(/Note: "two" is not in your list.*stays/);
    expect(reply.text).toMatch(/Note: "theirs" was added by others/);
  });
});
