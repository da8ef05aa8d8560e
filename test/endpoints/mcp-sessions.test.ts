import { afterEach, describe, expect, test, vi } from 'vitest';
import { McpClient } from '../support/mcp-client.ts';
import { McpServer } from '../support/mcp-server.ts';

const revision = '2025-11-25';
const add = (description: string) => ({ type: 'task.add', description }) as const;
const say = { name: 'say', arguments: { text: 'hello' } };

describe('MCP sessions', () => {
  let server: McpServer;
  const open: McpClient[] = [];

  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
    await server.close();
    expect(server.faults).toEqual([]);
    expect(server.endpoint.counts).toEqual({ sessions: 0, exchanges: 0 });
  });

  async function connect(query = ''): Promise<McpClient> {
    const client = await McpClient.connect(server.url(query), revision);
    open.push(client);
    return client;
  }

  /** A session without the stream that the client of the SDK opens. */
  async function begin(query = ''): Promise<string> {
    const response = await post(initialize, {}, query);
    expect(response.status).toBe(200);
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  }

  function send(method: string, session: string, query = ''): Promise<Response> {
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
    return fetch(server.url(query), { method, headers });
  }

  function post(body: unknown, headers: Record<string, string> = {}, query = ''): Promise<Response> {
    return fetch(server.url(query), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  test('two sessions act under their own names; a request may name another', async () => {
    server = await McpServer.start();
    const [ann, bob] = [await connect('?as=ann'), await connect('?as=bob&room=side')];
    expect(await ann.client.callTool(say)).toMatchObject({ content: [{ text: 'ann in main: 5' }] });
    expect(await bob.client.callTool(say)).toMatchObject({ content: [{ text: 'bob in side: 5' }] });
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: say };
    const session = { 'mcp-session-id': ann.transport.sessionId ?? '' };
    expect(await (await post(call, session, '?as=eve&room=front')).text()).toContain('eve in front: 5');
    expect(await (await post(call, session, '?tools=other')).text()).toContain("There is no tool 'say'");
  });

  test('DELETE ends a session; its id names nothing from then on', async () => {
    server = await McpServer.start();
    const client = await connect();
    const session = client.transport.sessionId ?? '';
    await client.transport.terminateSession();
    expect(server.endpoint.counts.sessions).toBe(0);
    for (const method of ['GET', 'DELETE']) expect((await send(method, session)).status).toBe(404);
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': session })).status).toBe(404);
  });

  test('an id that was never given is not found; a missing one is asked for', async () => {
    server = await McpServer.start();
    expect((await send('GET', 'made-up')).status).toBe(404);
    expect((await send('GET', '')).status).toBe(404);
    expect((await fetch(server.url())).status).toBe(400);
    const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('Mcp-Session-Id') } });
  });

  test('a handshake that fails leaves no session behind', async () => {
    server = await McpServer.start();
    expect((await post(initialize, { accept: 'text/html' })).status).toBe(406);
    expect((await post(initialize, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post([initialize])).status).toBe(400);
    expect(server.endpoint.counts.sessions).toBe(0);
  });

  test('past the bound, the session that was longest idle makes room; those in use stay', async () => {
    server = await McpServer.start({ sessionsMax: 3 });
    const live = await connect();
    await live.follow('plan://main');
    const [first, second] = [await begin(), await begin()];
    await (await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': first })).text();
    await begin();
    expect(server.endpoint.counts.sessions).toBe(3);
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': second })).status).toBe(404);
    expect((await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': first })).status).toBe(200);
    await server.submit('main', add('One'));
    await live.until(() => live.updated.length === 1);
  });

  test('with all sessions in use, a new client is told to come later', async () => {
    server = await McpServer.start({ sessionsMax: 1 });
    const live = await connect();
    await live.follow('plan://main');
    await server.submit('main', add('One'));
    await live.until(() => live.updated.length === 1);
    const response = await post(initialize);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      id: initialize.id,
      error: { code: -32_000, data: { code: 'too_many_sessions', retryable: true } },
    });
  });

  test('a session that is silent for too long is closed; one with a stream is not', async () => {
    let nowMs = 0;
    server = await McpServer.start({ sessionIdleMs: 10, nowMs: () => nowMs });
    const live = await connect();
    await live.follow('plan://main');
    await server.submit('main', add('One'));
    await live.until(() => live.updated.length === 1);
    const silent = await begin();
    expect(server.endpoint.counts.sessions).toBe(2);
    nowMs = 10;
    await vi.waitFor(() => expect(server.endpoint.counts.sessions).toBe(1));
    expect((await send('GET', silent)).status).toBe(404);
    expect(await live.client.callTool(say)).toMatchObject({ content: [{ text: 'guest in main: 5' }] });
  });

  test('what changes while a session has no stream is told on the next one', async () => {
    server = await McpServer.start();
    const session = { 'mcp-session-id': await begin() };
    const subscribe = { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'plan://main' } };
    expect(await (await post(subscribe, session)).text()).toContain('"result":{}');
    await server.submit('main', add('One'));
    await server.submit('main', add('Two'));
    const stream = await send('GET', session['mcp-session-id']);
    const reader = stream.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toMatch(/^event: message\ndata: .*"uri":"plan:\/\/main"/);
    await reader?.cancel();
  });

  test('a session follows so many resources and no more, and no other ones', async () => {
    server = await McpServer.start();
    const { client } = await connect();
    for (let index = 0; index < 256; index += 1) await client.subscribeResource({ uri: `plan://r${index}` });
    await client.subscribeResource({ uri: 'plan://r0' });
    await expect(client.subscribeResource({ uri: 'plan://more' })).rejects.toThrow('256');
    await client.unsubscribeResource({ uri: 'plan://r0' });
    await client.subscribeResource({ uri: 'plan://more' });
    await expect(client.subscribeResource({ uri: 'file:///a' })).rejects.toThrow('plan://<room>');
  });

  test('the code for a resource that is not there is that of the revision', async () => {
    server = await McpServer.start();
    const session = { 'mcp-session-id': await begin() };
    const read = { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'plan://nowhere' } };
    expect(await (await post(read, session)).text()).toContain('"code":-32002');
    const shapeless = await post({ ...read, params: {} }, session);
    expect(await shapeless.text()).toContain('"code":-32602');
  });

  test('the end of the server answers calls under way, and ends streams and sessions', async () => {
    server = await McpServer.start();
    const client = await connect();
    await client.follow('plan://main');
    const waiting = client.client.callTool({ name: 'wait' });
    await vi.waitFor(() => expect(server.calls).toHaveLength(1));
    const closing = server.endpoint.close();
    expect((await post(initialize)).status).toBe(503);
    server.release();
    expect(await waiting).toMatchObject({ content: [{ text: 'Done.' }] });
    await closing;
  });

  test('a call that does not end does not hold up the end of the server', async () => {
    server = await McpServer.start({ closePatienceMs: 10 });
    for (const each of [revision, '2026-07-28'] as const) {
      const client = await McpClient.connect(server.url(), each);
      open.push(client);
      client.client.callTool({ name: 'wait' }).catch(() => undefined);
    }
    await vi.waitFor(() => expect(server.calls).toHaveLength(2));
    await server.endpoint.close();
  });
});

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'test', version: '0' } },
};
