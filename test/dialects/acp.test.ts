import { expect, test } from 'vitest';
import { acp } from '../../shared/dialects/acp.ts';
import { findDialect } from '../../shared/dialects/registry.ts';
import { SharedRoom } from './support/shared-room.ts';

test('acp shows entries for an editor, without cancelled tasks, and has no tools', async () => {
  const room = await new SharedRoom().add('one', 'two', 'three', 'gone');
  await room.submit({ type: 'task.start', task: 'task-1' });
  await room.submit({ type: 'task.complete', task: 'task-2' });
  await room.submit({ type: 'task.cancel', task: 'task-4' });
  await room.submit({ type: 'task.edit', task: 'task-1', priority: 'High' });
  await room.submit({ type: 'task.edit', task: 'task-2', priority: 'P3' });
  await room.submit({ type: 'task.edit', task: 'task-3', priority: 'low' });
  expect(acp.view(await room.plan())).toEqual({
    entries: [
      { content: 'one', priority: 'high', status: 'in_progress' },
      { content: 'two', priority: 'medium', status: 'completed' },
      { content: 'three', priority: 'low', status: 'pending' },
    ],
  });
  expect(findDialect('acp')?.tools).toEqual([]);
  expect(acp.render(await room.plan())).toBeNull();
});
