/**
 * The yardstick: the broadcast server that one writes oneself with `ws`. It parses a message, counts it, writes it as JSON
 * once and sends that to every member of the room, the sender included (its own copy is its ack). It validates nothing
 * and stores nothing. To compare snapshots it also sends a given text to whoever asks for it.
 *
 * Prints its address, as the planroom server does. The text to send comes over the IPC channel.
 */
import { WebSocketServer } from 'ws';

/** @type {Map<string, Set<import('ws').WebSocket>>} */
const rooms = new Map();
/** @type {Map<string, number>} */
const counts = new Map();
let planText = '';

process.on('message', (/** @type {{ type?: string, text?: string }} */ message) => {
  if (message.type !== 'plan') return;
  planText = message.text ?? '';
  process.send?.({ type: 'done' });
});
process.channel?.unref();

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });

server.on('connection', (client) => {
  /** @type {Set<import('ws').WebSocket> | undefined} */
  let members;
  client.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'write') {
      const number = (counts.get(message.room) ?? 0) + 1;
      counts.set(message.room, number);
      message.number = number;
      const text = JSON.stringify(message);
      for (const member of rooms.get(message.room) ?? []) member.send(text);
    } else if (message.type === 'member') {
      members = rooms.get(message.room) ?? new Set();
      rooms.set(message.room, members);
      members.add(client);
      client.send('{"type":"member"}');
    } else if (message.type === 'plan') {
      client.send(planText);
    }
  });
  client.on('close', () => members?.delete(client));
});

server.on('listening', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${address.port}`);
});
