import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { errorOf, McpClient, revisions } from '../support/mcp-client.ts';
import { McpServer } from '../support/mcp-server.ts';

const add = (description: string) => ({ type: 'task.add', description }) as const;

describe.each(revisions)('plans as MCP resources in revision %s', (revision) => {
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

  async function connect(query = ''): Promise<McpClient> {
    const client = await McpClient.connect(server.url(query), revision);
    open.push(client);
    return client;
  }

  test('the list begins with the room of the connection, and goes on by name', async () => {
    for (const room of ['b', 'a', 'main']) await server.submit(room, add('One'));
    const { resources } = await (await connect()).client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      ...['plan://main', 'plan://main.json', 'plan://a', 'plan://a.json', 'plan://b', 'plan://b.json'],
    ]);
    expect(resources.slice(0, 2)).toMatchObject([
      { name: 'main', title: 'Plan of main', mimeType: 'text/markdown' },
      { name: 'main.json', mimeType: 'application/json' },
    ]);
  });

  test('a long list comes in pages, each room once', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `r${String(index).padStart(3, '0')}`);
    for (const room of names) await server.submit(room, add('One'));
    const { client } = await connect('?room=r070');
    const listed: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined, isLast = false; !isLast; isLast = cursor === undefined) {
      const page = await client.request({ method: 'resources/list', params: cursor ? { cursor } : {} });
      listed.push(...page.resources.map(({ name }) => name).filter((name) => !name.endsWith('.json')));
      expect(page.resources.length).toBeLessThanOrEqual(100);
      cursor = page.nextCursor;
      pages += 1;
    }
    expect(pages).toBe(3);
    expect(listed).toEqual(['r070', ...names.filter((name) => name !== 'r070')]);
    const wrong = client.request({ method: 'resources/list', params: { cursor: 'No Cursor' } });
    expect(await errorOf(wrong)).toMatchObject({ code: -32_602 });
  });

  test('templates tell how to name any room', async () => {
    const { resourceTemplates } = await (await connect()).client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['plan://{room}', 'plan://{room}.json']);
  });

  test('a plan is read as Markdown and as JSON', async () => {
    await server.submit('side', add('Write the parser'));
    const { client } = await connect();
    const markdown = await client.readResource({ uri: 'plan://side' });
    expect(markdown.contents).toEqual([
      { uri: 'plan://side', mimeType: 'text/markdown', text: expect.stringContaining('- [ ] Write the parser') },
    ]);
    const json = await client.readResource({ uri: 'plan://side.json' });
    const [content] = json.contents as { readonly text: string; readonly mimeType: string }[];
    expect(content?.mimeType).toBe('application/json');
    const opened = await server.rooms.open('side');
    expect(JSON.parse(content?.text ?? '')).toEqual(opened.ok && opened.value.snapshot());
  });

  test.each(['plan://nowhere', 'plan://nowhere.json', 'plan://No Room', 'plan://', 'file:///etc/passwd'])(
    'there is nothing at %s',
    async (uri) => {
      const { client } = await connect();
      const error = await errorOf(client.request({ method: 'resources/read', params: { uri } }));
      expect(error.data).toEqual({ uri });
      expect(server.rooms.liveCount).toBeLessThanOrEqual(1);
      const listed = await server.rooms.list();
      expect(listed.ok && listed.value.rooms).toEqual([]);
    },
  );

  test('who follows a resource hears of every Change, wherever it was made, and of the end', async () => {
    const watching = await connect();
    const acting = await connect('?room=side');
    await watching.follow('plan://side');
    await server.submit('side', add('From elsewhere'));
    await watching.until(() => watching.updated.length === 1);
    await acting.client.callTool({ name: 'add', arguments: { text: 'From a tool' } });
    await watching.until(() => watching.updated.length === 2);
    await server.submit('main', add('Elsewhere'));
    await server.rooms.delete('side', undefined);
    await watching.until(() => watching.updated.length === 3);
    expect(watching.updated).toEqual(['plan://side', 'plan://side', 'plan://side']);
    expect(acting.updated).toEqual([]);
  });

  test('Changes of one tick are told once, after the last of them', async () => {
    const watching = await connect();
    await watching.follow('plan://main', 'plan://main.json');
    await Promise.all(Array.from({ length: 50 }, (_, index) => server.submit('main', add(`Task ${index}`))));
    await watching.until(() => watching.updated.length === 2);
    const { contents } = await watching.client.readResource({ uri: 'plan://main' });
    expect((contents[0] as { readonly text: string }).text).toContain('Task 49');
    expect([...watching.updated].sort()).toEqual(['plan://main', 'plan://main.json']);
  });

  test('who follows the list hears of rooms that come and go', async () => {
    const watching = await connect();
    await watching.follow('plan://main');
    await server.submit('main', add('One'));
    await watching.until(() => watching.updated.length === 1);
    const before = watching.listChanges;
    await server.submit('side', add('One'));
    await watching.until(() => watching.listChanges === before + 1);
    await server.submit('side', add('Two'));
    await server.rooms.delete('side', undefined);
    await watching.until(() => watching.listChanges === before + 2);
  });
});
