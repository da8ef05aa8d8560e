import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../server/store/memory.ts';
import type { Store } from '../../server/store/store.ts';
import { limits } from '../../shared/plan/limits.ts';
import { LocalServer } from '../support/local-server.ts';
import { RawSocket } from '../support/raw-socket.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start({ headerTimeoutMs: 500, requestTimeoutMs: 1_000 });
});

afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

function post(room: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const given = { 'content-type': 'application/json', ...headers };
  return ask(`/api/rooms/${room}/mutations`, { method: 'POST', body: text, headers: given });
}

const add = (description: string) => ({ mutation: { type: 'task.add', description } });

describe('the operations', () => {
  test('a room is made by its first mutation, listed, read, followed and deleted', async () => {
    expect(await ask('/api/rooms')).toEqual({ status: 200, body: { rooms: [], warnings: [] } });
    const made = await post('life', { ...add('one'), actor: 'ann', mutationId: 'm' });
    expect(made).toMatchObject({
      status: 200,
      body: { ok: true, ack: { room: 'life', revision: 1, repeated: false } },
    });
    expect(await post('life', { ...add('one'), actor: 'ann', mutationId: 'm' })).toMatchObject({
      body: { ack: { revision: 1, repeated: true } },
    });
    await post('life', add('two'), { 'x-planroom-actor': 'bo' });
    await post('life', add('three'));
    expect((await ask('/api/rooms')).body).toMatchObject({ rooms: [{ room: 'life', revision: 3, taskCount: 3 }] });
    const { body } = await ask('/api/rooms/life');
    expect(body).toMatchObject({
      revision: 3,
      tasks: [{ createdBy: 'ann' }, { createdBy: 'bo' }, { createdBy: 'guest' }],
    });
    const changes = await ask('/api/rooms/life/changes?since=1&limit=1');
    expect(changes.body).toMatchObject({ room: 'life', epoch: body.epoch, revision: 3, more: true });
    expect(changes.body.changes).toMatchObject([{ revision: 2, actor: 'bo' }]);
    expect((await ask('/api/rooms/life/changes?since=2')).body).toMatchObject({
      changes: [{ revision: 3 }],
      more: false,
    });
    expect((await ask('/api/rooms/life/changes?since=3')).body).toMatchObject({ changes: [], more: false });
    expect(await ask('/api/rooms/life?revision=2', { method: 'DELETE' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', facts: { expected: 2, current: 3 } } },
    });
    expect(await ask('/api/rooms/life', { method: 'DELETE' })).toMatchObject({
      status: 200,
      body: { deleted: 'life' },
    });
    expect(await ask('/api/rooms/life')).toMatchObject({ status: 404, body: { error: { code: 'room_not_found' } } });
  });

  test('rooms that cannot be read are warnings in the list, and errors when they are asked for', async () => {
    const store = openMemoryStore();
    const error = {
      code: 'store_corrupt',
      message: `Room 'torn' is damaged.`,
      retryable: false,
      room: 'torn',
    } as const;
    const damaged: Store = Object.assign(Object.create(store) as Store, {
      list: async () => ({ ok: true, value: { rooms: [], warnings: [{ room: 'torn', message: error.message }] } }),
      load: async (room: string) => (room === 'torn' ? { ok: false, error } : store.load(room)),
    });
    const other = await LocalServer.start({ store: damaged });
    const get = async (path: string) => (await fetch(`${other.url}${path}`)).json();
    expect(await get('/api/rooms')).toEqual({ rooms: [], warnings: [{ room: 'torn', message: error.message }] });
    expect(await get('/api/rooms/torn')).toEqual({
      error: { code: 'store_corrupt', message: error.message, facts: { room: 'torn' }, retryable: false },
    });
    await other.close();
  });

  test('one answer holds as many Changes as it may, however large they are, and says that there are more', async () => {
    const content = 'z'.repeat(3 * 1024 * 1024);
    for (let index = 0; index < 5; index += 1) {
      await post('bulky', { mutation: { type: 'document.write', content: `${index}${content}` } });
    }
    const revisions: number[] = [];
    let answers = 0;
    for (let more = true; more; answers += 1) {
      const { body } = await ask(`/api/rooms/bulky/changes?since=${revisions.at(-1) ?? 0}`);
      more = body.more === true;
      for (const change of body.changes as { revision: number }[]) revisions.push(change.revision);
    }
    expect(revisions).toEqual([1, 2, 3, 4, 5]);
    // What undoes them counts as well.
    expect(answers).toBe(5);
  });

  test('the probes say that it lives and that it is ready', async () => {
    expect(await ask('/healthz')).toEqual({ status: 200, body: { ok: true } });
    expect(await ask('/readyz')).toEqual({ status: 200, body: { ok: true } });
  });
});

describe('paths and methods', () => {
  test.each([
    ['PUT', '/api/rooms/a', 'GET, HEAD, DELETE'],
    ['PATCH', '/api/rooms/a', 'GET, HEAD, DELETE'],
    ['OPTIONS', '/api/rooms', 'GET, HEAD'],
    ['POST', '/api/rooms', 'GET, HEAD'],
    ['GET', '/api/rooms/a/mutations', 'POST'],
    ['DELETE', '/api/rooms/a/changes', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s is not a method of this path', async (method, path, allow) => {
    const response = await fetch(`${server.url}${path}`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed', retryable: false } });
  });

  test('HEAD is GET without the body', async () => {
    const response = await fetch(`${server.url}/healthz`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test.each([
    '/',
    '/api',
    '/api/',
    '/api/room',
    '/api/rooms/',
    '/api/rooms/a/b',
    '/ws',
    '/etc/passwd',
    '/api/rooms/../../x',
  ])('there is nothing at %s', async (path) => {
    expect(await ask(path)).toMatchObject({ status: 404, body: { error: { code: 'unknown_operation' } } });
  });

  test.each([
    '__proto__',
    'constructor%20',
    'A',
    '..%2f..',
    '%2e%2e',
    '%zz',
    '%00',
    'a%0ab',
    'é',
    '-a',
    'a'.repeat(101),
  ])('a room cannot be named %s', async (name) => {
    const { status, body } = await ask(`/api/rooms/${name === '%2e%2e' ? '%252e' : name}`);
    expect([status, body.error]).toMatchObject([400, { code: 'bad_room_name' }]);
    expect((await post(name, add('x'))).status).toBeGreaterThanOrEqual(400);
  });

  test('names at the bound, and names that only look bad, are rooms', async () => {
    for (const name of ['a'.repeat(100), 'constructor', 'tostring', '0', 'a__proto__', encodeURIComponent('a-b')]) {
      expect(await post(name, add('x'))).toMatchObject({ status: 200, body: { ack: { room: name } } });
    }
  });

  test.each(['-1', '1.5', '1e3', 'x', '', '9999999999999999'])('since=%s is refused', async (since) => {
    const { status, body } = await ask(`/api/rooms/constructor/changes?since=${since}`);
    expect([status, body.error]).toMatchObject([400, { code: 'bad_message' }]);
  });

  test.each([
    ['since=5', 409, 'unknown_revision'],
    ['limit=0', 400, 'bad_message'],
    ['limit=1001', 400, 'bad_message'],
  ])('changes?%s is %i', async (query, status, code) => {
    expect(await ask(`/api/rooms/constructor/changes?${query}`)).toMatchObject({ status, body: { error: { code } } });
  });
});

describe('bodies', () => {
  test('one of exactly the bound is read, one of a byte more is refused, stated or not', async () => {
    const { httpBodyBytesMax } = limits;
    const head = '{"mutation":{"type":"document.write","content":"x"}';
    const most = `${head.padEnd(httpBodyBytesMax - 1, ' ')}}`;
    expect(Buffer.byteLength(most)).toBe(httpBodyBytesMax);
    expect(await post('bound', most)).toMatchObject({ status: 200, body: { ack: { revision: 1 } } });
    const refusal = { status: 413, body: { error: { code: 'too_large', facts: { httpBodyBytesMax } } } };
    expect(await post('bound', `${most} `)).toMatchObject(refusal);
    const raw = await RawSocket.open(server.port);
    raw.write('POST /api/rooms/bound/mutations HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    const piece = ' '.repeat(1024 * 1024);
    for (let sent = 0; sent <= httpBodyBytesMax; sent += piece.length) {
      raw.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    }
    expect(await raw.until((text) => text.includes('too_large'))).toMatch(/^HTTP\/1\.1 413 /);
    raw.socket.destroy();
    expect((await ask('/api/rooms/bound')).body).toMatchObject({ revision: 1 });
  });

  test.each([
    ['not JSON', '{', 'bad_frame'],
    ['nothing', '', 'bad_frame'],
    ['bad UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'bad_frame'],
    ['half a surrogate pair in UTF-8', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), 'bad_frame'],
    ['half a surrogate pair as an escape', '{"mutation":{"type":"task.add","description":"\\ud800"}}', 'bad_message'],
    ['too deep', `${'['.repeat(17)}${']'.repeat(17)}`, 'too_deep'],
    ['a hundred thousand brackets', '['.repeat(100_000), 'too_deep'],
    ['__proto__', '{"__proto__":{"x":1},"mutation":{"type":"task.add","description":"x"}}', 'bad_message'],
    ['__proto__ in disguise', '{"\\u005f_proto__":1,"mutation":{"type":"task.add","description":"x"}}', 'bad_message'],
    ['an unknown field', '{"mutation":{"type":"task.add","description":"x","colour":"red"}}', 'bad_message'],
    ['an infinite number', '{"mutation":{"type":"plan.revert","revision":1e400}}', 'bad_message'],
    ['another shape', '[1,2,3]', 'bad_message'],
  ])('%s is refused and changes nothing', async (_name, body, code) => {
    const answer = await post('faulty', body);
    expect(answer.body).toMatchObject({ error: { code, retryable: false } });
    expect(answer.status).toBe(400);
    expect((await ask('/api/rooms/faulty')).status).toBe(404);
  });

  test.each([
    ['millions of numbers', `{"mutation":{"type":"tasks.replace","items":[${'1,'.repeat(2_000_000)}1]}}`],
    ['millions of keys', `{${'"":{},'.repeat(2_000_000)}"":1}`],
  ])('%s are refused before they are made', async (_name, body) => {
    const { jsonValuesMax } = limits;
    const error = { code: 'too_large', facts: { jsonValuesMax } };
    expect(await post('faulty', body)).toMatchObject({ status: 413, body: { error } });
  });

  test('commas and colons in a text are no values', async () => {
    const content = ',:'.repeat(1_000_000);
    expect(await post('commas', { mutation: { type: 'document.write', content } })).toMatchObject({ status: 200 });
  });

  test.each([
    [{ 'content-type': 'text/plain' }, 'Content-Type'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'Content-Type'],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, 'Content-Type'],
    [{ 'content-type': 'application/jsonp' }, 'Content-Type'],
    [{ 'content-encoding': 'gzip' }, 'Content-Encoding'],
  ])('one with %j is refused, and told what to send', async (headers, name) => {
    const error = { code: 'bad_message', message: expect.stringContaining(name), retryable: false };
    const refusal = { status: 415, body: { error } };
    const answer = await post('media', add('x'), headers);
    expect(answer).toMatchObject(refusal);
    expect(answer.body.error).toMatchObject({ message: expect.stringContaining('application/json') });
    const init = { headers: { 'content-type': 'application/json', ...headers }, body: '{}' };
    expect(await ask('/api/rooms/media', { method: 'DELETE', ...init })).toMatchObject(refusal);
    expect(await ask('/api/rooms/media/tools/x', { method: 'POST', ...init })).toMatchObject(refusal);
    expect((await ask('/api/rooms/media')).status).toBe(404);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/merge-patch+json',
  ])('one of type %s is read', async (type) => {
    const room = `t${type.replaceAll(/[^a-z]/g, '-')}`;
    expect(await post(room, add('x'), { 'content-type': type })).toMatchObject({ body: { ack: { revision: 1 } } });
  });

  test('one without a type is read', async () => {
    const body = JSON.stringify(add('x'));
    const raw = await RawSocket.open(server.port);
    raw.write(
      `POST /api/rooms/untyped/mutations HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
    expect(await raw.all()).toMatch(/^HTTP\/1\.1 200 [\s\S]*"revision":1/);
  });

  test('a body that ends early, or comes too slowly, harms nobody', async () => {
    const head = 'POST /api/rooms/slow/mutations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"mut';
    const broken = await RawSocket.open(server.port);
    broken.write(head);
    broken.reset();
    const slow = await RawSocket.open(server.port);
    slow.write(head);
    expect(await slow.all()).toMatch(/^HTTP\/1\.1 (408|400) [\s\S]*"error":\{"code":"bad_/);
    expect(await post('slow', add('beside'))).toMatchObject({ body: { ack: { revision: 1 } } });
  });

  test('a header that comes too slowly, or is too long, is refused', async () => {
    const slow = await RawSocket.open(server.port);
    slow.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    expect(await slow.all()).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"bad_message"/);
    const long = await RawSocket.open(server.port);
    long.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(limits.httpHeaderBytesMax)}\r\n\r\n`);
    expect(await long.all()).toMatch(/^HTTP\/1\.1 431 [\s\S]*"code":"too_large"/);
  });

  const host = 'Host: localhost\r\n';
  const to = 'POST /api/rooms/smuggled/mutations HTTP/1.1\r\n';
  test.each([
    [
      400,
      'Content-Length and Transfer-Encoding',
      `${to}${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [400, 'two Content-Lengths', `${to}${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`],
    [400, 'a Content-Length below zero', `${to}${host}Content-Length: -1\r\n\r\n`],
    [400, 'a target that is no path', `GET api HTTP/1.1\r\n${host}\r\n`],
    [400, 'another protocol', '\x16\x03\x01\x00\r\n\r\n'],
    [417, 'an unknown expectation', `${to}${host}Expect: banana\r\nContent-Length: 2\r\n\r\n{}`],
    [405, 'a proxy', `CONNECT localhost:80 HTTP/1.1\r\n${host}\r\n`],
  ])('%i with our body and the end of the connection for %s', async (status, _name, request) => {
    const raw = await RawSocket.open(server.port);
    raw.write(request);
    const [head = '', body = ''] = (await raw.all()).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head.toLowerCase()).toContain('connection: close');
    const code = status === 405 ? 'method_not_allowed' : 'bad_message';
    expect(JSON.parse(body)).toEqual({ error: { code, message: expect.any(String), retryable: false } });
  });

  test('what is no request, and ends abruptly, harms nobody', async () => {
    for (let index = 0; index < 50; index += 1) {
      const raw = await RawSocket.open(server.port);
      raw.write(
        index % 2 === 0 ? `CONNECT localhost:80 HTTP/1.1\r\n${host}\r\n` : `${to}${host}Content-Length: x\r\n\r\n`,
      );
      raw.reset();
      await raw.closed;
    }
    expect((await ask('/healthz')).status).toBe(200);
  });

  test('a faulty request behind a good one does not spoil the answer to the good one', async () => {
    const raw = await RawSocket.open(server.port);
    raw.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`);
    await raw.until((text) => text.endsWith('{"ok":true}'));
    raw.write(`GET api HTTP/1.1\r\n${host}\r\n`);
    expect(await raw.all()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"ok":true\}HTTP\/1\.1 400 [\s\S]*"code":"bad_message"/);
  });

  test.each(['', ' ', 'a\u0085b', 'x'.repeat(129)])('an actor cannot be named %j', async (actor) => {
    expect(await post('actors', { ...add('x'), actor })).toMatchObject({
      status: 400,
      body: { error: { code: 'bad_message' } },
    });
  });
});
