import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../server/store/memory.ts';
import type { Append, AppendOutcome, Store } from '../../server/store/store.ts';
import { limits } from '../../shared/plan/limits.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { closeCodes } from '../../shared/protocol/close-code.ts';
import { LocalServer } from '../support/local-server.ts';
import { ProtocolClient } from '../support/protocol-client.ts';
import { clientFrame, RawSocket } from '../support/raw-socket.ts';

const add = (description: string): Mutation => ({ type: 'task.add', description });
const hello = clientFrame('{"type":"hello","protocol":1}');

describe('readers', () => {
  let server: LocalServer;

  beforeAll(async () => {
    server = await LocalServer.start();
  });

  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  function post(room: string, mutation: Mutation): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${server.url}/api/rooms/${room}/mutations`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ mutation }),
    });
  }

  /** Each Change has about 60 KB. */
  async function writeDocuments(room: string, count: number): Promise<void> {
    const writer = await ProtocolClient.hello(server.url, 'writer');
    for (let index = 0; index < count; index += 1) {
      await writer.mutate(room, { type: 'document.write', content: `${index} `.padEnd(60_000, 'x') });
    }
    await writer.close();
  }

  test('one that reads too slowly is closed with the code to resume; others get everything', async () => {
    const [slow, quick] = [await ProtocolClient.hello(server.url, 'slow'), await ProtocolClient.hello(server.url, 'q')];
    slow.send({ type: 'join', room: 'slow' });
    quick.send({ type: 'join', room: 'slow' });
    await Promise.all([slow.next('snapshot'), quick.next('snapshot')]);
    slow.socket.pause();
    // 36 MB: more than the outbox and the buffers of the system hold together.
    const revision = 600;
    await writeDocuments('slow', revision);
    await quick.settle();
    const got = quick.rest().flatMap((message) => (message.type === 'changes' ? message.changes : []));
    expect(got.map((change) => change.revision)).toEqual(Array.from({ length: revision }, (_, index) => index + 1));
    slow.socket.resume();
    expect((await slow.closed).code).toBe(closeCodes.resume);
    const read = slow.rest().flatMap((message) => (message.type === 'changes' ? message.changes : []));
    expect(read.map((change) => change.revision)).toEqual(Array.from({ length: read.length }, (_, index) => index + 1));
    expect(read.length).toBeLessThan(revision);
    await quick.close();
  });

  test('a Change larger than what may wait reaches all who read, and none of them is too slow by it', async () => {
    const readers = await Promise.all(['ann', 'bo'].map((actor) => ProtocolClient.hello(server.url, actor)));
    for (const reader of readers) reader.send({ type: 'join', room: 'loaded' });
    await Promise.all(readers.map((reader) => reader.next('snapshot')));
    const count = Math.ceil(limits.outboxBytesMax / 3_500) + 100;
    const tasks = Array.from({ length: count }, (_, index) => `- [ ] ${index} ${'x'.repeat(3_500)}`);
    const mutation: Mutation = { type: 'plan.load', markdown: `## G\n${tasks.join('\n')}` };
    const writer = await ProtocolClient.hello(server.url, 'writer');
    expect((await post('loaded', mutation)).ok).toBe(true);
    // Right behind it, while it is hardly read yet: it may wait on top of the largest one that is on its way.
    await writer.mutate('loaded', add('small'));
    for (const reader of readers) {
      const revisions: number[] = [];
      while (revisions.length < 2) {
        const { changes } = await reader.next('changes');
        revisions.push(...changes.map((change) => change.revision));
      }
      expect(revisions).toEqual([1, 2]);
      expect(reader.socket.readyState).toBe(reader.socket.OPEN);
    }
    await Promise.all([...readers, writer].map((client) => client.close()));
  });

  test('one that does not read what is that large is closed before a third waits', async () => {
    const [slow, writer] = [
      await ProtocolClient.hello(server.url, 'slow'),
      await ProtocolClient.hello(server.url, 'w'),
    ];
    slow.send({ type: 'join', room: 'unread' });
    await slow.next('snapshot');
    slow.socket.pause();
    const count = Math.ceil(limits.outboxBytesMax / 3_500) + 100;
    const tasks = Array.from({ length: count }, (_, index) => `- [ ] ${index} ${'x'.repeat(3_500)}`);
    const mutation: Mutation = { type: 'plan.load', markdown: `## G\n${tasks.join('\n')}` };
    // What the system itself holds comes on top.
    for (let index = 0; index < 5; index += 1) expect((await post('unread', mutation)).ok).toBe(true);
    await writer.mutate('unread', add('small'));
    slow.socket.resume();
    expect((await slow.closed).code).toBe(closeCodes.resume);
    const got = slow.rest().flatMap((message) => (message.type === 'changes' ? message.changes : []));
    expect(got.length).toBeLessThan(5);
    await writer.close();
  });

  test('a thousand reads of a large document are made only as fast as they are taken', async () => {
    const client = await ProtocolClient.hello(server.url);
    const content = 'y'.repeat(4 * 1024 * 1024);
    await fetch(`${server.url}/api/rooms/large/mutations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mutation: { type: 'document.write', content } }),
    });
    client.socket.pause();
    const ids = Array.from({ length: 1_000 }, (_, index) => `r${index}`);
    client.send(
      ...ids.map((id) => ({ type: 'read', id, operation: 'room.snapshot', input: { room: 'large' } }) as const),
    );
    const beside = await ProtocolClient.hello(server.url, 'beside');
    for (let index = 0; index < 20; index += 1) await beside.mutate('beside', add('goes on'));
    // 4 GB of answers are owed; a hundredth of it may be in memory.
    expect(process.memoryUsage().rss).toBeLessThan(1024 ** 3);
    client.socket.resume();
    for (const id of ids.slice(0, 20)) {
      expect((await client.next('result', (each) => each.id === id)).value).toMatchObject({ room: 'large' });
    }
    client.socket.terminate();
    await Promise.all([client.closed, beside.close()]);
  });

  test('more reads than may wait are refused one by one, and may be sent again', async () => {
    const client = await ProtocolClient.hello(server.url);
    const read = (id: string) => ({ type: 'read', id, operation: 'rooms.list' }) as const;
    const ids = Array.from({ length: 2_000 }, (_, index) => `q${index}`);
    client.send(...ids.slice(0, 1_000).map(read));
    client.send(...ids.slice(1_000).map(read));
    const answered: string[] = [];
    for (const id of ids) {
      const answer = await client.take((message) => 'id' in message && message.id === id);
      answered.push(answer.type === 'error' ? `${answer.code} ${answer.retryable}` : answer.type);
    }
    expect(new Set(answered).has('result')).toBe(true);
    expect([...new Set(answered)].filter((answer) => answer !== 'result' && answer !== 'overloaded true')).toEqual([]);
    await client.close();
  });
});

describe('heartbeat', () => {
  test('a connection that is silent is asked, and cut when nothing comes', async () => {
    const server = await LocalServer.start({ heartbeatIntervalMs: 100 });
    const raw = await RawSocket.webSocket(server.port);
    raw.write(hello);
    const polite = await ProtocolClient.hello(server.url);
    let pings = 0;
    polite.socket.on('ping', () => {
      pings += 1;
    });
    await raw.closed;
    // A ping frame without payload.
    expect(raw.bytes.includes(Buffer.from([0x89, 0x00]))).toBe(true);
    await expect.poll(() => pings).toBeGreaterThan(2);
    await polite.settle();
    expect(server.webSockets.counts.sessions).toBe(1);
    await server.close();
  });

  test('a connection that never says hello is closed, one that does stays', async () => {
    const server = await LocalServer.start({ helloTimeoutMs: 100 });
    const mute = await ProtocolClient.connect(server.url);
    const polite = await ProtocolClient.hello(server.url);
    expect((await mute.closed).code).toBe(closeCodes.timeout);
    await polite.settle();
    await server.close();
  });

  test('a server that shuts down says so', async () => {
    const server = await LocalServer.start();
    const client = await ProtocolClient.hello(server.url);
    await server.close();
    expect((await client.closed).code).toBe(closeCodes.goingAway);
  });
});

describe('bounds of one connection', () => {
  test('mutations past the bound in flight are refused, and may be sent again', async () => {
    const store = openMemoryStore();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const held: Store = Object.assign(Object.create(store) as Store, {
      append: async (append: Append): Promise<AppendOutcome> => {
        await gate;
        return store.append(append);
      },
    });
    const server = await LocalServer.start({ store: held });
    const client = await ProtocolClient.hello(server.url);
    const { mutationsInFlightPerSessionMax: most } = limits;
    const ids = Array.from({ length: most + 1 }, (_, index) => `f${index}`);
    const mutate = (id: string) => ({ type: 'mutate', room: 'flight', id, mutation: add(id) }) as const;
    client.send(...ids.slice(0, 1_000).map(mutate));
    client.send(...ids.slice(1_000).map(mutate));
    const last = `f${most}`;
    expect(await client.answer(last)).toMatchObject({ type: 'reject', code: 'overloaded', retryable: true });
    open();
    await client.answer(`f${most - 1}`);
    expect(await client.mutate('flight', add(last), last)).toMatchObject({ type: 'ack', revision: most + 1 });
    await client.close();
    await server.close();
  });

  test('a frame that comes too fast is refused whole, each request with an answer; going on ends the connection', async () => {
    const server = await LocalServer.start();
    const client = await ProtocolClient.hello(server.url);
    const ping = `[${'{"type":"ping"},'.repeat(999)}{"type":"ping"}]`;
    for (let index = 0; index < limits.messagesBurst / 1_000 + 2; index += 1) client.sendText(ping);
    const frame = [
      { type: 'mutate', room: 'rate', id: 'm', mutation: add('too fast') },
      { type: 'read', id: 'r', operation: 'rooms.list' },
      ...Array.from({ length: 900 }, () => ({ type: 'ping' })),
    ];
    client.sendText(JSON.stringify(frame));
    expect(await client.next('error', ({ id }) => id === undefined)).toMatchObject({
      code: 'rate_limited',
      retryable: true,
    });
    for (let index = 0; index < limits.faultsPerSessionMax + 40; index += 1) client.sendText(JSON.stringify(frame));
    expect((await client.closed).code).toBe(closeCodes.rateLimited);
    const answers = client.rest().filter((message) => 'id' in message && message.id !== undefined);
    expect(answers.map((message) => message.type)).toEqual(expect.arrayContaining(['reject', 'error']));
    await server.close();
  });
});
