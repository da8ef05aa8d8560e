/**
 * `npm run test:conformance`: the public MCP conformance package against this server, for the newest revision and the last one
 * with sessions. The package needs Node 22, which npx fetches; nothing of it is a dependency. Ends with 1 when a scenario fails
 * that is not listed below, or one that is listed passes.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { build, cleanUp, entryOfProject, newFolder, startPlanroom } from './bench/processes.mjs';

const packages = ['-p', 'node@24', '-p', '@modelcontextprotocol/conformance@0.2.0-alpha.12'];

/** What planroom does not offer, by scenario. */
const offersNot = {
  'has no prompts': /^prompts-|^caching$/,
  'completes no arguments': /^completion-complete$/,
  'logs to its own log': /^logging-set-level$/,
  'asks the client nothing: no elicitation, sampling or roots': /^elicitation-|^input-required-result-/,
  'has no task extension': /^tasks-/,
  'has no tool with parameters in headers': /^http-custom-header/,
};
/** Scenarios that call tools or resources of a fixture server by name, such as test_simple_text. */
const wantsFixtures =
  /^(tools-call-|resources-(read|templates-read|subscribe|unsubscribe)|json-schema-2020-12$|server-stateless$)/;

const expected = {
  '2026-07-28': {
    passes: [
      'input-required-result-missing-input-response',
      'input-required-result-unsupported-methods',
      'input-required-result-ignore-extra-params',
      'input-required-result-validate-input',
      'tasks-status-notifications',
    ],
  },
  '2025-11-25': { passes: [] },
};

let unexpected = 0;
try {
  if (!existsSync(entryOfProject)) await build();
  const server = await startPlanroom(await newFolder(), entryOfProject);
  const url = server.url.replace('ws:', 'http:');
  await fetch(`${url}/api/rooms/main/tools/plan_update`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ops: [{ op: 'add', text: 'a task to read' }] }),
  });
  for (const revision of Object.keys(expected)) unexpected += await check(`${url}/mcp`, revision);
} finally {
  await cleanUp();
}
process.exitCode = unexpected === 0 ? 0 : 1;

async function check(url, revision) {
  const output = await run(['conformance', 'server', '--url', url, '--requirements', revision]);
  const scenarios = [...output.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gmu)].map(
    ([, mark, name, passed, failed]) => ({ ok: mark === '✓', name, passed: Number(passed), failed: Number(failed) }),
  );
  if (scenarios.length === 0) throw new Error(`the package ran no scenario:\n${output.slice(-2000)}`);
  console.log(`\nMCP ${revision}`);
  let surprises = 0;
  for (const { ok, name, passed, failed } of scenarios) {
    const reason = expected[revision].passes.includes(name) ? undefined : reasonFor(name);
    const isSurprise = ok ? reason !== undefined && failed === 0 && passed > 0 : reason === undefined;
    if (isSurprise) surprises += 1;
    const note = ok ? (isSurprise ? 'passes, and is listed as failing' : '') : (reason ?? 'FAILS UNEXPECTEDLY');
    console.log(
      `  ${ok ? 'pass' : 'fail'}  ${name.padEnd(48)} ${String(passed).padStart(2)} of ${passed + failed}  ${note}`,
    );
  }
  return surprises;
}

function reasonFor(name) {
  if (wantsFixtures.test(name)) return 'calls fixtures by name';
  return Object.entries(offersNot).find(([, pattern]) => pattern.test(name))?.[0];
}

/** Runs a program of the packages; its exit code says only that something failed. */
function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn('npx', ['-y', ...packages, ...args], { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (piece) => {
      output += piece;
    });
    child.once('error', reject);
    child.once('exit', () => resolve(output));
  });
}
