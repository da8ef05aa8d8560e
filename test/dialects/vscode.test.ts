import { describe, expect, test } from 'vitest';
import { vscode } from '../../shared/dialects/vscode.ts';
import { SharedRoom } from './support/shared-room.ts';

const item = (id: number, title: string, status = 'not-started') => ({ id, title, status });

describe('vscode: manage_todo_list', () => {
  test('writes in a sentence and reads the list', async () => {
    const room = new SharedRoom();
    const desk = room.desk('vscode');
    const todoList = [item(1, 'one', 'completed'), item(2, 'two', 'in-progress'), item(3, 'three')];
    const reply = await desk.call('manage_todo_list', { operation: 'write', todoList });
    expect(reply).toMatchObject({ isError: false, text: 'Successfully wrote the todo list' });
    expect(await desk.ok('manage_todo_list', { operation: 'read' })).toEqual({ todoList });
    expect(vscode.view(await room.plan())).toEqual({ todoList });
    expect(await room.list()).toEqual(['completed one', 'in_progress two', 'pending three']);
  });

  test('warns of small and large lists, and of many changes at once', async () => {
    const desk = new SharedRoom().desk('vscode');
    const write = async (todoList: object[]) => (await desk.call('manage_todo_list', { todoList })).text;
    expect(await write([item(1, 'one')])).toMatch(/Note: .*fewer than 3/);
    const many = Array.from({ length: 11 }, (_, index) => item(index + 1, `item ${index}`));
    const large = await write(many);
    expect(large).toMatch(/Note: .*more than 10/);
    expect(large).toMatch(/Note: 11 items changed at once/);
    expect(await write(many.slice(0, 8))).not.toMatch(/Note/);
    expect(await write([])).not.toMatch(/fewer/);
  });

  test('refuses what is not understood, naming it', async () => {
    const room = new SharedRoom();
    const desk = room.desk('vscode');
    const refused = (args: unknown) => desk.refused('manage_todo_list', args);
    expect(await refused({ operation: 'write' })).toContain('todoList');
    expect(await refused({ todos: [] })).toContain('todoList');
    expect(await refused({ todoList: [item(1, 'one', 'in_progress')] })).toMatch(/todoList\.0\.status.*in-progress/);
    expect(await refused({ todoList: [{ id: 1, content: 'one', status: 'completed' }] })).toContain('todoList.0.title');
    expect(await refused({ todoList: [{ id: 'a', title: 'one', status: 'completed' }] })).toContain('todoList.0.id');
    expect(await refused({ operation: 'clear' })).toContain('operation');
    expect(await room.list()).toEqual([]);
  });

  test('an id as text will do, and so does a list as JSON text', async () => {
    const room = new SharedRoom();
    const desk = room.desk('vscode');
    const todoList = JSON.stringify([{ ...item(1, 'one'), id: '1' }]);
    expect((await desk.call('manage_todo_list', { todoList })).isError).toBe(false);
    expect(await room.list()).toEqual(['pending one']);
  });

  test('the size of the list is that of the list as it is then; notes name tasks by their title', async () => {
    const room = await new SharedRoom().add('Explore\n\nlook around', 'two', 'three');
    const reply = await room.desk('vscode').call('manage_todo_list', { todoList: [item(1, 'mine')] });
    expect(reply.text).not.toContain('fewer than 3');
    expect(reply.text).toContain('"Explore", "two"');
    expect(reply.text).not.toContain('look around');
  });

  test('descriptions are the rest of the text, and stay when they are not sent', async () => {
    const room = await new SharedRoom().add('one\n\nwith details\n\nand more', 'two');
    const desk = room.desk('vscode');
    const { todoList } = await desk.ok('manage_todo_list', { operation: 'read' });
    expect(todoList).toEqual([{ ...item(1, 'one'), description: 'with details\n\nand more' }, item(2, 'two')]);
    await desk.call('manage_todo_list', { todoList: [item(1, 'one', 'completed'), item(2, 'two')] });
    expect(await room.list()).toEqual(['completed one\n\nwith details\n\nand more', 'pending two']);
    await desk.call('manage_todo_list', {
      todoList: [item(1, 'uno', 'completed'), { ...item(2, 'two'), description: 'new' }],
    });
    expect(await room.list()).toEqual(['completed uno\n\nwith details\n\nand more', 'pending two\n\nnew']);
    expect((await room.tasks()).map(({ number }) => number)).toEqual([1, 2]);
  });

  test('items of others stay, sent or not, and the list is shown', async () => {
    const room = new SharedRoom();
    const desk = room.desk('vscode');
    const mine = [item(1, 'one'), item(2, 'two'), item(3, 'three')];
    await desk.call('manage_todo_list', { todoList: mine });
    await room.add('theirs');
    const reply = await desk.call('manage_todo_list', { todoList: mine });
    expect(reply.text).toMatch(/Note: "theirs" was added by others.*stays/);
    expect(reply.text).toContain('4. [not-started] theirs');
    await desk.call('manage_todo_list', { todoList: mine.slice(1) });
    expect(await room.list()).toEqual(['pending two', 'pending three', 'pending theirs']);
    // Once it was read it may go.
    await desk.call('manage_todo_list', { operation: 'read' });
    await desk.call('manage_todo_list', { todoList: [item(1, 'two'), item(2, 'three')] });
    expect(await room.list()).toEqual(['pending two', 'pending three']);
  });

  test('a stale list does not undo what others did', async () => {
    const room = new SharedRoom();
    const desk = room.desk('vscode');
    await desk.call('manage_todo_list', { todoList: [item(1, 'one'), item(2, 'two'), item(3, 'three')] });
    await room.submit({ type: 'task.start', task: 'task-1' });
    await room.submit({ type: 'task.edit', task: 'task-3', description: 'three!' });
    const reply = await desk.call('manage_todo_list', { todoList: [item(1, 'one'), item(2, 'two', 'completed')] });
    expect(await room.list()).toEqual(['in_progress one', 'completed two', 'pending three!']);
    expect(reply.text).toMatch(/"one": 'bob' changed its status \(now in-progress\)/);
    expect(reply.text).toMatch(/"three!" is not in your list.*stays/);
  });

  test('cancelled items are not shown and survive', async () => {
    const room = await new SharedRoom().add('one', 'two');
    await room.submit({ type: 'task.cancel', task: 'task-1' });
    const desk = room.desk('vscode');
    expect(await desk.ok('manage_todo_list', { operation: 'read' })).toEqual({ todoList: [item(1, 'two')] });
    await desk.call('manage_todo_list', { todoList: [item(1, 'two', 'completed')] });
    expect(await room.list()).toEqual(['cancelled one', 'completed two']);
  });
});
