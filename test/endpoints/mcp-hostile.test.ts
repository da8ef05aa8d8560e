import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../shared/plan/limits.ts';
import { errorOf, McpClient } from '../support/mcp-client.ts';
import { McpServer } from '../support/mcp-server.ts';
import { RawSocket } from '../support/raw-socket.ts';

describe('hostile requests to MCP', () => {
  let server: McpServer;

  beforeEach(async () => {
    server = await McpServer.start();
  });

  afterEach(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
    expect(server.endpoint.counts).toEqual({ sessions: 0, exchanges: 0 });
  });

  function post(body: string, query = '', headers: Record<string, string> = {}): Promise<Response> {
    return fetch(server.url(query), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    });
  }

  test.each([
    ['?room=No', 'bad_room_name', 'query parameter room'],
    ['?room=', 'bad_room_name', 'query parameter room'],
    ['?as=', 'bad_message', 'query parameter as'],
    ['?as=a%0Ab', 'bad_message', 'query parameter as'],
    ['?rom=x', 'bad_message', "no query parameter 'rom'. There are: room, tools, as."],
    ['?tools=none', 'bad_message', 'There are: fixture, other.'],
    ['?tool=other', 'bad_message', "no query parameter 'tool'"],
  ])('%s is refused before MCP is spoken', async (query, code, message) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await fetch(server.url(query), { method });
      expect(response.status).toBe(400);
      const body = await response.json();
      const error = { code: -32_600, message: expect.stringContaining(message), data: { code, retryable: false } };
      expect(body).toMatchObject({ jsonrpc: '2.0', id: null, error });
    }
  });

  test('a client is told why its connection is refused, as the answer to its request', async () => {
    const response = await post('{"jsonrpc":"2.0","id":7,"method":"ping"}', '?tools=none');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining('There are: fixture'), data: { facts: { tools: expect.anything() } } },
    });
    const refused = await errorOf(McpClient.connect(server.url('?room=No'), '2025-11-25'));
    expect(refused.message).toContain('a room name is');
  });

  test('a header that breaks the rule is refused and named', async () => {
    const response = await post('{}', '', { 'X-Planroom-Room': 'No' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('header x-planroom-room');
  });

  test.each([
    ['not JSON', '{', -32_700],
    ['nothing', '', -32_700],
    ['no message', 'null', -32_600],
    ['too deep', '['.repeat(17) + ']'.repeat(17), -32_600],
    ['poison', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', -32_600],
    ['half a pair', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', -32_600],
  ])('a body that is %s is a bad request', async (_what, body, code) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });

  test('a body that is not UTF-8 is a bad request', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(server.url(), { method: 'POST', headers, body: Buffer.from([0x22, 0xff, 0x22]) });
    expect(response.status).toBe(400);
  });

  test('a body over the limit is refused, whether its length is told or not', async () => {
    for (const length of [`content-length: ${limits.httpBodyBytesMax + 1}`, 'transfer-encoding: chunked']) {
      const raw = await RawSocket.open(server.port);
      raw.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${length}\r\n\r\n`);
      const piece = Buffer.alloc(1024 * 1024, 0x20);
      const chunk = Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]);
      if (length.startsWith('transfer')) for (let sent = 0; sent < 25; sent += 1) raw.write(chunk);
      expect(await raw.until((text) => text.includes('\r\n\r\n'))).toContain('HTTP/1.1 413');
      raw.socket.destroy();
    }
  });

  test('a huge batch is refused, in a session and out of one', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const batch = JSON.stringify(Array.from({ length: 10_000 }, () => ping));
    expect((await post(batch)).status).toBe(400);
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '0' } };
    const begun = await post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    expect((await post(batch, '', session)).status).toBe(400);
    const few = await post(JSON.stringify([ping, { ...ping, id: 2 }]), '', session);
    expect((await few.text()).match(/"result":\{\}/g)).toHaveLength(2);
  });

  test('a stream that would follow too many resources is refused', async () => {
    const resourceSubscriptions = Array.from({ length: 257 }, (_, index) => `plan://r${index}`);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { _meta, notifications: { resourceSubscriptions } };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'subscriptions/listen', params });
    const response = await post(body, '', headers);
    expect(await response.json()).toMatchObject({
      id: 5,
      error: { code: -32_602, message: expect.stringContaining('256') },
    });
  });

  test.each(['PUT', 'PATCH', 'OPTIONS'])('%s is not a method of MCP', async (method) => {
    const response = await fetch(server.url(), { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST, DELETE');
  });

  test('the newest revision has no streams or sessions to GET or DELETE', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(server.url(), { method, headers: { 'mcp-protocol-version': '2026-07-28' } });
      expect(response.status).toBe(405);
    }
  });

  test('clients that leave in the middle leave nothing behind', async () => {
    const raw = await RawSocket.open(server.port);
    raw.write(
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    );
    raw.socket.destroy();
    await raw.closed;
    expect((await post('{')).status).toBe(400);
  });
});
