/**
 * `npm run bench:mcp`: agents that call tools over MCP, each so many times a second, while others watch the same room over
 * WebSocket. Server, agents and watchers are processes of their own. Says the time of a call, and whether every watcher was told
 * of every Change.
 *
 *   --agents 8  --rate 20  --watchers 100  --seconds 20
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { build, cleanUp, entryOfProject, newFolder, startPlanroom, startWatchers } from './bench/processes.mjs';
import { percentile } from './bench/statistics.mjs';

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '8' },
    rate: { type: 'string', default: '20' },
    watchers: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
  },
});
const [agents, rate, watchers, seconds] = [values.agents, values.rate, values.watchers, values.seconds].map(Number);
const wantedP95Ms = 50;

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => cleanUp().finally(() => process.exit(130)));
}

try {
  if (!existsSync(entryOfProject)) await build();
  const server = await startPlanroom(await newFolder(), entryOfProject);
  const watching = await startWatchers(server.url, watchers);
  const calls = { timesMs: [], errors: 0, changes: 0 };
  const clients = await Promise.all(Array.from({ length: agents }, (_, index) => connect(server.url, index)));
  const start = performance.now();
  await Promise.all(clients.map((client, index) => work(client, index, start, calls)));
  const lastRevision = await revisionOf(server.url);
  const told = await watching.told(lastRevision);
  await Promise.all(clients.map((client) => client.close()));
  report(calls, told, lastRevision);
} finally {
  await cleanUp();
}

/** Every other agent speaks the newest revision, the rest the last one with sessions. */
async function connect(url, index) {
  const query = new URLSearchParams({ room: 'bench', as: `agent-${index}` });
  const client = new Client(
    { name: 'bench', version: '0' },
    index % 2 === 0
      ? { versionNegotiation: { mode: { pin: '2026-07-28' } } }
      : { supportedProtocolVersions: ['2025-11-25'] },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp?${query}`, url.replace('ws:', 'http:'))));
  return client;
}

/** Calls at fixed times, whether or not the last one was answered: a slow server does not slow its load. */
async function work(client, index, start, calls) {
  const pending = [];
  for (let turn = 0; turn < rate * seconds; turn += 1) {
    const due = start + ((turn + index / agents) * 1000) / rate;
    const waitMs = due - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    pending.push(callOnce(client, index, turn, due, calls));
  }
  await Promise.all(pending);
}

/** A working agent: it adds, starts, finishes, and reads in between. */
async function callOnce(client, index, turn, due, calls) {
  const kind = turn % 4;
  const call =
    kind === 0
      ? {
          name: 'plan_update',
          arguments: {
            ops: [
              { op: 'add', text: `work ${index}.${turn}`, key: 'k' },
              { op: 'start', id: 'k' },
              { op: 'done', id: 'k' },
            ],
          },
        }
      : kind === 1
        ? {
            name: 'plan_update',
            arguments: { ops: [{ op: 'add', text: `later ${index}.${turn}`, group: `Agent ${index}` }] },
          }
        : kind === 2
          ? { name: 'plan_read', arguments: { view: 'ready' } }
          : { name: 'plan_read', arguments: {} };
  try {
    const result = await client.callTool(call);
    if (result.isError) throw new Error(result.content[0].text);
    if (kind < 2) calls.changes += 1;
  } catch (error) {
    if (calls.errors === 0) console.error(`first error: ${error.message}`);
    calls.errors += 1;
  }
  calls.timesMs.push(performance.now() - due);
}

async function revisionOf(url) {
  const response = await fetch(`${url.replace('ws:', 'http:')}/api/rooms/bench`);
  return (await response.json()).revision;
}

function report({ timesMs, errors, changes }, told, lastRevision) {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(timesMs, share).toFixed(1));
  console.log(`${agents} agents x ${rate} calls a second for ${seconds} s, ${watchers} watchers`);
  console.log(`calls ${timesMs.length}, errors ${errors}, Changes ${changes}, revision ${lastRevision}`);
  console.log(`call, from when it was due: median ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`);
  console.log(`watchers told of every Change up to the last: ${told} of ${watchers}`);
  const reached = errors === 0 && told === watchers && changes === lastRevision && Number(p95) < wantedP95Ms;
  console.log(`${reached ? 'reached' : 'NOT REACHED'}: no error, p95 under ${wantedP95Ms} ms`);
  process.exitCode = errors === 0 && told === watchers && changes === lastRevision ? 0 : 1;
}
