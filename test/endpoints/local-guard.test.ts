import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LocalServer } from '../support/local-server.ts';
import { RawSocket, upgradeRequest } from '../support/raw-socket.ts';

let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start();
});

afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

/** First line and body of the answer to a request with these headers. */
async function answer(request: string): Promise<{ readonly status: number; readonly text: string }> {
  const raw = await RawSocket.open(server.port);
  raw.write(request);
  const text = await raw.until((each) => /\r\n\r\n\{.*\}$|101 Switching[\s\S]*\r\n\r\n/.test(each));
  raw.socket.destroy();
  return { status: Number(text.slice(9, 12)), text };
}

const get = (headers: string) => answer(`GET /healthz HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
const upgrade = (headers: string) => answer(upgradeRequest('/ws', headers));

const good = [
  'Host: localhost\r\n',
  'Host: LOCALHOST:80\r\n',
  'Host: 127.0.0.1:4747\r\n',
  'Host: 127.9.9.9\r\n',
  'Host: [::1]\r\n',
  'Host: [::1]:4747\r\n',
  'Host: localhost\r\nOrigin: http://localhost:5173\r\n',
  'Host: localhost\r\nOrigin: https://127.0.0.1\r\n',
  'Host: localhost\r\nOrigin: http://[::1]:3000\r\n',
];

const bad = [
  'Host: evil.com\r\n',
  'Host: localhost.evil.com\r\n',
  'Host: 127.0.0.1.evil.com\r\n',
  'Host: evil.com:4747\r\n',
  'Host: localhost@evil.com\r\n',
  'Host: evil.com@localhost\r\n',
  'Host: :x@localhost\r\n',
  'Host: localhost:99999\r\n',
  'Host: localhost/evil.com\r\n',
  'Host: localhost\\evil.com\r\n',
  'Host: localhost#evil.com\r\n',
  'Host: a b\r\n',
  'Host: \r\n',
  'Host: [::2]\r\n',
  'Host: [::ffff:10.0.0.1]\r\n',
  'Host: 10.0.0.1\r\n',
  'Host: 128.0.0.1\r\n',
  'Host: 0.0.0.0\r\n',
  'Host: localhost\r\nOrigin: null\r\n',
  'Host: localhost\r\nOrigin: \r\n',
  'Host: localhost\r\nOrigin: http://evil.com\r\n',
  'Host: localhost\r\nOrigin: http://localhost.evil.com\r\n',
  'Host: localhost\r\nOrigin: http://127.0.0.1.evil.com\r\n',
  'Host: localhost\r\nOrigin: http://localhost@evil.com\r\n',
  'Host: localhost\r\nOrigin: http://evil.com@localhost\r\n',
  'Host: localhost\r\nOrigin: http://localhost/evil\r\n',
  'Host: localhost\r\nOrigin: file://localhost\r\n',
  'Host: localhost\r\nOrigin: chrome-extension://localhost\r\n',
  'Host: localhost\r\nOrigin: localhost\r\n',
];

describe.each([
  { name: 'HTTP', ask: get, success: 200 },
  { name: 'WebSocket', ask: upgrade, success: 101 },
])('over $name', ({ ask, success }) => {
  test.each(good)('%j is let through', async (headers) => {
    expect((await ask(headers)).status).toBe(success);
  });

  test.each(bad)('%j is refused', async (headers) => {
    const { status, text } = await ask(headers);
    expect(text).toContain('"code":"forbidden"');
    expect(status).toBe(403);
  });
});

test('without a Host header a request is refused', async () => {
  const raw = await RawSocket.open(server.port);
  raw.write('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
  expect(await raw.all()).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"bad_message"/);
  const old = await RawSocket.open(server.port);
  old.write('GET /healthz HTTP/1.0\r\n\r\n');
  expect(await old.all()).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"bad_message"/);
});

describe.each([
  { name: 'HTTP', ask: get },
  { name: 'WebSocket', ask: upgrade },
])('over $name a header that says where to or who', ({ ask }) => {
  test.each([
    'Host: localhost\r\nHost: evil.com\r\n',
    'Host: evil.com\r\nHost: localhost\r\n',
    'Host: localhost\r\nhost: localhost\r\n',
    'Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.com\r\n',
    'Host: localhost\r\nX-Planroom-Actor: ann\r\nX-Planroom-Actor: bo\r\n',
    'Host: localhost\r\nX-Planroom-Room: a\r\nX-Planroom-Room: b\r\n',
    'Host: localhost\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\n',
  ])('and comes twice is refused: %j', async (headers) => {
    const { status, text } = await ask(headers);
    expect([status, text.includes('"code":"bad_message"')]).toEqual([400, true]);
  });
});

test('a target with a host of its own has the one of the Host header', async () => {
  const at = (target: string, host: string) =>
    answer(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect((await at('http://localhost:4747/healthz', 'localhost:4747')).status).toBe(200);
  expect((await at('http://LOCALHOST/healthz', 'localhost:80')).status).toBe(200);
  for (const target of ['http://evil.com/healthz', 'http://localhost:1/healthz', 'http://localhost@evil.com/healthz']) {
    const { status, text } = await at(target, 'localhost');
    expect([target, status, text.includes('"code":"forbidden"')]).toEqual([target, 403, true]);
  }
});

test('the target of a request does not stand in for its Host', async () => {
  const { text } = await answer('GET http://localhost/healthz HTTP/1.1\r\nHost: evil.com\r\nConnection: close\r\n\r\n');
  expect(text).toContain('"code":"forbidden"');
});

describe('upgrades', () => {
  test.each(['/', '/wss', '/ws/', '/ws/../ws', '/WS', '/%77s', '/api/rooms', '//ws', 'http://localhost/ws'])(
    'there is no WebSocket at %s',
    async (path) => {
      const { status, text } = await answer(upgradeRequest(path));
      expect([status, text.includes('"code":"unknown_operation"')]).toEqual([404, true]);
    },
  );

  test('a query beside the path is no matter', async () => {
    expect((await answer(upgradeRequest('/ws?room=x'))).status).toBe(101);
  });

  test('refused ones that keep their side open, or are reset, are let go', async () => {
    for (const headers of ['Host: 127.0.0.1\r\n', 'Host: evil.com\r\n']) {
      for (const path of ['/nowhere', '/ws']) {
        if (path === '/ws' && !headers.includes('evil')) continue;
        const lingering = await RawSocket.open(server.port);
        lingering.write(upgradeRequest(path, headers));
        await lingering.closed;
        for (let index = 0; index < 50; index += 1) {
          const raw = await RawSocket.open(server.port);
          raw.write(upgradeRequest(path, headers));
          if (index % 2 === 0) await raw.until((text) => text !== '');
          raw.reset();
          await raw.closed;
        }
      }
    }
    expect((await get('Host: localhost\r\n')).status).toBe(200);
  });
});
