import { connect } from '../../dist/client/sdk/index.js';

/**
 * One of several processes that work a plan together: takes a pending task, starts it, completes it, and goes on until
 * none is left. Prints what it completed, as JSON. A task that another took first is theirs.
 */
const [url, room, actor] = process.argv.slice(2);
const client = connect({ url, actor });
const joined = await client.join(room);
if (!joined.ok) throw new Error(joined.error.message);
const view = joined.value;

/** Each worker begins at another place, so that they meet now and then, not all the time. */
let turn = actor.length * 37 + (actor.codePointAt(actor.length - 1) ?? 0) * 101;
const completed = [];
let lostRaces = 0;
for (;;) {
  const open = [...view.plan.tasks()].filter((task) => task.status === 'pending');
  if (open.length === 0) break;
  turn += 1;
  const task = open[turn % Math.min(open.length, 6)];
  // The guard: only if the task is still as this worker saw it. Without it a task that others finished would start anew.
  const started = await view.startTask(task.uid, { base: view.confirmed.revision });
  if (!started.ok) {
    lostRaces += 1;
    continue;
  }
  const done = await view.completeTask(task.uid);
  if (done.ok) completed.push(task.uid);
  else throw new Error(done.error.message);
}
client.close();
process.stdout.write(JSON.stringify({ completed, lostRaces }));
