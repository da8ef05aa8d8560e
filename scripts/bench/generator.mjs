/** The load generator: a process of its own that does one job after the other and answers over the IPC channel. */
import { newcomers, prepare, resume, work } from './catch-up.mjs';
import { runClosedLoop } from './closed-loop.mjs';
import { closeIdle, openIdle } from './idle.mjs';
import { runPaced } from './paced.mjs';

/** @type {Record<string, (job: any) => Promise<object>>} */
const jobs = { closedLoop: runClosedLoop, paced: runPaced, prepare, work, newcomers, resume, openIdle, closeIdle };

/** What is thrown in a listener ends the job too: then something is wrong with the server, or with this program. */
process.on('uncaughtException', (error) => refuse(error));

process.on('message', (/** @type {{ name: string, job: object }} */ { name, job }) => {
  const run = jobs[name];
  if (!run) return refuse(new Error(`no job '${name}'`));
  run(job).then((result) => process.send?.({ result }), refuse);
});
process.on('disconnect', () => process.exit(1));

/** @param {Error} error */
function refuse(error) {
  process.send?.({ error: error.stack ?? String(error) }, () => process.exit(1));
}
