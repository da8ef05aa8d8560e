import { adapters } from './adapters.mjs';
import { Connection, sleep, until } from './connection.mjs';
import { Stopwatch } from './process-cpu.mjs';
import { Reader, Unacked } from './reader.mjs';
import { percentile } from './statistics.mjs';
import { nowMicros, stampedText } from './text.mjs';

/**
 * One room, writers that keep so many writes in flight, and more subscribers; every writer is subscribed too.
 * @typedef {object} ClosedLoop
 * @property {import('./adapters.mjs').Kind} kind
 * @property {string} url
 * @property {number} serverPid
 * @property {number} writers
 * @property {number} inFlight of each writer
 * @property {number} subscribers beside the writers
 * @property {number} tasks of the plan
 * @property {boolean} [batched] whether what a writer writes in one tick travels as one frame
 * @property {number} warmUpMs
 * @property {number} measureMs
 */

const room = 'bench';
/** Each writer edits so many tasks of its own, in turn. */
const tasksPerWriter = 10;

/** @param {ClosedLoop} load */
export async function runClosedLoop(load) {
  const adapter = adapters[load.kind];
  const first = await enter(load, 0);
  await adapter.join(first, room);
  const start = await adapter.fill(first, room, load.tasks);
  const others = await joinOthers(load, start);
  const state = { isRunning: true, acked: 0, /** @type {number[]} */ latencies: [] };
  const readers = [
    new Reader(adapter, start, true),
    ...others.map((_, index) => new Reader(adapter, start, index === others.length - 1)),
  ];
  const connections = [first, ...others];
  const writers = connections.slice(0, load.writers).map((connection, index) => {
    return new Writer(load, connection, index, /** @type {Reader} */ (readers[index]), state);
  });
  connections.slice(load.writers).forEach((connection, index) => {
    const reader = readers[load.writers + index];
    connection.onFrame = (frame) => reader?.take(frame);
  });

  for (const writer of writers) writer.send(load.inFlight);
  await sleep(load.warmUpMs);
  state.latencies = [];
  const ackedBefore = state.acked;
  const watch = new Stopwatch(load.serverPid);
  await sleep(load.measureMs);
  const measured = watch.stop();
  const acked = state.acked - ackedBefore;
  const { latencies } = state;
  state.isRunning = false;

  const written = () => writers.reduce((sum, writer) => sum + writer.unacked.sequence, 0);
  await until(
    () => state.acked === written(),
    () => `${written() - state.acked} writes were never acked`,
  );
  const end = start + written();
  await until(
    () => readers.every((reader) => reader.revision === end),
    () => `subscribers ended at ${readers.map((reader) => reader.revision).join(' ')} instead of ${end}`,
  );
  await Promise.all(connections.map((connection) => connection.close()));
  return {
    ackedPerSecond: acked / measured.seconds,
    microsPerAck: (measured.serverCpuSeconds / acked) * 1e6,
    serverCores: measured.serverCpuSeconds / measured.seconds,
    generatorCores: measured.generatorCpuSeconds / measured.seconds,
    ackP50Ms: percentile(latencies, 0.5),
    ackP99Ms: percentile(latencies, 0.99),
    acked,
  };
}

/**
 * @param {ClosedLoop} load
 * @param {number} index
 */
async function enter(load, index) {
  const adapter = adapters[load.kind];
  const connection = await Connection.open(load.url + adapter.path);
  await adapter.hello(connection, `member-${index}`);
  return connection;
}

/**
 * @param {ClosedLoop} load
 * @param {number} revision
 */
function joinOthers(load, revision) {
  const count = load.writers + load.subscribers - 1;
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const connection = await enter(load, index + 1);
      const joinedAt = await adapters[load.kind].join(connection, room);
      if (joinedAt !== revision) throw new Error(`joined at revision ${joinedAt} instead of ${revision}`);
      return connection;
    }),
  );
}

class Writer {
  /**
   * @param {ClosedLoop} load
   * @param {Connection} connection
   * @param {number} index
   * @param {Reader} reader
   * @param {{ isRunning: boolean, acked: number, latencies: number[] }} state
   */
  constructor(load, connection, index, reader, state) {
    this.load = load;
    this.adapter = adapters[load.kind];
    this.connection = connection;
    this.index = index;
    this.state = state;
    this.unacked = new Unacked();
    connection.onFrame = (frame) => {
      reader.take(frame);
      this.takeAcks(frame);
    };
  }

  /** @param {Buffer} frame */
  takeAcks(frame) {
    const { state } = this;
    const nowMs = performance.now();
    const before = this.unacked.acked;
    this.adapter.eachAck(frame, this.index, (sequence) => {
      state.latencies.push(this.unacked.take(sequence, nowMs));
    });
    const count = this.unacked.acked - before;
    state.acked += count;
    if (state.isRunning && count > 0) this.send(count);
  }

  /** @param {number} count */
  send(count) {
    const texts = Array.from({ length: count }, () => this.write());
    if (this.load.batched && count > 1) this.connection.send(`[${texts.join(',')}]`);
    else for (const text of texts) this.connection.send(text);
  }

  write() {
    const sequence = this.unacked.next();
    const { tasks, writers } = this.load;
    const stride = Math.max(1, Math.floor(tasks / (writers * tasksPerWriter)));
    const task = ((this.index * tasksPerWriter + (sequence % tasksPerWriter)) * stride) % tasks;
    return this.adapter.write(room, this.index, sequence, task, stampedText(nowMicros(), this.index, sequence));
  }
}
