import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../shared/plan/model.ts';
import { ServerProcess } from '../support/server-process.ts';

/** Answer of the server to one task that is added, padded so that the file grows. */
async function add(server: ServerProcess, id: string): Promise<{ status: number; code?: string; retryable?: boolean }> {
  const mutation = { type: 'task.add', description: `${id} ${'x'.repeat(3_000)}` };
  const answer = await fetch(`${server.url}/api/rooms/disk/mutations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ mutationId: id, mutation }),
  });
  const body = (await answer.json()) as { error?: { code: string; retryable: boolean } };
  return { status: answer.status, ...body.error };
}

async function tasks(server: ServerProcess): Promise<string[]> {
  const answer = await fetch(`${server.url}/api/rooms/disk`);
  expect(answer.status).toBe(200);
  const { tasks } = (await answer.json()) as Snapshot;
  return tasks.map((task) => task.description.split(' ')[0] ?? '');
}

/** Files of the process may not grow past this. */
function limitFiles(pid: number | undefined, bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

test('while the disk takes no more, writes get a retryable error and reads go on; then all works again without a restart', async (context) => {
  if (spawnSync('prlimit', ['--version']).error) {
    context.skip(
      'no prlimit here: writes of a running server cannot be made to fail; the tests of the store have other ways',
    );
  }
  const server = await ServerProcess.start();
  try {
    const acked: string[] = [];
    const write = async (id: string): Promise<boolean> => {
      const { status } = await add(server, id);
      if (status === 200) acked.push(id);
      return status === 200;
    };
    for (let index = 0; index < 20; index += 1) expect(await write(`before${index}`)).toBe(true);
    limitFiles(server.pid, 8_192);
    for (let index = 0; index < 3; index += 1) {
      const refused = await add(server, `refused${index}`);
      expect(refused).toMatchObject({ status: 503, retryable: true, code: expect.stringMatching(/^store_/) });
    }
    expect(await tasks(server)).toEqual(acked);
    limitFiles(server.pid, 'unlimited');
    // The same mutations, sent again under the same ids.
    for (let index = 0; index < 3; index += 1) expect(await write(`refused${index}`)).toBe(true);
    expect(await tasks(server)).toEqual(acked);
    await server.kill();
    await server.restart();
    expect(await tasks(server)).toEqual(acked);
  } finally {
    await server.dispose();
  }
});
