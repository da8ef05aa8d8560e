/** A write begins with this, then follow the number of the writer, a dash and the sequence number. */
const head = '{"type":"write","id":"w';
const dash = 0x2d;
const quote = 0x22;
const zero = 0x30;

/** @type {import('./adapters.mjs').Adapter} */
export const raw = {
  path: '/',

  async hello() {},

  async join(connection, room) {
    const joined = connection.next('member', (frame) => (frame.includes('"member"') ? true : undefined));
    connection.send(JSON.stringify({ type: 'member', room }));
    await joined;
    return 0;
  },

  async fill() {
    return 0;
  },

  write(room, writer, sequence, task, text) {
    return `${head}${writer}-${sequence}","room":"${room}","task":${task},"text":"${text}"}`;
  },

  eachAck(frame, writer, onAck) {
    let at = head.length;
    let sender = 0;
    for (; frame[at] !== dash; at += 1) sender = sender * 10 + Number(frame[at]) - zero;
    if (sender !== writer) return;
    let sequence = 0;
    for (at += 1; frame[at] !== quote; at += 1) sequence = sequence * 10 + Number(frame[at]) - zero;
    onAck(sequence);
  },

  hasChanges() {
    return true;
  },

  revisions(frame) {
    return [JSON.parse(frame.toString()).number];
  },

  async catchUp(connection) {
    const caughtUp = connection.next('plan', (frame) => frame);
    connection.send('{"type":"plan"}');
    return { frames: [await caughtUp], resume: 'snapshot', position: { epoch: '', revision: 0 } };
  },
};
