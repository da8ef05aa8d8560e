/**
 * `npm run bench`: compares this server, durable and with its default settings, with a raw `ws` broadcast server, under the
 * same load generator in the same run. docs/benchmarks.md says what each figure means.
 *
 *   --only fanout,delivery   only these scenarios
 *   --trials 5               of how many the median is taken, 3 by default
 *   --json                   machine-readable results instead of the table
 *   --server <main.js>       the command line of another build
 *
 * Ends with 0 also when something wanted was not reached: it is a report. A lost ack, a gap or a fault ends it with 1.
 */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { memory, resume, snapshot } from './bench/client-scenarios.mjs';
import { Context } from './bench/context.mjs';
import { canReadCpu } from './bench/process-cpu.mjs';
import { build, cleanUp, entryOfProject, Generator } from './bench/processes.mjs';
import { summaryOf, tableOf } from './bench/report.mjs';
import { commit, delivery, fanout, rooms, size } from './bench/write-scenarios.mjs';

const scenarios = { commit, fanout, delivery, rooms, size, memory, snapshot, resume };
/** What these want is stated in commits, so one commit is measured first. */
const needCommit = ['delivery', 'rooms'];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    trials: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    server: { type: 'string' },
  },
});

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => cleanUp().finally(() => process.exit(130)));
}

try {
  const rows = await run();
  const machine = `${cpus().length} cores, ${process.platform} ${process.arch}, Node ${process.version}`;
  if (options.json) console.log(JSON.stringify({ machine, at: new Date().toISOString(), rows }, null, 2));
  else console.log([machine, '', tableOf(rows), '', summaryOf(rows)].join('\n'));
} catch (error) {
  say(String(error instanceof Error ? (error.stack ?? error) : error));
  process.exitCode = 1;
} finally {
  await cleanUp();
}

async function run() {
  const names = chosen();
  if (!canReadCpu)
    say('CPU time of another process cannot be read here (there is no /proc): those figures are left out.');
  const entry = options.server ? resolve(options.server) : entryOfProject;
  if (!options.server && !existsSync(entry)) await build();
  const context = new Context(new Generator(), entry, { trials: Number(options.trials), say });
  const rows = [];
  for (const name of names) rows.push(...(await scenarios[name](context)));
  return rows;
}

/** @returns {(keyof typeof scenarios)[]} */
function chosen() {
  const all = /** @type {(keyof typeof scenarios)[]} */ (Object.keys(scenarios));
  const only = options.only?.split(',');
  const unknown = only?.find((name) => !Object.hasOwn(scenarios, name));
  if (unknown !== undefined) throw new Error(`no scenario '${unknown}'; there are ${all.join(', ')}`);
  if (!(Number(options.trials) >= 1)) throw new Error('--trials must be a number of at least 1');
  if (!only) return all;
  const commitIsNeeded = only.some((name) => needCommit.includes(name));
  return all.filter((name) => only.includes(name) || (name === 'commit' && commitIsNeeded));
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`${text}\n`);
}
