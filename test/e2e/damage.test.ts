import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ServerProcess } from '../support/server-process.ts';

async function add(server: ServerProcess, room: string, description: string): Promise<number> {
  const body = JSON.stringify({ mutation: { type: 'task.add', description } });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${server.url}/api/rooms/${room}/mutations`, { method: 'POST', headers, body })).status;
}

async function get(server: ServerProcess, path: string, method = 'GET'): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${server.url}/api/rooms${path}`, { method });
  return { status: answer.status, body: await answer.json() };
}

test('a damaged room is a clear error and a warning, never an empty plan; other rooms work; deleting it is the way out', async () => {
  const server = await ServerProcess.start();
  try {
    for (const room of ['bad', 'good']) {
      for (let index = 0; index < 30; index += 1) expect(await add(server, room, `${room}-${index}-task`)).toBe(200);
    }
    await server.stop();
    const file = join(server.data, 'planroom.db');
    const bytes = readFileSync(file);
    // Everywhere: a page that was split leaves a copy behind that nobody reads.
    for (let at = bytes.indexOf('bad-7-task'); at >= 0; at = bytes.indexOf('bad-7-task', at)) bytes.write('X', at);
    writeFileSync(file, bytes);
    await server.restart();
    const corrupt = { error: { code: 'store_corrupt', retryable: false, message: expect.stringContaining('bad') } };
    expect(await get(server, '/bad')).toMatchObject({ status: 500, body: corrupt });
    expect(await add(server, 'bad', 'on top')).toBe(500);
    const list = { rooms: [{ room: 'good', taskCount: 30 }], warnings: [{ room: 'bad' }] };
    expect(await get(server, '')).toMatchObject({ status: 200, body: list });
    expect(await add(server, 'good', 'more')).toBe(200);
    expect(await get(server, '/bad', 'DELETE')).toMatchObject({ status: 200 });
    expect(await add(server, 'bad', 'anew')).toBe(200);
    expect(await get(server, '/bad')).toMatchObject({ body: { revision: 1, tasks: [{ description: 'anew' }] } });
    expect(await get(server, '')).toMatchObject({ body: { rooms: [{ room: 'bad' }, { room: 'good' }], warnings: [] } });
  } finally {
    await server.dispose();
  }
});

test('a data file that is removed under the server takes no more writes; what is in memory can still be read', async () => {
  const server = await ServerProcess.start();
  try {
    expect(await add(server, 'plan', 'one')).toBe(200);
    rmSync(join(server.data, 'planroom.db'));
    expect(await add(server, 'plan', 'two')).toBeGreaterThanOrEqual(500);
    expect(await add(server, 'plan', 'three')).toBeGreaterThanOrEqual(500);
    expect(await get(server, '/plan')).toMatchObject({ status: 200, body: { tasks: [{ description: 'one' }] } });
  } finally {
    await server.dispose();
  }
});
