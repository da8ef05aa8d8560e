import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeText } from '../../client/cli/files.ts';
import { connect, type PlanroomClient } from '../../client/sdk/index.ts';
import { LocalServer } from '../support/local-server.ts';

/** What people do to plans through the service behind the command line (test/cases/other.json). */
describe('plans for people', () => {
  let server: LocalServer;
  let client: PlanroomClient;
  const folder = mkdtempSync(join(tmpdir(), 'planroom-host-'));

  beforeAll(async () => {
    server = await LocalServer.start();
    client = connect({ url: server.url, actor: 'ann' });
  });
  afterAll(async () => {
    client.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });

  test('S3-24: an empty label clears and an omitted one keeps', async () => {
    const joined = await client.join('p');
    if (!joined.ok) throw new Error(joined.error.message);
    const room = joined.value;
    await room.writeDocument({ content: 'c', title: 'T', author: 'ann' });
    const before = room.plan.document.revision;
    expect((await room.writeDocument({ content: 'c2', title: '' })).ok).toBe(true);
    expect(room.plan.document).toMatchObject({ author: 'ann', revision: before + 1 });
    expect(room.plan.document.title).toBeUndefined();
  });

  test('S3-16/host: an export refuses a file that is there, unless forced', async () => {
    const path = join(folder, 'out.md');
    writeFileSync(path, 'before');
    expect(await writeText(path, 'body of p', false)).toMatchObject({ ok: false, error: { code: 'file_exists' } });
    expect(readFileSync(path, 'utf8')).toBe('before');
    expect((await writeText(path, 'body of p', true)).ok).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('body of p');
    expect(readdirSync(folder)).toEqual(['out.md']);
  });
});
