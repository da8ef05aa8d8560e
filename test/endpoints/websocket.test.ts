import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemoryStore } from '../../server/store/memory.ts';
import type { Store } from '../../server/store/store.ts';
import { limits } from '../../shared/plan/limits.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { closeCodes } from '../../shared/protocol/close-code.ts';
import { protocolVersion } from '../../shared/protocol/version.ts';
import { LocalServer } from '../support/local-server.ts';
import { ProtocolClient, welcomeOf } from '../support/protocol-client.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start();
});

afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

const add = (description: string): Mutation => ({ type: 'task.add', description });

test('hello is answered by a welcome that names the actor and the bounds', async () => {
  const { frameBytesMax, messagesPerFrameMax, mutationsInFlightPerSessionMax, heartbeatIntervalMs } = limits;
  const welcome = await welcomeOf(server.url, { type: 'hello', protocol: protocolVersion, actor: 'bo', client: 't/1' });
  expect(welcome).toMatchObject({ protocol: protocolVersion, server: 'test', actor: 'bo' });
  expect(welcome.limits).toEqual({
    frameBytesMax,
    messagesPerFrameMax,
    mutationsInFlightPerSessionMax,
    heartbeatIntervalMs,
  });
  expect((await welcomeOf(server.url, { type: 'hello', protocol: protocolVersion })).actor).toBe('guest');
});

test('a second hello is a fault that leaves the session as it was', async () => {
  const client = await ProtocolClient.hello(server.url);
  client.send({ type: 'hello', protocol: protocolVersion, actor: 'other' });
  expect(await client.next('error')).toMatchObject({ code: 'hello_repeated', retryable: false });
  await client.mutate('hello-twice', add('still ann'));
  client.send({ type: 'read', id: 'r', operation: 'room.snapshot', input: { room: 'hello-twice' } });
  expect((await client.next('result')).value).toMatchObject({ tasks: [{ createdBy: 'ann' }] });
  await client.close();
});

test('a version that the server does not speak is refused, and a right hello behind it comes too late', async () => {
  const client = await ProtocolClient.connect(server.url);
  client.send({ type: 'hello', protocol: 99 }, { type: 'hello', protocol: protocolVersion });
  expect(await client.next('error')).toMatchObject({
    code: 'unsupported_version',
    facts: { supported: [protocolVersion] },
  });
  expect((await client.closed).code).toBe(closeCodes.refused);
});

test('without hello nothing is done, not even for what stands behind it in the frame', async () => {
  const client = await ProtocolClient.connect(server.url);
  client.send(
    { type: 'join', room: 'no-hello' },
    { type: 'hello', protocol: protocolVersion },
    { type: 'mutate', room: 'no-hello', id: 'm', mutation: add('must not be') },
  );
  expect(await client.next('error')).toMatchObject({ code: 'hello_required' });
  expect((await client.closed).code).toBe(closeCodes.protocolFault);
  expect((await fetch(`${server.url}/api/rooms/no-hello`)).status).toBe(404);
});

test('join brings a snapshot, then every Change in order, each before its Ack', async () => {
  const client = await ProtocolClient.hello(server.url);
  client.send({ type: 'join', room: 'order' });
  const joined = await client.next('joined');
  expect(joined).toMatchObject({ room: 'order', revision: 0, mode: 'delta', resume: 'snapshot' });
  expect((await client.next('snapshot')).plan).toMatchObject({ room: 'order', epoch: joined.epoch, tasks: [] });
  for (let index = 1; index <= 5; index += 1) {
    client.send({ type: 'mutate', room: 'order', id: `o${index}`, mutation: add(`task ${index}`) });
  }
  await client.answer('o5');
  const seen = client.rest();
  const revisions = seen.flatMap((message) =>
    message.type === 'changes' ? message.changes.map(({ revision }) => revision) : [],
  );
  expect(revisions).toEqual([1, 2, 3, 4, 5]);
  for (const [index, message] of seen.entries()) {
    if (message.type !== 'ack') continue;
    const before = seen.slice(0, index).flatMap((each) => (each.type === 'changes' ? each.changes : []));
    expect(before.map(({ revision }) => revision)).toContain(message.revision);
  }
  await client.close();
});

test('an Ack says what was made, and what to mind', async () => {
  const client = await ProtocolClient.hello(server.url);
  const ack = await client.mutate('acks', { type: 'task.add', description: 'a', dependsOn: ['task-9'] });
  expect(ack).toMatchObject({ type: 'ack', revision: 1, created: [{ id: 'task-1' }] });
  expect(ack).toMatchObject({ nags: [{ code: 'unknown_dependency' }] });
  const reject = await client.mutate('acks', { type: 'task.start', task: 'task-7' });
  expect(reject).toMatchObject({ type: 'reject', room: 'acks', code: 'task_not_found', retryable: false });
  await client.close();
});

test('leave ends the stream and says so; a room that is not joined cannot be left', async () => {
  const [ann, bo] = [await ProtocolClient.hello(server.url, 'ann'), await ProtocolClient.hello(server.url, 'bo')];
  ann.send({ type: 'join', room: 'leaving' });
  await ann.next('snapshot');
  ann.send({ type: 'leave', room: 'leaving' });
  await ann.next('left');
  ann.rest();
  await bo.mutate('leaving', add('unseen'));
  await ann.settle();
  expect(ann.rest()).toEqual([]);
  ann.send({ type: 'leave', room: 'leaving' });
  expect(await ann.next('error')).toMatchObject({ code: 'not_joined', facts: { room: 'leaving' } });
  await Promise.all([ann.close(), bo.close()]);
});

test('leaving while the join is under way leaves no subscription', async () => {
  const client = await ProtocolClient.hello(server.url);
  client.send({ type: 'join', room: 'hasty' }, { type: 'leave', room: 'hasty' });
  await client.next('left');
  await client.mutate('hasty', add('unseen'));
  expect(client.rest().filter(({ type }) => type !== 'left')).toEqual([]);
  await client.close();
});

test('a join again takes the place of the first one, in the new mode and from the new position', async () => {
  const client = await ProtocolClient.hello(server.url);
  client.send({ type: 'join', room: 'again' });
  const { epoch } = await client.next('joined');
  await client.mutate('again', add('one'));
  client.rest();
  client.send({ type: 'join', room: 'again', mode: 'notice', since: { epoch, revision: 1 } });
  expect(await client.next('joined')).toMatchObject({ mode: 'notice', resume: 'current', revision: 1 });
  await client.mutate('again', add('two'));
  expect(client.rest()).toEqual([{ type: 'notice', room: 'again', action: 'task.add', revision: 2 }]);
  client.send({ type: 'join', room: 'again', since: { epoch, revision: 1 } });
  expect(await client.next('joined')).toMatchObject({ mode: 'delta', resume: 'changes', revision: 2 });
  expect((await client.next('changes')).changes.map(({ revision }) => revision)).toEqual([2]);
  await client.mutate('again', add('three'));
  expect(client.rest().map(({ type }) => type)).toEqual(['changes']);
  await client.close();
});

test('in notice mode nothing is told but room, action and revision', async () => {
  const [ann, bo] = [await ProtocolClient.hello(server.url, 'ann'), await ProtocolClient.hello(server.url, 'bo')];
  bo.send({ type: 'join', room: 'quiet', mode: 'notice' });
  await bo.next('joined');
  await ann.mutate('quiet', add('secret'));
  await ann.mutate('quiet', { type: 'task.complete', task: 'task-1' });
  await bo
    .next('notice', ({ revision }) => revision === 2)
    .then((notice) => {
      expect(notice).toEqual({ type: 'notice', room: 'quiet', action: 'task.complete', revision: 2 });
    });
  expect(bo.rest()).toEqual([{ type: 'notice', room: 'quiet', action: 'task.add', revision: 1 }]);
  await Promise.all([ann.close(), bo.close()]);
});

test('mutations of one tick reach a subscriber as one changes message in one frame', async () => {
  const [ann, bo] = [await ProtocolClient.hello(server.url, 'ann'), await ProtocolClient.hello(server.url, 'bo')];
  bo.send({ type: 'join', room: 'burst' });
  await bo.next('snapshot');
  const frames = bo.frameSizes.length;
  const ids = Array.from({ length: 200 }, (_, index) => `b${index}`);
  ann.send(...ids.map((id) => ({ type: 'mutate', room: 'burst', id, mutation: add(id) }) as const));
  const { changes } = await bo.next('changes');
  expect(changes).toHaveLength(200);
  expect(bo.frameSizes.slice(frames)).toEqual([1]);
  await ann.answer('b199');
  expect(ann.frameSizes.at(-1)).toBe(200);
  await Promise.all([ann.close(), bo.close()]);
});

test('several rooms on one connection do not mix', async () => {
  const client = await ProtocolClient.hello(server.url);
  client.send({ type: 'join', room: 'room-a' }, { type: 'join', room: 'room-b' });
  await client.next('snapshot', ({ plan }) => plan.room === 'room-a');
  await client.next('snapshot', ({ plan }) => plan.room === 'room-b');
  await client.mutate('room-a', add('in a'));
  await client.mutate('room-b', add('in b'));
  expect(await client.next('changes', ({ room }) => room === 'room-a')).toMatchObject({ changes: [{ revision: 1 }] });
  expect(await client.next('changes', ({ room }) => room === 'room-b')).toMatchObject({ changes: [{ revision: 1 }] });
  await client.close();
});

test('ping is answered, an empty frame is nothing', async () => {
  const client = await ProtocolClient.hello(server.url);
  client.sendText('[]');
  client.send({ type: 'ping' }, { type: 'ping' });
  await client.next('pong');
  await client.next('pong');
  expect(client.rest()).toEqual([]);
  await client.close();
});

test('a watch that is refused says so: its error has neither id nor room', async () => {
  const message = 'Not now.';
  let gate: Promise<void> | undefined;
  const list: Store['list'] = async () => {
    await gate;
    return { ok: false, error: { code: 'store_unavailable', message, retryable: true } };
  };
  const failing = await LocalServer.start({ store: Object.assign(Object.create(openMemoryStore()), { list }) });
  const client = await ProtocolClient.hello(failing.url);
  client.send({ type: 'watch' });
  const facts = { type: 'watch' };
  expect(await client.next('error')).toEqual({
    type: 'error',
    code: 'store_unavailable',
    message,
    facts,
    retryable: true,
  });
  let open: () => void = () => undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const reads = Array.from({ length: 1_100 }, (_, index) => {
    return { type: 'read', id: `r${index}`, operation: 'rooms.list' } as const;
  });
  client.send(...reads.slice(0, 1_000));
  client.send(...reads.slice(1_000), { type: 'watch' });
  expect(await client.next('error', ({ id }) => id === undefined)).toMatchObject({ code: 'overloaded', facts });
  open();
  await client.close();
  await failing.close();
});
