import { fillerText } from './text.mjs';

/** Mutations of one batch while a plan is filled: keeps its frame well under the limit of 1 MiB. */
const tasksPerBatch = 1_000;

const ackMark = Buffer.from('"type":"ack"');
const idMark = Buffer.from('"id":"');
const dash = 0x2d;
const quote = 0x22;
const zero = 0x30;

/** @param {number} task */
export function taskUid(task) {
  return `bench-task-${task}`;
}

/**
 * @param {Buffer} frame
 * @returns {any[]}
 */
export function messagesOf(frame) {
  const value = JSON.parse(frame.toString());
  const messages = Array.isArray(value) ? value : [value];
  const refusal = messages.find(({ type }) => type === 'reject' || type === 'error' || type === 'deleted');
  if (refusal) throw new Error(`planroom refused: ${JSON.stringify(refusal).slice(0, 500)}`);
  return messages;
}

/** @param {Buffer} frame */
function beginning(frame) {
  return frame.toString('latin1', 0, 400);
}

/**
 * @param {import('./connection.mjs').Connection} connection
 * @param {string} room
 * @param {string} id
 * @param {object} mutation
 * @returns {Promise<any>} the ack
 */
export function mutate(connection, room, id, mutation) {
  const acked = connection.next(`ack of ${id}`, (frame) =>
    messagesOf(frame).find((message) => message.type === 'ack' && message.id === id),
  );
  connection.send(JSON.stringify({ type: 'mutate', room, id, mutation }));
  return acked;
}

/** @type {import('./adapters.mjs').Adapter} */
export const planroom = {
  path: '/ws',

  async hello(connection, actor) {
    const welcomed = connection.next('welcome', (frame) => messagesOf(frame).find(({ type }) => type === 'welcome'));
    connection.send(JSON.stringify({ type: 'hello', protocol: 1, actor }));
    await welcomed;
  },

  async join(connection, room) {
    const { position } = await planroom.catchUp(connection, room);
    return position.revision;
  },

  async fill(connection, room, tasks) {
    let revision = 0;
    for (let from = 0; from < tasks; from += tasksPerBatch) {
      const count = Math.min(tasksPerBatch, tasks - from);
      const mutations = Array.from({ length: count }, (_, index) => ({
        type: 'task.add',
        uid: taskUid(from + index),
        group: `Part ${Math.floor((from + index) / 100) + 1}`,
        description: fillerText(`Task ${from + index} of this plan`),
      }));
      const ack = await mutate(connection, room, `fill-${from}`, { type: 'batch', mutations });
      revision = ack.revision;
    }
    return revision;
  },

  write(room, writer, sequence, task, text) {
    return `{"type":"mutate","room":"${room}","id":"w${writer}-${sequence}","mutation":{"type":"task.edit","task":"${taskUid(task)}","description":"${text}"}}`;
  },

  eachAck(frame, _writer, onAck) {
    let found = false;
    for (let at = frame.indexOf(ackMark); at >= 0; at = frame.indexOf(ackMark, at)) {
      found = true;
      at = frame.indexOf(idMark, at) + idMark.length;
      while (frame[at] !== dash) at += 1;
      let sequence = 0;
      for (at += 1; frame[at] !== quote; at += 1) sequence = sequence * 10 + Number(frame[at]) - zero;
      onAck(sequence);
    }
    // Neither an ack nor Changes: it had better not be a refusal.
    if (!found && !planroom.hasChanges(frame)) messagesOf(frame);
  },

  hasChanges(frame) {
    return beginning(frame).includes('"type":"changes"');
  },

  revisions(frame) {
    const revisions = [];
    for (const message of messagesOf(frame)) {
      if (message.type === 'changes') for (const change of message.changes) revisions.push(change.revision);
    }
    return revisions;
  },

  async catchUp(connection, room, since) {
    /** @type {Buffer[]} */
    const frames = [];
    const caughtUp = connection.next(`catch-up of ${room}`, (frame) => {
      frames.push(frame);
      const head = /"type":"joined".*?"epoch":"([^"]+)","revision":(\d+).*?"resume":"(\w+)"/.exec(
        beginning(frames[0] ?? frame),
      );
      if (!head) {
        messagesOf(frame);
        return undefined;
      }
      const [, epoch = '', revision = '', resume = ''] = head;
      if (!isCaughtUp(frame, resume, revision)) return undefined;
      return { frames, resume, position: { epoch, revision: Number(revision) } };
    });
    connection.send(JSON.stringify({ type: 'join', room, ...(since && { since }) }));
    return caughtUp;
  },
};

/**
 * Whether this frame is the one that ends the catch-up.
 * @param {Buffer} frame
 * @param {string} resume
 * @param {string} revision
 */
function isCaughtUp(frame, resume, revision) {
  if (resume === 'current') return true;
  if (resume === 'snapshot') return beginning(frame).includes('"type":"snapshot"');
  return planroom.hasChanges(frame) && frame.lastIndexOf(`"revision":${revision},`) >= 0;
}
