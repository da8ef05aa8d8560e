import { newFolder, removeFolder, startPlanroom } from './processes.mjs';
import { boundRow, ratioRow } from './report.mjs';

/** @typedef {import('./context.mjs').Context} Context */
/** @typedef {import('./processes.mjs').Server} Server */
/** @typedef {import('./report.mjs').Row} Row */

const room = 'bench';
const tasks = 1_000;
const clients = 200;
const missedChanges = 500;
const idleConnections = 2_000;
/** So many that what the heap grows by once, some megabytes, weighs little. */
const manyIdleConnections = 8_000;
/** Connections that are there before the first reading, so that what is loaded on first use is not counted. */
const idleWarmUp = 200;
const newcomersCounted = 30;
const newcomersSkipped = 10;

/**
 * Memory of a connection that says nothing.
 * @param {Context} context
 * @returns {Promise<Row[]>}
 */
export async function memory(context) {
  const measure = async (/** @type {Server} */ server) => {
    const { kind, url } = server;
    await context.generator.run('openIdle', { kind, url, count: idleWarmUp });
    const before = await server.memory();
    await context.generator.run('openIdle', { kind, url, count: idleConnections });
    const after = await server.memory();
    await context.generator.run('openIdle', { kind, url, count: manyIdleConnections - idleConnections });
    const many = await server.memory();
    await context.generator.run('closeIdle', {});
    return {
      residentBytes: (after.resident - before.resident) / idleConnections,
      manyResidentBytes: (many.resident - before.resident) / manyIdleConnections,
      heapBytes: (many.heap - before.heap) / manyIdleConnections,
    };
  };
  const { planroom, raw } = await context.compare('memory', {
    planroom: () => context.withPlanroom(measure),
    raw: () => context.withRaw(measure),
  });
  return [
    ratioRow('memory', 'resident per idle connection, of 2,000, bytes', planroom.residentBytes, raw.residentBytes, 1.3),
    ratioRow('memory', 'the same, of 8,000', planroom.manyResidentBytes, raw.manyResidentBytes),
    ratioRow('memory', 'JavaScript heap per idle connection, bytes', planroom.heapBytes, raw.heapBytes),
  ];
}

/**
 * A new client gets a plan of 1,000 tasks; from a running server and from one just restarted.
 * @param {Context} context
 * @returns {Promise<Row[]>}
 */
export async function snapshot(context) {
  const load = { room, count: newcomersCounted, skip: newcomersSkipped };
  const text = await planText(context, 0);
  const { planroom, restarted, raw } = await context.compare('snapshot', {
    planroom: () =>
      context.withPlanroom(async ({ kind, url }) => {
        await context.generator.run('prepare', { kind, url, room, tasks });
        return context.generator.run('newcomers', { ...load, kind, url });
      }),
    restarted: () => afterRestart(context),
    raw: () =>
      context.withRaw(async (server) => {
        await server.ask({ type: 'plan', text });
        return context.generator.run('newcomers', { ...load, kind: 'raw', url: server.url });
      }),
  });
  const name = 'snapshot';
  return [
    {
      ...ratioRow(name, 'plan of 1,000 tasks, from its request, ms', planroom.fromRequestMs, raw.fromRequestMs, 1.5),
      remark: `${planroom.bytes} bytes from planroom, ${raw.bytes} from raw.`,
    },
    ratioRow(name, 'the same, from connecting, ms', planroom.fromConnectMs, raw.fromConnectMs, 1.5),
    boundRow(name, 'just restarted, from connecting, ms', restarted.fromConnectMs, Number.NaN, 50),
    ratioRow(name, 'just restarted, from its request, ms', restarted.fromRequestMs, Number.NaN),
  ];
}

/** @param {Context} context */
async function afterRestart(context) {
  const folder = await newFolder();
  const first = await startPlanroom(folder, context.entry);
  await context.generator.run('prepare', { kind: 'planroom', url: first.url, room, tasks });
  await first.stop();
  const second = await startPlanroom(folder, context.entry);
  const job = { kind: 'planroom', url: second.url, room, count: 1, skip: 0 };
  const result = await context.generator.run('newcomers', job);
  await second.stop();
  await removeFolder(folder);
  return result;
}

/**
 * 200 clients come back after 500 Changes; the raw server sends everyone the whole plan.
 * @param {Context} context
 * @returns {Promise<Row[]>}
 */
export async function resume(context) {
  const text = await planText(context, missedChanges);
  const { planroom, raw } = await context.compare('resume', {
    planroom: () =>
      context.withPlanroom(async ({ kind, url }) => {
        const since = await context.generator.run('prepare', { kind, url, room, tasks });
        const { revision } = await context.generator.run('work', { kind, url, room, changes: missedChanges });
        return context.generator.run('resume', { kind, url, room, clients, since, revision });
      }),
    raw: () =>
      context.withRaw(async (server) => {
        await server.ask({ type: 'plan', text });
        return context.generator.run('resume', { kind: 'raw', url: server.url, room, clients });
      }),
  });
  const name = 'resume';
  return [
    {
      ...ratioRow(name, '200 clients current, from their requests, ms', planroom.fromRequestMs, raw.fromRequestMs, 0.4),
      remark: `${Math.round(planroom.bytesEach)} bytes to each from planroom, ${Math.round(raw.bytesEach)} from raw.`,
    },
    ratioRow(name, 'the same, from connecting, ms', planroom.fromConnectMs, raw.fromConnectMs),
  ];
}

/**
 * The text in which planroom sends the plan, for the raw server to send.
 * @param {Context} context
 * @param {number} changes made to it before
 * @returns {Promise<string>}
 */
function planText(context, changes) {
  return context.withPlanroom(async ({ kind, url }) => {
    await context.generator.run('prepare', { kind, url, room, tasks });
    await context.generator.run('work', { kind, url, room, changes });
    const job = { kind, url, room, count: 1, skip: 0, wantsText: true };
    const { text } = await context.generator.run('newcomers', job);
    return text;
  });
}
