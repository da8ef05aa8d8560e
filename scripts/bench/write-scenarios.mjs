import { boundRow, ratioRow } from './report.mjs';

/** @typedef {import('./context.mjs').Context} Context */
/** @typedef {import('./report.mjs').Row} Row */

const warmUpMs = 1_500;
const measureMs = 3_000;

/** A load generator that uses so much of a core while the server uses less than that is what limits the writes. */
const generatorFullCores = 0.9;
const serverFreeCores = 0.85;

/**
 * How long one commit takes: a lone writer that waits for each ack.
 * @param {Context} context
 * @returns {Promise<Row[]>}
 */
export async function commit(context) {
  const load = { writers: 1, inFlight: 1, subscribers: 0, tasks: 10, warmUpMs: 500, measureMs: 1_500 };
  const { planroom, raw } = await context.compare('commit', {
    planroom: () => context.runOn('planroom', 'closedLoop', load),
    raw: () => context.runOn('raw', 'closedLoop', load),
  });
  context.commitMs = planroom.ackP50Ms;
  return [
    ratioRow('commit', 'one commit: ack to a lone writer, median, ms', context.commitMs, raw.ackP50Ms),
    ratioRow('commit', 'the same, p99, ms', planroom.ackP99Ms, raw.ackP99Ms),
  ];
}

/**
 * 8 writers with 16 writes in flight each, and 8 more subscribers.
 * @param {Context} context
 * @returns {Promise<Row[]>}
 */
export async function fanout(context) {
  const load = { writers: 8, inFlight: 16, subscribers: 8, tasks: 80, warmUpMs, measureMs };
  const { planroom, batched, raw } = await context.compare('fanout', {
    planroom: () => context.runOn('planroom', 'closedLoop', load),
    batched: () => context.runOn('planroom', 'closedLoop', { ...load, batched: true }),
    raw: () => context.runOn('raw', 'closedLoop', load),
  });
  const name = 'fanout';
  const more = planroom.ackedPerSecond / raw.ackedPerSecond;
  const generatorIsFull = planroom.generatorCores > generatorFullCores && planroom.serverCores < serverFreeCores;
  return [
    ratioRow(name, 'server CPU per acked write, us', planroom.microsPerAck, raw.microsPerAck, 0.25),
    ratioRow(name, 'the same, the aim', planroom.microsPerAck, raw.microsPerAck, 0.1),
    {
      ...ratioRow(name, 'acked writes a second', planroom.ackedPerSecond, raw.ackedPerSecond),
      wanted: 'ratio >= 3, or the load generator full',
      reached: more >= 3 || generatorIsFull,
      remark: `the load generator used ${share(planroom)} with planroom, ${share(batched)} with frames of a tick's writes and ${share(raw)} with raw.`,
    },
    ratioRow(name, "one frame for a tick's writes: CPU per acked write, us", batched.microsPerAck, raw.microsPerAck),
    ratioRow(name, "one frame for a tick's writes: acked a second", batched.ackedPerSecond, raw.ackedPerSecond),
    ratioRow(name, 'ack p99, ms', planroom.ackP99Ms, raw.ackP99Ms),
  ];
}

/** @param {{ generatorCores: number, serverCores: number }} cores */
function share({ generatorCores, serverCores }) {
  return `${generatorCores.toFixed(2)} cores (server ${serverCores.toFixed(2)})`;
}

/**
 * 200 subscribers, 200 writes a second.
 * @param {Context} context
 * @returns {Promise<Row[]>}
 */
export async function delivery(context) {
  const load = { rooms: 1, members: 200, writers: 4, perSecond: 200, warmUpMs, measureMs };
  const { planroom, raw } = await pacedPair(context, 'delivery', load);
  const name = 'delivery';
  return [
    boundRow(
      name,
      "delivery p99, ms (wanted: raw's + one commit)",
      planroom.deliveryP99Ms,
      raw.deliveryP99Ms,
      raw.deliveryP99Ms + context.commitMs,
    ),
    ratioRow(name, 'delivery median, ms', planroom.deliveryP50Ms, raw.deliveryP50Ms),
    {
      ...ratioRow(name, 'server CPU per delivery, us', planroom.microsPerDelivery, raw.microsPerDelivery, 0.7),
      remark: `the load generator used ${share(planroom)} with planroom and ${share(raw)} with raw.`,
    },
  ];
}

/**
 * 200 rooms, 2,000 writes a second offered. That every write is accepted the load generator makes sure of.
 * @param {Context} context
 * @returns {Promise<Row[]>}
 */
export async function rooms(context) {
  const load = { rooms: 200, members: 1, writers: 1, perSecond: 2_000, warmUpMs, measureMs };
  const { planroom, raw } = await pacedPair(context, 'rooms', load);
  const name = 'rooms';
  return [
    {
      ...boundRow(
        name,
        'ack p99, ms (wanted: 25 + one commit)',
        planroom.ackP99Ms,
        raw.ackP99Ms,
        25 + context.commitMs,
      ),
      remark: `the load generator used ${share(planroom)} with planroom and ${share(raw)} with raw.`,
    },
    ratioRow(name, 'ack median, ms', planroom.ackP50Ms, raw.ackP50Ms),
    {
      ...ratioRow(name, 'accepted a second', planroom.writtenPerSecond, raw.writtenPerSecond),
      wanted: 'all offered',
      reached: planroom.writtenPerSecond >= 0.98 * load.perSecond,
    },
    ratioRow(name, 'server CPU per write, us', planroom.microsPerWrite, raw.microsPerWrite),
  ];
}

/**
 * @param {Context} context
 * @param {string} title
 * @param {object} load
 * @returns {Promise<{ planroom: any, raw: any }>}
 */
function pacedPair(context, title, load) {
  return context.compare(title, {
    planroom: () => context.runOn('planroom', 'paced', load),
    raw: () => context.runOn('raw', 'paced', load),
  });
}

/**
 * The same load on a plan of 100 tasks and on one of 10,000; no subscribers but the writers.
 * @param {Context} context
 * @returns {Promise<Row[]>}
 */
export async function size(context) {
  const load = { writers: 4, inFlight: 16, subscribers: 0, warmUpMs, measureMs };
  const { large, small } = await context.compare('size', {
    large: () => context.runOn('planroom', 'closedLoop', { ...load, tasks: 10_000 }),
    small: () => context.runOn('planroom', 'closedLoop', { ...load, tasks: 100 }),
  });
  const figure = 'server CPU per write at 10,000 tasks, us (raw: at 100 tasks)';
  return [ratioRow('size', figure, large.microsPerAck, small.microsPerAck, 1.5)];
}
