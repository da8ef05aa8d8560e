import { describe, expect, test } from 'vitest';
import { claudeCode } from '../../shared/dialects/claude-code.ts';
import { SharedRoom } from './support/shared-room.ts';

const todo = (content: string, status = 'pending') => ({ content, status, activeForm: content });

describe('claude-code: TodoWrite', () => {
  test('gives the list before and after; the active form is not kept', async () => {
    const room = new SharedRoom();
    const desk = room.desk('claude-code');
    const todos = [
      { content: 'Run tests', status: 'in_progress', activeForm: 'Running tests' },
      { content: 'Fix it', status: 'in_progress', active_form: 'Fixing it' },
      { content: 'Ship', status: 'pending' },
    ];
    const shown = [todo('Run tests', 'in_progress'), todo('Fix it', 'in_progress'), todo('Ship')];
    const reply = await desk.call('TodoWrite', { todos });
    expect(reply.structured).toEqual({ oldTodos: [], newTodos: shown });
    expect(reply.text).toBe('The todo list is written: 0 completed, 2 in progress, 1 pending.');
    expect(await desk.ok('TodoWrite', { todos: [] })).toEqual({ oldTodos: shown, newTodos: [] });
  });

  test('refuses what is not understood, naming it', async () => {
    const room = new SharedRoom();
    const desk = room.desk('claude-code');
    expect(await desk.refused('TodoWrite', {})).toContain('todos');
    expect(await desk.refused('TodoWrite', { todos: [{ text: 'one', status: 'pending' }] })).toContain(
      'todos.0.content',
    );
    expect(await desk.refused('TodoWrite', { todos: [todo('one', 'cancelled')] })).toContain('todos.0.status');
    expect(await desk.refused('TodoWrite', { todos: [todo('one'), todo(' ')] })).toContain('todos.1.content');
    expect(await room.list()).toEqual([]);
  });

  test('a stale list merges, and cancelled tasks are hidden and survive', async () => {
    const room = new SharedRoom();
    const desk = room.desk('claude-code');
    await desk.ok('TodoWrite', { todos: [todo('one'), todo('two'), todo('three'), todo('four')] });
    await room.add('theirs');
    await room.submit({ type: 'task.complete', task: 'task-1' });
    await room.submit({ type: 'task.edit', task: 'task-3', description: 'three!' });
    await room.submit({ type: 'task.cancel', task: 'task-4' });
    const reply = await desk.ok('TodoWrite', { todos: [todo('one'), todo('two', 'in_progress'), todo('four')] });
    expect(reply.newTodos).toEqual([
      todo('one', 'completed'),
      todo('two', 'in_progress'),
      todo('three!'),
      todo('theirs'),
    ]);
    expect(reply.notes).toEqual([
      expect.stringMatching(/^"one": 'bob' changed its status/),
      expect.stringMatching(/^"four": 'bob' changed its status \(now cancelled\)/),
      expect.stringMatching(/^"three!" is not in your list/),
      expect.stringMatching(/^"theirs" was added by others/),
    ]);
    await desk.ok('TodoWrite', { todos: [todo('theirs')] });
    await desk.ok('TodoWrite', { todos: [] });
    expect(await room.list()).toEqual(['cancelled four']);
  });
});

describe('claude-code: TodoWrite beside the task tools', () => {
  test('shows the subject alone, and keeps the description whatever is written', async () => {
    const room = new SharedRoom();
    const desk = room.desk('claude-code');
    await desk.ok('TaskCreate', { subject: 'Fix it', description: 'All of it.' });
    await desk.ok('TaskCreate', { subject: 'Ship' });
    await desk.ok('TaskList', {});
    const first = await desk.ok('TodoWrite', { todos: [todo('Fix it', 'in_progress'), todo('Ship')] });
    expect(first.newTodos).toEqual([todo('Fix it', 'in_progress'), todo('Ship')]);
    expect(await room.list()).toEqual(['in_progress Fix it\n\nAll of it.', 'pending Ship']);
    await desk.ok('TodoWrite', { todos: [todo('Mend it', 'in_progress'), todo('Ship')] });
    expect(await room.list()).toEqual(['in_progress Mend it\n\nAll of it.', 'pending Ship']);
    await desk.ok('TodoWrite', { todos: [todo('Mend it\n\nAll of it.', 'completed'), todo('Ship')] });
    expect(await room.list()).toEqual(['completed Mend it\n\nAll of it.', 'pending Ship']);
    expect((await room.tasks()).map(({ number }) => number)).toEqual([1, 2]);
  });

  test('answers in few words, with notes that name the subject, and the list where it is another', async () => {
    const room = new SharedRoom();
    const desk = room.desk('claude-code');
    const todos = Array.from({ length: 61 }, (_, index) => todo(`A step with some words to it, number ${index}`));
    expect((await desk.call('TodoWrite', { todos })).text.length).toBeLessThan(100);
    await room.add('Explore\n\nlook around');
    const { text } = await desk.call('TodoWrite', { todos });
    expect(text).toMatch(
      /^The todo list is written: 0 completed, 0 in progress, 62 pending\.\nNote: "Explore" was added/,
    );
    expect(text).toContain('\nThe list is now:\n1. [pending] A step');
    expect(text).toContain('\n62. [pending] Explore');
  });

  test('a note names ten tasks, and counts the others', async () => {
    const room = await new SharedRoom().add(...Array.from({ length: 33 }, (_, index) => `theirs ${index}`));
    const { notes } = await room.desk('claude-code').ok('TodoWrite', { todos: [todo('mine')] });
    const [note = ''] = notes as string[];
    expect(note.match(/"theirs/g)).toHaveLength(10);
    expect(note).toContain('"theirs 9" and 23 more were there');
  });
});

describe('claude-code: task tools', () => {
  test('TaskCreate, TaskGet and TaskList have the shapes of the tools', async () => {
    const room = new SharedRoom();
    const desk = room.desk('claude-code');
    const args = { subject: 'Fix it', description: 'All of it.\n\nNow.', active_form: 'Fixing', metadata: { a: 1 } };
    expect(await desk.ok('TaskCreate', args)).toEqual({ task: { id: '1', subject: 'Fix it' } });
    expect(await desk.ok('TaskCreate', { subject: 'Ship' })).toEqual({ task: { id: '2', subject: 'Ship' } });
    expect(await room.list()).toEqual(['pending Fix it\n\nAll of it.\n\nNow.', 'pending Ship']);
    await desk.ok('TaskUpdate', { taskId: '2', addBlockedBy: ['1'], status: 'in_progress' });
    expect(await desk.ok('TaskGet', { taskId: '1' })).toEqual({
      task: {
        id: '1',
        subject: 'Fix it',
        description: 'All of it.\n\nNow.',
        status: 'pending',
        blocks: ['2'],
        blockedBy: [],
      },
    });
    expect(await desk.ok('TaskGet', { taskId: '2' })).toMatchObject({
      task: { description: '', blocks: [], blockedBy: ['1'] },
    });
    const tasks = [
      { id: '1', subject: 'Fix it', status: 'pending', blockedBy: [] },
      { id: '2', subject: 'Ship', status: 'in_progress', owner: 'ann', blockedBy: ['1'] },
    ];
    expect(await desk.ok('TaskList', {})).toEqual({ tasks });
    expect(claudeCode.view(await room.plan())).toMatchObject({ tasks });
    expect(await desk.ok('TaskGet', { taskId: '9' })).toEqual({ task: null });
    expect(await desk.refused('TaskCreate', { title: 'x' })).toContain('subject');
    expect(await desk.refused('TaskGet', { task: '1' })).toContain('taskId');
  });

  test('TaskUpdate tells what it changed, and from what to what', async () => {
    const room = await new SharedRoom().add('one\n\nmore', 'two');
    const desk = room.desk('claude-code');
    const update = (args: object) => desk.ok('TaskUpdate', { taskId: '1', ...args });
    expect(await update({ status: 'in_progress' })).toEqual({
      success: true,
      taskId: '1',
      updatedFields: ['status'],
      statusChange: { from: 'pending', to: 'in_progress' },
    });
    expect(await update({ status: 'in_progress', activeForm: 'x', metadata: { a: 1 } })).toEqual({
      success: true,
      taskId: '1',
      updatedFields: [],
    });
    expect(await update({ subject: 'uno', owner: 'cy', status: 'completed' })).toMatchObject({
      updatedFields: ['subject', 'status', 'owner'],
      statusChange: { from: 'in_progress', to: 'completed' },
    });
    const [one] = await room.tasks();
    expect(one).toMatchObject({ description: 'uno\n\nmore', status: 'completed', labels: ['owner:cy'] });
    expect(await update({ description: '' })).toMatchObject({ updatedFields: ['description'] });
    expect(await update({ status: 'pending', owner: '' })).toMatchObject({
      updatedFields: ['status', 'owner'],
      statusChange: { from: 'completed', to: 'pending' },
    });
    expect((await room.tasks())[0]).toMatchObject({ description: 'uno', status: 'pending' });
    expect((await room.tasks())[0]?.labels).toBeUndefined();
  });

  test('the owner that was set wins over who has it in progress', async () => {
    const room = await new SharedRoom().add('one');
    const desk = room.desk('claude-code');
    await desk.ok('TaskUpdate', { taskId: '1', status: 'in_progress' });
    const owner = async () => ((await desk.ok('TaskList', {})).tasks as { owner?: string }[])[0]?.owner;
    expect(await owner()).toBe('ann');
    await desk.ok('TaskUpdate', { taskId: '1', owner: 'team-lead' });
    expect(await owner()).toBe('team-lead');
    await desk.ok('TaskUpdate', { taskId: '1', status: 'completed' });
    expect(await owner()).toBe('team-lead');
  });

  test('deleted is cancelled and off the lists, also for what was done; pending brings it back', async () => {
    const room = await new SharedRoom().add('one', 'two');
    const desk = room.desk('claude-code');
    await desk.ok('TaskUpdate', { taskId: '1', status: 'completed' });
    expect(await desk.ok('TaskUpdate', { taskId: '1', status: 'deleted' })).toMatchObject({
      success: true,
      statusChange: { from: 'completed', to: 'deleted' },
    });
    expect(await room.list()).toEqual(['cancelled one', 'pending two']);
    expect(await desk.ok('TaskList', {})).toMatchObject({ tasks: [{ id: '2' }] });
    expect(await desk.ok('TaskGet', { taskId: '1' })).toEqual({ task: null });
    expect(await desk.ok('TaskUpdate', { taskId: '1', status: 'pending' })).toMatchObject({
      statusChange: { from: 'deleted', to: 'pending' },
    });
  });

  test('blocks and blockedBy edit dependencies of either side, each once', async () => {
    const room = await new SharedRoom().add('one', 'two', 'three');
    const desk = room.desk('claude-code');
    const args = { taskId: '2', addBlocks: ['3', '3'], addBlockedBy: ['1'] };
    expect(await desk.ok('TaskUpdate', args)).toMatchObject({ updatedFields: ['blocks', 'blockedBy'] });
    expect((await room.tasks()).map(({ dependsOn }) => dependsOn)).toEqual([[], ['task-1'], ['task-2']]);
    expect((await room.plan()).revision).toBe(4);
    expect(await desk.ok('TaskUpdate', args)).toMatchObject({ success: true, updatedFields: [] });
  });

  test('near-miss names of the id are understood', async () => {
    const room = await new SharedRoom().add('one');
    const desk = room.desk('claude-code');
    for (const args of [
      { id: '1' },
      { task_id: '1' },
      { taskId: 1 },
      { taskId: '#1' },
      { taskId: 'task-1', id: '7' },
    ]) {
      expect(await desk.ok('TaskGet', args)).toMatchObject({ task: { id: '1' } });
      expect(await desk.ok('TaskUpdate', { ...args, status: null })).toMatchObject({ success: true });
    }
    expect(await desk.refused('TaskUpdate', { task: '1' })).toContain('taskId');
    expect(await desk.refused('TaskUpdate', { taskId: '1', status: 'done' })).toContain('deleted');
  });

  test('what cannot be done is told in the shape of the tool, and nothing of it is done', async () => {
    const room = await new SharedRoom().add('one', 'two');
    const desk = room.desk('claude-code');
    const failed = async (args: { taskId: string }) => {
      const before = (await room.plan()).revision;
      const reply = await desk.call('TaskUpdate', args);
      expect((await room.plan()).revision).toBe(before);
      expect(reply).toMatchObject({ isError: true, structured: { success: false, updatedFields: [] } });
      expect(reply.structured?.taskId).toBe(args.taskId);
      return reply.structured?.error;
    };
    expect(await failed({ taskId: '9' })).toMatch(/9 does not exist.*TaskList/);
    expect(await failed({ taskId: 'nope' })).toMatch(/nope/);
    const blocked = { taskId: '1', subject: 'x', addBlockedBy: ['9'] };
    expect(await failed(blocked)).toMatch(/9 does not exist/);
    await room.submit({ type: 'task.start', task: 'task-1' });
    const taken = { taskId: '1', subject: 'x', status: 'in_progress' };
    expect(await failed(taken)).toMatch(/^Nothing was changed. Task #1 is in progress by 'bob'.*its status to pending/);
    await desk.ok('TaskUpdate', { taskId: '2', status: 'in_progress' });
    const { task } = (await desk.ok('TaskCreate', { subject: 'three' })) as { task: { id: string } };
    const busy = { taskId: task.id, status: 'in_progress' };
    expect(await failed(busy)).toMatch(/#2 is, so #3 cannot start/);
  });

  test('an id that is another task by now is refused', async () => {
    const room = new SharedRoom();
    const desk = room.desk('claude-code');
    await desk.ok('TaskCreate', { subject: 'mine' });
    await room.submit({ type: 'task.remove', task: 'task-1' });
    await room.add('theirs');
    const reply = await desk.call('TaskUpdate', { taskId: '1', status: 'completed' });
    expect(reply.structured).toMatchObject({
      success: false,
      error: expect.stringMatching(/#1 is another task.*TaskList/),
    });
    expect(await room.list()).toEqual(['pending theirs']);
    await desk.ok('TaskList', {});
    await desk.ok('TaskUpdate', { taskId: '1', status: 'completed' });
    expect(await room.list()).toEqual(['completed theirs']);
  });

  test('a task tool between does not make a stale list of TodoWrite undo what others did', async () => {
    const room = new SharedRoom();
    const desk = room.desk('claude-code');
    await desk.ok('TodoWrite', { todos: [todo('one'), todo('two')] });
    await room.submit({ type: 'task.complete', task: 'task-1' });
    await desk.ok('TaskCreate', { subject: 'three' });
    await desk.ok('TaskUpdate', { taskId: '2', status: 'in_progress' });
    await desk.ok('TaskGet', { taskId: '3' });
    await desk.ok('TodoWrite', { todos: [todo('two', 'in_progress'), todo('three')] });
    expect(await room.list()).toEqual(['completed one', 'in_progress two', 'pending three']);
    await desk.ok('TodoWrite', { todos: [todo('one', 'completed'), todo('two', 'completed')] });
    expect(await room.list()).toEqual(['completed one', 'completed two']);
  });

  test('what these tools have no word for survives', async () => {
    const room = await new SharedRoom().add('one');
    await room.submit({ type: 'task.edit', task: 'task-1', dependsOn: ['ghost'], labels: ['x'], priority: 'high' });
    const desk = room.desk('claude-code');
    await desk.ok('TaskUpdate', { taskId: '1', subject: 'uno', owner: 'cy', status: 'in_progress' });
    expect((await room.tasks())[0]).toMatchObject({
      description: 'uno',
      dependsOn: ['ghost'],
      labels: ['x', 'owner:cy'],
      priority: 'high',
      startedBy: 'ann',
    });
  });
});
