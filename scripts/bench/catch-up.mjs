import { adapters } from './adapters.mjs';
import { Connection } from './connection.mjs';
import { messagesOf, mutate, taskUid } from './planroom-adapter.mjs';
import { median } from './statistics.mjs';

/** @typedef {{ kind: import('./adapters.mjs').Kind, url: string, room: string }} Place */

/** @param {Place} place */
async function enter({ kind, url }) {
  const connection = await Connection.open(url + adapters[kind].path);
  await adapters[kind].hello(connection, 'newcomer');
  return connection;
}

/**
 * Makes a plan of so many tasks in a planroom server.
 * @param {Place & { tasks: number }} job
 */
export async function prepare(job) {
  const connection = await enter(job);
  const { position } = await adapters.planroom.catchUp(connection, job.room);
  const revision = await adapters.planroom.fill(connection, job.room, job.tasks);
  await connection.close();
  return { epoch: position.epoch, revision };
}

/**
 * Works a plan off as an agent does: starts a task, completes it, takes the next. Gives the last revision.
 * @param {Place & { changes: number }} job
 */
export async function work(job) {
  const connection = await enter(job);
  await adapters.planroom.catchUp(connection, job.room);
  let revision = 0;
  for (let index = 0; index < job.changes; index += 1) {
    const type = index % 2 === 0 ? 'task.start' : 'task.complete';
    const ack = await mutate(connection, job.room, `work-${index}`, { type, task: taskUid(index >> 1) });
    revision = ack.revision;
  }
  await connection.close();
  return { revision };
}

/**
 * New clients, one after the other: how long each takes to get the plan. The first `skip` of them are not counted.
 * @param {Place & { count: number, skip: number, wantsText?: boolean }} job
 */
export async function newcomers(job) {
  const fromRequest = [];
  const fromConnect = [];
  let bytes = 0;
  let text = '';
  for (let index = 0; index < job.count + job.skip; index += 1) {
    const connectAtMs = performance.now();
    const connection = await enter(job);
    const requestAtMs = performance.now();
    const { frames } = await adapters[job.kind].catchUp(connection, job.room);
    const nowMs = performance.now();
    bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
    if (job.wantsText) text = Buffer.concat(frames.slice(-1)).toString();
    if (index >= job.skip) {
      fromRequest.push(nowMs - requestAtMs);
      fromConnect.push(nowMs - connectAtMs);
    }
    await connection.close();
  }
  return {
    fromRequestMs: median(fromRequest),
    fromConnectMs: median(fromConnect),
    bytes,
    ...(job.wantsText && { text }),
  };
}

/**
 * Many clients that come back at once, from the same position: how long until all of them are current. A planroom client
 * must get exactly the Changes it missed; of a raw server each asks the whole plan.
 * @param {Place & { clients: number, since: import('./adapters.mjs').Position, revision: number }} job
 */
export async function resume(job) {
  const { kind, room, since, clients } = job;
  const startedAtMs = performance.now();
  const connections = await Promise.all(Array.from({ length: clients }, () => enter(job)));
  const requestAtMs = performance.now();
  const all = await Promise.all(connections.map((connection) => adapters[kind].catchUp(connection, room, since)));
  const nowMs = performance.now();
  if (kind === 'planroom')
    for (const { frames, resume: answer } of all) checkMissed(frames, answer, since.revision, job.revision);
  await Promise.all(connections.map((connection) => connection.close()));
  const bytes = all.reduce((sum, { frames }) => sum + frames.reduce((total, frame) => total + frame.length, 0), 0);
  return { fromRequestMs: nowMs - requestAtMs, fromConnectMs: nowMs - startedAtMs, bytesEach: bytes / clients };
}

/**
 * @param {Buffer[]} frames
 * @param {string} answer
 * @param {number} from
 * @param {number} to
 */
function checkMissed(frames, answer, from, to) {
  if (answer !== 'changes') throw new Error(`a client that came back got: ${answer}`);
  let last = from;
  for (const message of frames.flatMap(messagesOf)) {
    if (message.type === 'snapshot') throw new Error('a client that came back got a snapshot');
    if (message.type !== 'changes') continue;
    for (const { revision } of message.changes) {
      if (revision !== last + 1) throw new Error(`on resuming, revision ${revision} came after ${last}`);
      last = revision;
    }
  }
  if (last !== to) throw new Error(`on resuming, a client ended at revision ${last} instead of ${to}`);
}
