import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type PlanroomClient } from '../../client/sdk/index.ts';
import { McpClient } from '../support/mcp-client.ts';
import { ServerProcess } from '../support/server-process.ts';

/** Real processes, real MCP clients of old and new revisions, and a subscriber that must be told of everything. */

let server: ServerProcess;
let watcher: PlanroomClient;

beforeAll(async () => {
  server = await ServerProcess.start();
  watcher = connect({ url: server.url, actor: 'watcher' });
});
afterAll(async () => {
  watcher.close();
  await server.dispose();
});

function agent(room: string, as: string, revision: '2026-07-28' | '2025-11-25' | '2025-06-18', tools = 'planroom') {
  return McpClient.connect(new URL(`/mcp?${new URLSearchParams({ room, as, tools })}`, server.url), revision);
}

async function call({ client }: McpClient, name: string, args: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content as { text: string }[];
  if (result.isError) throw new Error(content?.text);
  return content?.text ?? '';
}

describe('agents over MCP', () => {
  test('two clients, one old and one new, work one room; every Change of theirs reaches a subscriber', async () => {
    const joined = await watcher.join('team');
    if (!joined.ok) throw new Error(joined.error.message);
    const view = joined.value;
    const seen: string[] = [];
    const heard = new Promise<void>((resolve) => {
      view.on('change', () => {
        seen.splice(0, seen.length, ...[...view.plan.tasks()].map((task) => `${task.updatedBy} ${task.status}`));
        if (view.plan.revision === 40) resolve();
      });
    });
    const clients = await Promise.all([agent('team', 'ann', '2026-07-28'), agent('team', 'bob', '2025-11-25')]);
    await Promise.all(
      clients.map(async (client, index) => {
        for (let turn = 0; turn < 20; turn += 1) {
          const ops = [
            { op: 'add', text: `${index}.${turn}`, key: 'k' },
            { op: 'start', id: 'k' },
            { op: 'done', id: 'k' },
          ];
          await call(client, 'plan_update', { ops });
        }
      }),
    );
    await heard;
    expect(seen.filter((each) => each === 'ann completed')).toHaveLength(20);
    expect(seen.filter((each) => each === 'bob completed')).toHaveLength(20);
    for (const client of clients) await client.close();
  });

  test('each is told by its next reply what the others did, and each hears of every Change it follows', async () => {
    const [ann, bob, cy] = await Promise.all([
      agent('digest', 'ann', '2026-07-28'),
      agent('digest', 'bob', '2025-06-18'),
      agent('digest', 'cy', '2025-11-25', 'cosh'),
    ]);
    await call(ann, 'plan_update', { ops: [{ op: 'add', text: 'one' }] });
    await Promise.all([ann.follow('plan://digest'), bob.follow('plan://digest')]);
    await call(cy, 'plan_todo_write', { todos: [{ description: 'two' }] });
    await Promise.all([ann, bob].map((each) => each.until(() => each.updated.includes('plan://digest'))));
    expect(await call(ann, 'plan_read', {})).toContain('cy added task-2');
    for (const client of [ann, bob, cy]) await client.close();
  });

  test('what an actor last saw outlives the server: a stale list after a restart destroys nothing', async () => {
    const first = await agent('restart', 'ann', '2026-07-28', 'cosh');
    await call(first, 'plan_todo_write', { todos: [{ description: 'a' }, { description: 'b' }] });
    const other = await agent('restart', 'bob', '2025-11-25');
    await call(other, 'plan_update', {
      ops: [
        { op: 'add', text: 'of bob' },
        { op: 'done', id: 'task-2' },
      ],
    });
    await Promise.all([first.close(), other.close()]);
    await server.restart();
    const again = await agent('restart', 'ann', '2025-11-25', 'cosh');
    const text = await call(again, 'plan_todo_write', { todos: [{ description: 'a', status: 'completed' }] });
    const { list } = JSON.parse(text) as { list: { items: { description: string; status: string }[] } };
    expect(list.items.map(({ description, status }) => `${description} ${status}`)).toEqual([
      'a completed',
      'b completed',
      'of bob pending',
    ]);
    await again.close();
  });

  test('a repeated call with the same operation id has effect once, also over a restart', async () => {
    const ann = await agent('once', 'ann', '2025-11-25');
    const params = {
      name: 'plan_update',
      arguments: { ops: [{ op: 'add', text: 'x' }] },
      _meta: { 'planroom/operationId': 'op-1' },
    };
    await ann.client.callTool(params);
    await ann.close();
    await server.restart();
    const again = await agent('once', 'ann', '2026-07-28');
    await again.client.callTool(params);
    expect(await call(again, 'plan_read', { view: 'all' })).toMatch(/^once r1: 1 open/);
    await again.close();
  });
});
