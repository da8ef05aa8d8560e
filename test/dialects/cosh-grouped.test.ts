import { describe, expect, test } from 'vitest';
import { SharedRoom } from './support/shared-room.ts';

const replaceBy = (...descriptions: readonly string[]) => ({
  action: {
    type: 'ReplaceList',
    groups: [{ title: 'G', items: descriptions.map((description) => ({ description })) }],
  },
});

const messages = (reply: Record<string, unknown>): readonly string[] =>
  (reply.nags as { message: string }[]).map(({ message }) => message);

describe('cosh-grouped: ReplaceList', () => {
  test('says that the list was replaced when all of it was', async () => {
    const desk = new SharedRoom().desk('cosh-grouped');
    expect(messages(await desk.ok('plan_todo_write', replaceBy('a', 'b')))).toEqual([]);
    const [first] = messages(await desk.ok('plan_todo_write', replaceBy('b', 'c')));
    expect(first).toBe('The list of 2 tasks that was there was replaced.');
  });

  test('counts what went where some of others stays, and says nothing where all of it does', async () => {
    const room = await new SharedRoom().add('theirs', 'more');
    const desk = room.desk('cosh-grouped');
    const blind = messages(await desk.ok('plan_todo_write', replaceBy('a', 'b')));
    expect(blind).toEqual([expect.stringContaining('there before you saw the plan')]);
    await desk.ok('plan_todo_read', { action: { type: 'List' } });
    await room.add('new');
    const some = messages(await desk.ok('plan_todo_write', replaceBy('c')));
    expect(some).toEqual(['4 of the 5 tasks that were there were replaced.', expect.stringMatching(/task-5.*stays/)]);
    expect((await room.list()).sort()).toEqual(['pending c', 'pending new']);
  });
});

describe('cosh-grouped: arguments without their wrapper', () => {
  test.each([
    [
      'plan_todo_write',
      { type: 'Add', group: 'G', description: 'x' },
      'Put it under action: {"action": {"type": "Add"',
    ],
    ['plan_todo_cross_off', { type: 'Complete', id: 'task-1' }, 'action: {"action": {"type": "Complete"'],
    ['plan_todo_read', { type: 'List' }, 'action: {"action": {"type": "List"'],
    ['plan_todo_edit', { id: 'task-1', description: 'x' }, 'Put it under edit: {"edit": {"id": "task-1"'],
    ['plan_todo_write', {}, 'action'],
  ])('%s %j', async (tool, args, fact) => {
    expect(await new SharedRoom().desk('cosh-grouped').refused(tool, args)).toContain(fact);
  });
});
