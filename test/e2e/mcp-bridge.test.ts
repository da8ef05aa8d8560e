import { userInfo } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addTask, BridgeClient, type BridgeSettings, tasksOf } from '../support/mcp-bridge.ts';
import { errorOf, McpClient, type Revision } from '../support/mcp-client.ts';
import { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;
let rooms = 0;
const open: BridgeClient[] = [];

beforeAll(async () => {
  server = await ServerProcess.start();
});
afterEach(async () => {
  const bridges = open.splice(0);
  await Promise.all(bridges.map((bridge) => bridge.close()));
  for (const { strays } of bridges) expect(strays).toEqual([]);
});
afterAll(() => server.dispose());

function freshRoom(): string {
  rooms += 1;
  return `room-${rooms}`;
}

async function connect(
  revision: Revision | 'auto',
  room: string,
  settings: BridgeSettings = {},
): Promise<BridgeClient> {
  const env = { PLANROOM_URL: server.url, PLANROOM_ROOM: room, PLANROOM_TOOLS: 'cosh', PLANROOM_ACTOR: 'ann' };
  const bridge = await BridgeClient.connect(revision, { ...settings, env: { ...env, ...settings.env } });
  open.push(bridge);
  return bridge;
}

describe.each(['2026-07-28', '2025-11-25', '2024-11-05'] as const)('a client of revision %s', (revision) => {
  test('is told over stdio what it would be told over HTTP', async () => {
    const room = freshRoom();
    const { client } = await connect(revision, room);
    const direct = await McpClient.connect(new URL(`${server.url}/mcp?room=${room}&tools=cosh&as=ann`), revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toEqual(direct.client.getServerVersion());
    expect(client.getServerCapabilities()).toEqual(direct.client.getServerCapabilities());
    expect(client.getInstructions()).toMatch(/plan_todo_write/);
    expect(client.getInstructions()).toBe(direct.client.getInstructions());
    expect(await client.listTools()).toEqual(await direct.client.listTools());
    expect(await client.listResourceTemplates()).toEqual(await direct.client.listResourceTemplates());
    await direct.close();
  });

  test('calls tools in the room and under the name of its settings, and reads the plan', async () => {
    const room = freshRoom();
    const bridge = await connect(revision, room);
    expect(await bridge.write('Write the parser', 'Prüfen ✓')).toMatchObject({ isError: false });
    expect(await tasksOf(server.url, room)).toMatchObject([
      { description: 'Write the parser', createdBy: 'ann' },
      { description: 'Prüfen ✓', createdBy: 'ann' },
    ]);
    const { contents } = await bridge.client.readResource({ uri: `plan://${room}` });
    expect(JSON.stringify(contents)).toContain('Write the parser');
    const unknown = await errorOf(bridge.client.callTool({ name: 'nothing' }));
    expect(unknown).toMatchObject({ code: -32602, message: expect.stringContaining('plan_todo_write') });
  });

  test('hears of a Change that somebody else made', async () => {
    const room = freshRoom();
    const bridge = await connect(revision, room);
    await bridge.follow(`plan://${room}`);
    await addTask(server.url, room, 'Theirs', `${revision}.1`);
    await bridge.untilUpdated(`plan://${room}`);
    expect((await bridge.write('Mine')).text).toContain('Theirs');
  });

  test('does not notice that the server was killed and started again', async () => {
    const room = freshRoom();
    const uri = `plan://${room}`;
    const bridge = await connect(revision, room);
    await bridge.follow(uri);
    await bridge.write('Before');
    await bridge.untilUpdated(uri);
    await server.kill();
    const during = bridge.write('Before', 'During');
    await server.restart();
    expect(await during).toMatchObject({ isError: false });
    expect((await tasksOf(server.url, room)).map(({ description }) => description)).toEqual(['Before', 'During']);
    // It is told to look again, for what it may have missed, and from then on of each Change.
    await bridge.untilUpdated(uri, 2);
    const told = bridge.updated.length;
    await addTask(server.url, room, 'After', `${revision}.2`);
    await bridge.untilUpdated(uri, told + 1);
    expect(await bridge.client.listTools()).toMatchObject({ tools: expect.anything() });
  });

  test('hears again of Changes after the server stopped in good order', async () => {
    const room = freshRoom();
    const uri = `plan://${room}`;
    const bridge = await connect(revision, room);
    await bridge.follow(uri);
    await server.stop();
    await server.restart();
    await addTask(server.url, room, 'After', `${revision}.3`);
    await bridge.untilUpdated(uri);
    expect((await bridge.write('Mine')).text).toContain('After');
  });

  test('is told how to start a server that stays away, and is served when it is back', async () => {
    const room = freshRoom();
    const bridge = await connect(revision, room);
    await server.kill();
    const { port } = new URL(server.url);
    const away = { code: -32_000, message: expect.stringContaining(`Start it with: planroom serve --port ${port}`) };
    const lost = await errorOf(bridge.write('Lost'));
    expect(lost).toMatchObject(away);
    expect(lost.message).toContain('may have been made');
    const listed = await errorOf(bridge.client.listTools());
    expect(listed).toMatchObject(away);
    expect(listed.message).not.toContain('may have been made');
    await server.restart();
    expect(await bridge.write('Kept')).toMatchObject({ isError: false });
    expect((await tasksOf(server.url, room)).map(({ description }) => description)).toEqual(['Kept']);
  });
});

test('a call under way when the server is killed has effect once', async () => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    const room = freshRoom();
    const bridge = await connect(revision, room);
    await bridge.write('First');
    // Some of them are on disk when it is killed and some are not; which, each run decides.
    const calls = Array.from({ length: 20 }, (_, i) => bridge.write('First', `Task ${i}`));
    await calls[0];
    await server.kill();
    await server.restart();
    for (const { isError, text } of await Promise.all(calls)) expect(isError ? text : 'fine').toBe('fine');
    const descriptions = (await tasksOf(server.url, room)).map(({ description }) => description);
    expect(new Set(descriptions).size).toBe(descriptions.length);
    expect(descriptions).toContain('First');
  }
});

test('a client that tries both eras gets the newest', async () => {
  const bridge = await connect('auto', freshRoom());
  expect(bridge.client.getProtocolEra()).toBe('modern');
  expect(await bridge.write('One')).toMatchObject({ isError: false });
});

test('a stream that the client ends says nothing more', async () => {
  const room = freshRoom();
  const bridge = await connect('2026-07-28', room);
  const subscription = await bridge.client.listen({ resourceSubscriptions: [`plan://${room}`] });
  await subscription.close();
  await bridge.follow(`plan://${room}.json`);
  await addTask(server.url, room, 'Theirs', 'ended.1');
  await bridge.untilUpdated(`plan://${room}.json`);
  expect(bridge.updated).toEqual([`plan://${room}.json`]);
});

test('without a name the actor is the user with the program of the client', async () => {
  for (const revision of ['2026-07-28', '2025-06-18'] as const) {
    const room = freshRoom();
    const env = { PLANROOM_URL: server.url, PLANROOM_ROOM: room, PLANROOM_TOOLS: 'cosh' };
    const bridge = await BridgeClient.connect(revision, { env });
    open.push(bridge);
    await bridge.write('One');
    expect(await tasksOf(server.url, room)).toMatchObject([{ createdBy: `${userInfo().username}/test` }]);
  }
});

test('flags go before the environment', async () => {
  const room = freshRoom();
  const bridge = await connect('2025-11-25', 'other', { args: ['--room', room, '--as', 'bob'] });
  await bridge.write('One');
  expect(await tasksOf(server.url, room)).toMatchObject([{ createdBy: 'bob' }]);
});

test('tools that the server does not have are refused with those it has', async () => {
  const refused = await errorOf(connect('2025-11-25', freshRoom(), { args: ['--tools', 'nothing'] }));
  expect(refused.message).toMatch(/nothing.*cosh/);
});
