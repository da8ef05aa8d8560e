import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../shared/plan/limits.ts';
import { closeCodes } from '../../shared/protocol/close-code.ts';
import { ProtocolClient } from '../support/protocol-client.ts';
import { clientFrame, RawSocket, upgradeRequest } from '../support/raw-socket.ts';
import { ServerProcess } from '../support/server-process.ts';

/** A real server, a plan that must not move, and an honest client beside every attack. */
let server: ServerProcess;
let honest: ProtocolClient;
let pid: number | undefined;
let port: number;
const room = 'target';

beforeAll(async () => {
  server = await ServerProcess.start();
  pid = server.pid;
  port = Number(new URL(server.url).port);
  honest = await ProtocolClient.hello(server.url, 'honest');
  await honest.mutate(room, { type: 'task.add', description: 'stays as it is' });
  honest.send({ type: 'join', room });
  await honest.next('snapshot');
  honest.rest();
});

afterAll(async () => {
  await honest.close();
  await server.dispose();
});

afterEach(async () => {
  const answer = await honest.mutate('beside', { type: 'task.add', description: 'works' });
  expect(answer.type).toBe('ack');
  await honest.settle();
  expect(honest.rest()).toEqual([]);
  const response = await fetch(`${server.url}/api/rooms/${room}`);
  expect(await response.json()).toMatchObject({ revision: 1, tasks: [{ description: 'stays as it is' }] });
  expect(server.pid).toBe(pid);
  expect(server.output).not.toContain('"level":50');
});

const helloFrame = clientFrame('{"type":"hello","protocol":1}');

async function greeted(): Promise<RawSocket> {
  const raw = await RawSocket.webSocket(port);
  raw.write(helloFrame);
  await raw.until((text) => text.includes('"welcome"'));
  return raw;
}

describe('frames that are not the WebSocket protocol end the connection with a code', () => {
  const big = 100 * 1024 * 1024;
  test.each([
    ['a header that promises 100 MB', clientFrame('x', { statedBytes: big }), closeCodes.tooLarge],
    ['a header that promises 2^62 bytes', clientFrame('x', { statedBytes: 2 ** 62 }), closeCodes.tooLarge],
    ['one byte more than the bound', clientFrame(' '.repeat(limits.frameBytesMax + 1)), closeCodes.tooLarge],
    ['no mask', clientFrame('{}', { masked: false }), closeCodes.brokenWebSocket],
    ['a reserved bit', clientFrame('{}', { reserved: 4 }), closeCodes.brokenWebSocket],
    ['an unknown opcode', clientFrame('{}', { opcode: 3 }), closeCodes.brokenWebSocket],
    ['a continuation of nothing', clientFrame('{}', { opcode: 0 }), closeCodes.brokenWebSocket],
    ['a ping of 126 bytes', clientFrame('x'.repeat(126), { opcode: 9 }), closeCodes.brokenWebSocket],
    ['a ping in fragments', clientFrame('x', { opcode: 9, final: false }), closeCodes.brokenWebSocket],
    ['a close code that is none', clientFrame(Buffer.from([0, 1]), { opcode: 8 }), closeCodes.brokenWebSocket],
    ['text that is not UTF-8', clientFrame(Buffer.from([0x22, 0xff, 0x22])), closeCodes.badText],
    ['half a surrogate pair as bytes', clientFrame(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), closeCodes.badText],
  ])('%s', async (_name, frame, code) => {
    const raw = await greeted();
    raw.write(frame);
    expect(await raw.closeCode()).toBe(code);
  });

  test('a flood of fragments', async () => {
    const raw = await greeted();
    raw.write(clientFrame('[', { final: false }));
    const piece = clientFrame(' ', { opcode: 0, final: false });
    raw.write(Buffer.concat(Array.from({ length: 10_000 }, () => piece)));
    expect(await raw.closeCode()).toBe(closeCodes.tooManyFragments);
  });

  test('100 MB that really come', async () => {
    const raw = await greeted();
    raw.write(clientFrame('', { statedBytes: big }));
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < 100 && !raw.socket.destroyed; sent += 1) raw.write(piece);
    expect(await raw.closeCode()).toBe(closeCodes.tooLarge);
  });

  test('a message of as many fragments as may be is taken', async () => {
    const raw = await greeted();
    const text = '{"type":"ping"}'.padEnd(limits.frameFragmentsMax, ' ');
    for (let index = 0; index < text.length; index += 1) {
      raw.write(clientFrame(text[index] ?? '', { opcode: index === 0 ? 1 : 0, final: index === text.length - 1 }));
    }
    expect(await raw.until((received) => received.includes('pong'))).toContain('pong');
    raw.reset();
  });
});

const add = `{"type":"mutate","room":"${room}","id":"h","mutation":{"type":"task.add","description":"hostile"`;

describe('messages that are not the protocol get an error that says what is allowed', () => {
  test.each([
    ['not JSON', '{', 'bad_frame'],
    ['nothing', '', 'bad_frame'],
    ['a hundred thousand brackets', '['.repeat(100_000), 'too_deep'],
    ['a hundred thousand pairs of them', '['.repeat(100_000) + ']'.repeat(100_000), 'too_deep'],
    ['a hundred thousand objects', '{"a":'.repeat(100_000), 'too_deep'],
    ['depth behind a string', `{"a":"]]]]\\"[","b":${'['.repeat(17)}`, 'too_deep'],
    ['more messages than a frame may hold', `[${'0,'.repeat(limits.messagesPerFrameMax)}0]`, 'too_large'],
    ['a number', '7', 'bad_message'],
    ['null', 'null', 'bad_message'],
    ['an unknown type', '{"type":"shout"}', 'bad_message'],
    ['a type of 1 MB', `{"type":"${'x'.repeat(1_000_000)}"}`, 'bad_message'],
    ['an unknown field', '{"type":"ping","loud":true}', 'bad_message'],
    [
      'ten thousand unknown fields',
      `{"type":"ping",${Array.from({ length: 10_000 }, (_, i) => `"k${i}":0`)}}`,
      'bad_message',
    ],
    ['an infinite number', `{"type":"join","room":"${room}","since":{"epoch":"e","revision":1e400}}`, 'bad_message'],
    ['a revision below zero', `{"type":"join","room":"${room}","since":{"epoch":"e","revision":-1}}`, 'bad_message'],
    ['half a revision', `{"type":"join","room":"${room}","since":{"epoch":"e","revision":0.5}}`, 'bad_message'],
    ['__proto__', `${add}},"__proto__":{"admin":true}}`, 'bad_message'],
    ['__proto__ inside', `${add},"__proto__":{"x":1}}}`, 'bad_message'],
    ['__proto__ in disguise', `${add},"\\u005f_proto__":{"x":1}}}`, 'bad_message'],
    ['constructor', `${add}},"constructor":{"prototype":{}}}`, 'bad_message'],
    ['half a surrogate pair', `${add},"group":"\\ud800"}}`, 'bad_message'],
    ['an id of 1 MB', add.replace('"h"', `"${'i'.repeat(1_000_000)}"`).concat('}}'), 'bad_message'],
    ['an id with a line break', add.replace('"h"', '"h\\n"').concat('}}'), 'bad_message'],
    ['a room name of 900 KB', add.replace(room, 'r'.repeat(900_000)).concat('}}'), 'bad_room_name'],
    ['a room named __proto__', '{"type":"join","room":"__proto__"}', 'bad_room_name'],
    ['a room named ../x', '{"type":"join","room":"../x"}', 'bad_room_name'],
    ['an actor of 129 bytes', `{"type":"hello","protocol":1,"actor":"${'é'.repeat(65)}"}`, 'bad_message'],
    ['an operation that is not there', '{"type":"read","id":"h","operation":"__proto__"}', 'unknown_operation'],
    [
      'an operation with an effect as a read',
      '{"type":"read","id":"h","operation":"room.delete"}',
      'unknown_operation',
    ],
    ['an operation without its input', '{"type":"read","id":"h","operation":"room.snapshot"}', 'bad_room_name'],
    ['a description over its bound', `${add.replace('hostile', 'x'.repeat(5_000))}}}`, 'too_long'],
    [
      'a batch over its bound',
      `{"type":"mutate","room":"${room}","id":"h","mutation":{"type":"batch","mutations":[${'0,'.repeat(1_000)}0]}}`,
      'bad_message',
    ],
  ])('%s', async (_name, text, code) => {
    const client = await ProtocolClient.hello(server.url, 'hostile');
    client.sendText(text);
    await client.settle();
    const [answer, ...more] = client.rest();
    expect(answer).toMatchObject({ code, retryable: false, message: expect.stringMatching(/.{10,2000}/) });
    expect(more).toEqual([]);
    await client.close();
  });

  test('a binary frame', async () => {
    const client = await ProtocolClient.hello(server.url, 'hostile');
    client.sendText(Buffer.from('{"type":"ping"}'));
    expect(await client.next('error')).toMatchObject({ code: 'bad_frame' });
    await client.close();
  });

  test('one faulty message does not spoil the others of its frame, and is answered under its id', async () => {
    const client = await ProtocolClient.hello(server.url, 'hostile');
    client.sendText(`[{"type":"ping"},${add},"group":"\\ud800"}},{"type":"read","id":"r","operation":"rooms.list"}]`);
    await client.next('pong');
    expect(await client.next('reject')).toMatchObject({ id: 'h', room, code: 'bad_message' });
    await client.next('result', ({ id }) => id === 'r');
    await client.close();
  });

  test('an error repeats no more of what was sent than helps', async () => {
    const client = await ProtocolClient.hello(server.url, 'hostile');
    client.sendText(`{"type":"ping","${'k'.repeat(900_000)}":1}`);
    expect(JSON.stringify(await client.next('error')).length).toBeLessThan(2_000);
    await client.close();
  });
});

describe('abuse that goes on ends the connection', () => {
  test.each([
    ['garbage', 'garbage'],
    ['unknown types', '{"type":"shout"}'],
    ['deep nesting', '['.repeat(100_000)],
  ])('%s', async (_name, text) => {
    const client = await ProtocolClient.hello(server.url, 'hostile');
    for (let index = 0; index <= limits.faultsPerSessionMax; index += 1) client.sendText(text);
    expect((await client.closed).code).toBe(closeCodes.protocolFault);
  });

  test('no hello', async () => {
    const client = await ProtocolClient.connect(server.url);
    client.sendText(`${add}}}`);
    expect((await client.closed).code).toBe(closeCodes.protocolFault);
  });

  test('as many faults as are borne leave it open', async () => {
    const client = await ProtocolClient.hello(server.url, 'hostile');
    for (let index = 0; index < limits.faultsPerSessionMax; index += 1) client.sendText('garbage');
    await client.settle();
    await client.close();
  });
});

describe('bytes that are not HTTP', () => {
  test.each([
    ['noise', Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7919) % 256))],
    ['TLS', Buffer.from('16030100ff010000fb0303', 'hex')],
    [
      'two lengths',
      'POST /api/rooms/x/mutations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    ],
    [
      'a length and chunks',
      'POST /api/rooms/x/mutations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a header of 1 MB', `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    ['a target of 1 MB', `GET /${'x'.repeat(1_000_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ])('%s', async (_name, bytes) => {
    const raw = await RawSocket.open(port);
    raw.write(bytes);
    await raw.until((text) => text !== '');
    raw.reset();
    await raw.closed;
  });

  test('connections that are reset at every point of the handshake', async () => {
    const whole = Buffer.concat([
      Buffer.from(upgradeRequest('/ws')),
      helloFrame,
      clientFrame(`{"type":"join","room":"${room}"}`),
    ]);
    for (let sent = 1; sent < whole.length; sent += 7) {
      const raw = await RawSocket.open(port);
      raw.write(whole.subarray(0, sent));
      if (sent % 2 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      raw.reset();
      await raw.closed;
    }
  });

  test('an upgrade of a path where nothing is, reset at once', async () => {
    for (let round = 0; round < 100; round += 1) {
      const raw = await RawSocket.open(port);
      raw.write(upgradeRequest('/nothing'));
      if (round % 2 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      raw.reset();
      await raw.closed;
    }
  });
});

test('the server ends in good order after all of it', async () => {
  const other = await ServerProcess.start();
  const client = await ProtocolClient.hello(other.url);
  const raw = await RawSocket.webSocket(Number(new URL(other.url).port));
  await other.stop();
  expect((await client.closed).code).toBe(closeCodes.goingAway);
  raw.socket.destroy();
  await other.dispose();
});
