import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { callerOf } from '../../server/endpoints/mcp/caller.ts';
import { acp } from '../../shared/dialects/acp.ts';
import { defaultDialect, dialects, findDialect } from '../../shared/dialects/registry.ts';
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
  await expect(room.desk('acp').call('read', {})).rejects.toThrow(
    /^The dialect acp is a view only and has no tools\. With tools there are: planroom, .*microsoft\.$/,
  );
  await expect(room.desk('none').call('read', {})).rejects.toThrow(/microsoft\.$/);
  expect(
    callerOf({ url: '/mcp?tools=acp', headers: {} } as IncomingMessage, { dialects, defaultDialect }),
  ).toMatchObject({
    ok: false,
    error: { code: 'bad_message', message: expect.stringMatching(/^'acp' is a view only.*microsoft\.$/) },
  });
});
