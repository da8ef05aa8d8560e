import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { errorOf, McpClient, revisions } from '../support/mcp-client.ts';
import { McpServer } from '../support/mcp-server.ts';

describe.each(revisions)('MCP in revision %s', (revision) => {
  let server: McpServer;
  const open: McpClient[] = [];

  beforeEach(async () => {
    server = await McpServer.start();
  });

  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
    await server.close();
    expect(server.faults).toEqual([]);
  });

  async function connect(query = '', headers: Record<string, string> = {}): Promise<McpClient> {
    const client = await McpClient.connect(server.url(query), revision, headers);
    open.push(client);
    return client;
  }

  test('a client learns the revision, who serves it, and how to go about it', async () => {
    const { client } = await connect();
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toEqual({ name: 'planroom', version: '1.2.3' });
    expect(client.getInstructions()).toMatch(
      /^Say before you add\.\nYou are 'guest' in room 'main'\. Others may share/,
    );
    const named = await connect('?as=eve&room=front');
    expect(named.client.getInstructions()).toBe("Say before you add.\nYou are 'eve' in room 'front'.");
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: { subscribe: true, listChanged: true } });
  });

  test('tools come in the order of their dialect, with schemas and hints as they are there', async () => {
    const { tools } = await (await connect()).client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['say', 'add', 'wait', 'break']);
    const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    expect(tools[0]).toEqual({
      name: 'say',
      title: 'Say',
      description: 'Says how long a text is, and who sent it.',
      inputSchema: { ...text, additionalProperties: false },
      outputSchema: { type: 'object', properties: { length: { type: 'integer' } }, required: ['length'] },
      annotations: { title: 'Say', readOnlyHint: true, openWorldHint: false },
    });
    expect(tools[1]?.annotations).toEqual({
      ...{ title: 'Add', readOnlyHint: false, openWorldHint: false },
      ...{ destructiveHint: false, idempotentHint: true },
    });
  });

  test('the query names room, tool set and actor; headers do where the query is silent', async () => {
    const headers = { 'X-Planroom-Room': 'side', 'X-Planroom-Tools': 'other', 'X-Planroom-Actor': 'bob' };
    const byHeader = await connect('?tools=fixture', headers);
    const byQuery = await connect('?room=front&tools=fixture&as=eve', headers);
    const byNothing = await connect();
    const say = { name: 'say', arguments: { text: 'hello' } };
    expect(await byHeader.client.callTool(say)).toMatchObject({ content: [{ text: 'bob in side: 5' }] });
    expect(await byQuery.client.callTool(say)).toMatchObject({ content: [{ text: 'eve in front: 5' }] });
    expect(await byNothing.client.callTool(say)).toMatchObject({ content: [{ text: 'guest in main: 5' }] });
    const { tools } = await (await connect('', headers)).client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['other']);
  });

  test('a call gives text and, where the tool has it, structure', async () => {
    const { client } = await connect();
    const said = await client.callTool({ name: 'say', arguments: { text: 'hello' } });
    expect(said.content).toEqual([{ type: 'text', text: 'guest in main: 5' }]);
    expect(said.structuredContent).toEqual({ length: 5 });
    expect(said.isError).toBe(false);
  });

  test('what a tool refuses is a result the model can read', async () => {
    const { client } = await connect();
    const refused = await client.callTool({ name: 'add', arguments: { text: '' } });
    expect(refused).toMatchObject({ isError: true, content: [{ type: 'text', text: 'Say what is to be done.' }] });
  });

  test('an unknown tool is an error that names the tools there are', async () => {
    const error = await errorOf((await connect()).client.callTool({ name: 'shout' }));
    expect(error.code).toBe(-32_602);
    expect(error.message).toContain("There is no tool 'shout'. There are: say, add, wait, break.");
  });

  test('a fault of ours costs the call, and nothing else', async () => {
    const { client } = await connect();
    expect(await errorOf(client.callTool({ name: 'break' }))).toMatchObject({ code: -32_603 });
    expect(server.faults.splice(0)).toEqual([new Error('a tool broke')]);
    expect((await client.listTools()).tools).toHaveLength(4);
  });

  test('a call passes on the id its client made, so that it has effect once', async () => {
    const { client } = await connect();
    const _meta = { 'planroom/operationId': 'mine.1' };
    await client.callTool({ name: 'add', arguments: { text: 'a' }, _meta });
    await client.callTool({ name: 'add', arguments: { text: 'a' }, _meta });
    expect(server.calls).toEqual(['add', 'add']);
    const opened = await server.rooms.open('main');
    expect(opened.ok && opened.value.plan.taskCount).toBe(1);
    const bad = errorOf(client.callTool({ name: 'say', _meta: { 'planroom/operationId': 'not one' } }));
    expect(await bad).toMatchObject({ code: -32_602, message: expect.stringContaining('planroom/operationId') });
  });

  test('a document of 10 MiB passes through the arguments of a call', async () => {
    const length = 10 * 1024 * 1024;
    const { client } = await connect();
    const said = await client.callTool({ name: 'say', arguments: { text: 'x'.repeat(length) } });
    expect(said.structuredContent).toEqual({ length });
  });
});
