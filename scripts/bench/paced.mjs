import { adapters } from './adapters.mjs';
import { Connection, inParallel, sleep, until } from './connection.mjs';
import { Stopwatch } from './process-cpu.mjs';
import { Reader, Unacked } from './reader.mjs';
import { percentile } from './statistics.mjs';
import { eachStamp, nowMicros, stampedText } from './text.mjs';

/**
 * Writes offered at an even pace, whatever the server does: to rooms with so many members each, the first of which write.
 * @typedef {object} Paced
 * @property {import('./adapters.mjs').Kind} kind
 * @property {string} url
 * @property {number} serverPid
 * @property {number} rooms
 * @property {number} members of each room; all are subscribed
 * @property {number} writers of each room, among the members
 * @property {number} perSecond over all rooms
 * @property {number} warmUpMs
 * @property {number} measureMs
 */

/** Tasks of each room. */
const tasks = 8;
/** Members opened at the same time. */
const openingWidth = 32;
/** One member in so many has its revisions checked one by one. */
const sampledOneIn = 50;

/** @param {Paced} load */
export async function runPaced(load) {
  /** What was sent since then is measured. */
  const measure = {
    fromMicros: Number.POSITIVE_INFINITY,
    deliveries: 0,
    /** @type {number[]} */ deliveryMs: [],
    /** @type {number[]} */ ackMs: [],
  };
  const firsts = await inParallel(load.rooms, openingWidth, (room) => enterFirst(load, room, measure));
  const followers = await inParallel(load.rooms * (load.members - 1), openingWidth, (index) =>
    enter(load, index % load.rooms, 1 + Math.floor(index / load.rooms), firsts, measure),
  );
  const members = [...firsts, ...followers];
  const writers = members.filter(({ index }) => index < load.writers);

  const pacer = new Pacer(load.perSecond, (count) => writers[count % writers.length]?.write());
  pacer.start();
  await sleep(load.warmUpMs);
  measure.fromMicros = nowMicros();
  const before = { deliveries: measure.deliveries, written: pacer.count };
  const watch = new Stopwatch(load.serverPid);
  await sleep(load.measureMs);
  const measured = watch.stop();
  const deliveries = measure.deliveries - before.deliveries;
  const written = pacer.count - before.written;
  pacer.stop();

  await until(
    () => writers.every(({ unacked }) => unacked.sentAtMs.size === 0),
    () => `${writers.reduce((sum, { unacked }) => sum + unacked.sentAtMs.size, 0)} writes were never acked`,
  );
  const writtenIn = new Map();
  for (const { room, unacked } of writers) writtenIn.set(room, (writtenIn.get(room) ?? 0) + unacked.acked);
  await until(
    () =>
      members.every(
        ({ room, received, reader, start }) => received === writtenIn.get(room) && reader.revision === start + received,
      ),
    () => 'a subscriber did not get every write',
  );
  await Promise.all(members.map(({ connection }) => connection.close()));
  return {
    writtenPerSecond: written / measured.seconds,
    microsPerDelivery: (measured.serverCpuSeconds / deliveries) * 1e6,
    microsPerWrite: (measured.serverCpuSeconds / written) * 1e6,
    deliveryP50Ms: percentile(measure.deliveryMs, 0.5),
    deliveryP99Ms: percentile(measure.deliveryMs, 0.99),
    ackP50Ms: percentile(measure.ackMs, 0.5),
    ackP99Ms: percentile(measure.ackMs, 0.99),
    serverCores: measured.serverCpuSeconds / measured.seconds,
    generatorCores: measured.generatorCpuSeconds / measured.seconds,
  };
}

/** @typedef {{ fromMicros: number, deliveries: number, deliveryMs: number[], ackMs: number[] }} Measure */

/**
 * @param {Paced} load
 * @param {number} room
 * @param {Measure} measure
 */
async function enterFirst(load, room, measure) {
  const adapter = adapters[load.kind];
  const connection = await open(load, room, 0);
  await adapter.join(connection, roomName(room));
  const revision = await adapter.fill(connection, roomName(room), tasks);
  return new Member(load, connection, room, 0, revision, measure);
}

/**
 * @param {Paced} load
 * @param {number} room
 * @param {number} index
 * @param {Member[]} firsts
 * @param {Measure} measure
 */
async function enter(load, room, index, firsts, measure) {
  const connection = await open(load, room, index);
  const revision = await adapters[load.kind].join(connection, roomName(room));
  if (revision !== firsts[room]?.start)
    throw new Error(`joined at revision ${revision}, not at ${firsts[room]?.start}`);
  return new Member(load, connection, room, index, revision, measure);
}

/**
 * @param {Paced} load
 * @param {number} room
 * @param {number} index
 */
async function open(load, room, index) {
  const adapter = adapters[load.kind];
  const connection = await Connection.open(load.url + adapter.path);
  await adapter.hello(connection, `member-${room}-${index}`);
  return connection;
}

/** @param {number} room */
function roomName(room) {
  return `bench-${room}`;
}

class Member {
  /**
   * @param {Paced} load
   * @param {Connection} connection
   * @param {number} room
   * @param {number} index in its room
   * @param {number} start revision
   * @param {Measure} measure
   */
  constructor(load, connection, room, index, start, measure) {
    this.adapter = adapters[load.kind];
    this.connection = connection;
    this.room = room;
    this.index = index;
    this.start = start;
    this.received = 0;
    this.unacked = new Unacked();
    this.reader = new Reader(this.adapter, start, (room + index) % sampledOneIn === 0);
    connection.onFrame = (frame) => this.take(frame, measure);
  }

  /**
   * @param {Buffer} frame
   * @param {Measure} measure
   */
  take(frame, measure) {
    const nowMs = performance.now();
    this.reader.take(frame);
    eachStamp(frame, (sentMicros) => {
      this.received += 1;
      measure.deliveries += 1;
      if (sentMicros >= measure.fromMicros) measure.deliveryMs.push(nowMs - sentMicros / 1000);
    });
    if (this.unacked.sequence === 0) return;
    this.adapter.eachAck(frame, this.index, (sequence) => {
      const tookMs = this.unacked.take(sequence, nowMs);
      if ((nowMs - tookMs) * 1000 >= measure.fromMicros) measure.ackMs.push(tookMs);
    });
  }

  write() {
    const sequence = this.unacked.next();
    const text = stampedText(nowMicros(), this.index, sequence);
    this.connection.send(
      this.adapter.write(roomName(this.room), this.index, sequence, (sequence + this.index) % tasks, text),
    );
  }
}

/** Calls back so many times a second, evenly; what a late timer missed is made up for at once. */
class Pacer {
  /**
   * @param {number} perSecond
   * @param {(count: number) => void} onTurn
   */
  constructor(perSecond, onTurn) {
    this.perSecond = perSecond;
    this.onTurn = onTurn;
    this.count = 0;
    this.startedAtMs = 0;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
  }

  start() {
    this.startedAtMs = performance.now();
    this.timer = setInterval(() => this.catchUp(), 1);
  }

  catchUp() {
    const due = ((performance.now() - this.startedAtMs) / 1000) * this.perSecond;
    for (; this.count < due; this.count += 1) this.onTurn(this.count);
  }

  stop() {
    clearInterval(this.timer);
  }
}
