import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../client/sdk/index.ts';
import { parseMarkdown } from '../../shared/plan/markdown.ts';
import type { Snapshot } from '../../shared/plan/model.ts';
import { runCli } from '../client/support/run-cli.ts';
import { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;
let folder: string;

beforeAll(async () => {
  server = await ServerProcess.start();
  folder = await mkdtemp(join(tmpdir(), 'planroom-team-'));
});

afterAll(async () => {
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
});

describe('a team on one room', () => {
  test('three clients that create at the same time get 30 acks, 30 tasks, 30 ids and 30 revisions', async () => {
    const clients = ['ann', 'bob', 'cy'].map((actor) => connect({ url: server.url, actor }));
    const views = await Promise.all(clients.map((client) => client.join('parallel')));
    const acks = await Promise.all(
      views.flatMap((view) =>
        Array.from({ length: 10 }, (_, index) => {
          if (!view.ok) throw new Error(view.error.message);
          return view.value.addTask(`task ${index}`);
        }),
      ),
    );
    for (const client of clients) client.close();
    const snapshot = await readPlan('parallel');
    expect(acks.filter((ack) => ack.ok).length).toBe(30);
    expect(new Set(acks.map((ack) => ack.ok && ack.value.revision)).size).toBe(30);
    expect(new Set(acks.map((ack) => ack.ok && ack.value.created[0]?.id)).size).toBe(30);
    expect(new Set(snapshot.tasks.map((task) => task.number)).size).toBe(30);
    expect(snapshot.revision).toBe(30);
  });

  test('a real list of some hundred items is imported, worked from three processes, and exported', async () => {
    const list = await checklistOfOurTests();
    const file = join(folder, 'checklist.md');
    await writeFile(file, list.markdown);
    const imported = await runCli(['import', file, '--url', server.url, '--room', 'checklist']);
    expect(imported).toMatchObject({ code: 0 });
    const before = await readPlan('checklist');
    expect(before.tasks.map((task) => task.description)).toEqual(list.items);

    const workers = await Promise.all(['ann', 'bob', 'cy'].map(runWorker));
    const after = await readPlan('checklist');
    expect(after.tasks.every((task) => task.status === 'completed')).toBe(true);
    const completed = workers.flatMap((worker) => worker.completed);
    expect(completed.length, 'every task was completed once').toBe(before.tasks.length);
    expect(new Set(completed)).toEqual(new Set(before.tasks.map((task) => task.uid)));
    for (const worker of workers) expect(worker.completed.length).toBeGreaterThan(0);
    expect(after.revision).toBe(1 + 2 * before.tasks.length);

    const out = join(folder, 'out.md');
    expect(await runCli(['export', '--output', out, '--url', server.url, '--room', 'checklist'])).toMatchObject({
      code: 0,
    });
    const exported = parseMarkdown(await readFile(out, 'utf8'));
    expect(exported.groups.flatMap((group) => group.tasks.map((task) => [task.description, task.status]))).toEqual(
      list.items.map((item) => [item, 'completed']),
    );
    console.log(`${completed.length} tasks, races lost: ${workers.map((worker) => worker.lostRaces).join(', ')}`);
  }, 120_000);
});

async function readPlan(room: string): Promise<Snapshot> {
  const answer = await fetch(`${server.url}/api/rooms/${room}`);
  return (await answer.json()) as Snapshot;
}

const workerFile = fileURLToPath(new URL('../support/team-worker.mjs', import.meta.url));

async function runWorker(actor: string): Promise<{ completed: string[]; lostRaces: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [workerFile, server.url, 'checklist', actor]);
  return JSON.parse(stdout);
}

/** The names of this project's own tests as a task list: real sentences, with all that people put into them. */
async function checklistOfOurTests(): Promise<{ markdown: string; items: string[] }> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.ts')).sort();
  const items: string[] = [];
  let markdown = '# What we promise\n\nNothing before the first heading of the second level counts.\n';
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8');
    const names = [...text.matchAll(/\b(?:test|it)\(\s*(['"`])((?:(?!\1).)+)\1/g)].map((match) =>
      (match[2] ?? '').trim(),
    );
    if (names.length === 0) continue;
    markdown += `\n## ${file}\n\n${names.map((name) => `- [ ] ${name}\n`).join('')}`;
    items.push(...names);
  }
  expect(items.length).toBeGreaterThan(180);
  return { markdown, items };
}
