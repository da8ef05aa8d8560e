import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LocalServer } from '../support/local-server.ts';
import { type Case, makeFolder, playCase } from './support/case-runner.ts';

/** The conversations of `test/cases`, through a real MCP client: one of the newest revision, one of the last with sessions. */

const files = ['s0-cosh-grouped', 's1-cosh', 's2-car', 's3-docker-agent', 's4-sagents'];
const folder = makeFolder();
let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start({ folders: [folder.path] });
});
afterAll(async () => {
  await server.close();
  folder.remove();
  expect(server.faults).toEqual([]);
});

for (const file of files) {
  const cases: Case[] = JSON.parse(readFileSync(new URL(`../cases/${file}.json`, import.meta.url), 'utf8'));
  describe.each(['2026-07-28', '2025-11-25'] as const)(`${file} over %s`, (revision) => {
    test.each(cases.map((each) => [each.id, each.title, each] as const))('%s %s', async (_id, _title, each) => {
      await playCase(server.url, folder.path, revision, each);
    });
  });
}
