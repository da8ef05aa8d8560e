import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dialects } from '../../shared/dialects/registry.ts';
import { limits } from '../../shared/plan/limits.ts';
import { RunningCli, runCli } from '../client/support/run-cli.ts';
import { BackgroundHome, BridgeClient, tasksOf } from '../support/mcp-bridge.ts';
import { ServerProcess } from '../support/server-process.ts';

const initialize = request(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'raw', version: '0' },
});
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n';

function request(id: number | string, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}

function write(id: number, description: string): string {
  return request(id, 'tools/call', { name: 'plan_todo_write', arguments: { todos: [{ description }] } });
}

/** Every line of stdout as JSON-RPC; anything else there fails. */
function messagesIn(stdout: string): { id?: number | string | null; error?: { code: number; message: string } }[] {
  expect(stdout).toMatch(/\n$/);
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const message of messages) expect(message).toMatchObject({ jsonrpc: '2.0' });
  return messages;
}

describe('without a server', () => {
  const homes: BackgroundHome[] = [];
  const freshHome = async (): Promise<BackgroundHome> => {
    const home = await BackgroundHome.make();
    homes.push(home);
    return home;
  };
  afterEach(async () => {
    await Promise.all(homes.splice(0).map((home) => home.dispose()));
  });

  test('starts one in the background, says so, and leaves it running', async () => {
    const home = await freshHome();
    const first = await BridgeClient.connect('2025-11-25', { env: { ...home.env, PLANROOM_TOOLS: 'cosh' } });
    await first.write('Kept');
    const { pid, url } = await home.server();
    expect(first.stderr).toContain(`started one in the background at ${url} (process ${pid}`);
    await first.close();
    expect(first.strays).toEqual([]);
    expect(await tasksOf(url, 'main')).toMatchObject([{ description: 'Kept' }]);
    expect(await home.log()).toContain(`ready at ${url}`);
    const other = { ...home.env, PLANROOM_TOOLS: 'cosh', PLANROOM_ACTOR: 'other' };
    const second = await BridgeClient.connect('2026-07-28', { env: other });
    expect((await second.write('More')).text).toContain('Kept');
    expect(second.stderr).toBe('');
    await second.close();
    expect((await home.server()).pid).toBe(pid);
  });

  test('two that begin at once end with one server', async () => {
    const home = await freshHome();
    const env = { ...home.env, PLANROOM_TOOLS: 'cosh' };
    const bridges = await Promise.all([
      BridgeClient.connect('2025-11-25', { env: { ...env, PLANROOM_ACTOR: 'ann' } }),
      BridgeClient.connect('2026-07-28', { env: { ...env, PLANROOM_ACTOR: 'bob' } }),
      BridgeClient.connect('2025-06-18', { env: { ...env, PLANROOM_ACTOR: 'eve' } }),
    ]);
    const { url } = await home.server();
    for (const [i, bridge] of bridges.entries()) await bridge.write(`Task ${i}`);
    expect(await tasksOf(url, 'main')).toHaveLength(3);
    expect((await home.log()).match(/ready at/g)).toHaveLength(1);
    await Promise.all(bridges.map((bridge) => bridge.close()));
  });

  test('says why none can be started', async () => {
    const env = { PLANROOM_DATA: join(process.execPath, 'below-a-file'), PLANROOM_PORT: '0' };
    const run = await runCli(['mcp'], { env, input: initialize });
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('none could be started') });
    expect(messagesIn(run.stdout)).toMatchObject([
      { id: 1, error: { message: expect.stringContaining('none could be started') } },
    ]);
  });

  test('starts none where an address was chosen, and says how to', async () => {
    const home = await freshHome();
    const run = await runCli(['mcp', '--url', 'http://127.0.0.1:1', '--data', home.folder], { input: initialize });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(messagesIn(run.stdout)).toMatchObject([
      { id: 1, error: { message: expect.stringContaining('planroom serve --port 1') } },
    ]);
    expect(run.stdout).not.toContain('may have been made');
    expect(existsSync(join(home.folder, 'server.json'))).toBe(false);
  });
});

describe('the process', () => {
  let server: ServerProcess;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await ServerProcess.start();
    env = { PLANROOM_URL: server.url, PLANROOM_TOOLS: 'cosh' };
  });
  afterAll(() => server.dispose());

  test('answers all that was asked before stdin ended, and exits with 0', async () => {
    const input = initialize + initialized + write(2, 'One') + request('three', 'resources/read', { uri: 'plan://x' });
    const { code, stdout, stderr } = await runCli(['mcp'], { env, input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const ids = messagesIn(stdout).flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(ids.map(String).sort()).toEqual(['1', '2', 'three']);
  });

  test('answers what is no message with an error, and lives', async () => {
    const lines = [
      'garbage\n',
      '\n',
      '{"jsonrpc":"2.0"}\n',
      '42\n',
      '{"jsonrpc":"2.0","id":7}\n',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
      '[]\n',
      '{"jsonrpc":"1.0","id":8,"method":"ping"}\n',
    ];
    const bad = Buffer.concat([Buffer.from(lines.join('')), Buffer.from([0xff, 0xfe, 0x0a])]);
    const input = Buffer.concat([bad, Buffer.from(initialize + initialized + request(2, 'tools/list'))]);
    const { code, stdout, stderr } = await runCli(['mcp'], { env, input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const messages = messagesIn(stdout);
    const errors = messages.flatMap(({ id, error }) => (error ? [[id, error.code]] : []));
    expect(errors).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [7, -32600],
      [null, -32600],
      [null, -32600],
      [8, -32600],
      [null, -32700],
    ]);
    expect(messages).toContainEqual(expect.objectContaining({ id: 2, result: expect.anything() }));
  });

  test('refuses a line that is too long, without keeping it', async () => {
    const long = Buffer.alloc(limits.httpBodyBytesMax + 1, 'x');
    const input = Buffer.concat([long, Buffer.from(`\n${initialize}`)]);
    const { code, stdout } = await runCli(['mcp'], { env, input });
    expect(code).toBe(0);
    expect(messagesIn(stdout)).toMatchObject([{ id: null, error: { code: -32600 } }, { id: 1 }]);
  });

  test('answers each message of a batch, and refuses an id that is in use', async () => {
    const batch = `[${[request(2, 'tools/list'), request(3, 'ping')].map((line) => line.trim()).join(',')}]\n`;
    const twice = request(4, 'tools/list') + request(4, 'tools/list');
    const { stdout } = await runCli(['mcp'], { env, input: initialize + batch + twice });
    const messages = messagesIn(stdout);
    for (const id of [1, 2, 3, 4]) {
      expect(messages).toContainEqual(expect.objectContaining({ id, result: expect.anything() }));
    }
    expect(messages).toContainEqual(expect.objectContaining({ id: 4, error: expect.anything() }));
  });

  test('exits with 0 on SIGTERM, and ends its session', async () => {
    const running = new RunningCli(['mcp'], { env });
    running.child.stdin.write(initialize + initialized + request(2, 'tools/list'));
    await running.printed('stdout', /"id":2/);
    const { code, stdout, stderr } = await running.end('SIGTERM');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    messagesIn(stdout);
  });

  test('answers whatever a client asks with what is wrong with its settings, until stdin ends', async () => {
    const input = initialize + initialized + request(2, 'tools/list');
    const run = await runCli(['mcp', '--room', 'No Room'], { env, input });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('not a room name') });
    const error = { message: expect.stringContaining("'No Room' is not a room name: a room name is 1 to") };
    expect(messagesIn(run.stdout)).toMatchObject([
      { id: 1, error },
      { id: 2, error },
    ]);
    const nowhere = await runCli(['mcp', '--url', 'nonsense'], { input });
    expect(messagesIn(nowhere.stdout)).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  test('refuses bad settings on stderr', async () => {
    expect(await runCli(['mcp', '--room', 'No Room'], { env })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('not a room name'),
    });
    const help = await runCli(['mcp', '--help']);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('planroom mcp --room release') });
    for (const told of ['claude mcp add plan --', 'codex mcp add plan --', 'docs/dialects.md', 'ann/claude-code']) {
      expect(help.stdout).toContain(told);
    }
    for (const { name, tools } of dialects) expect(help.stdout.includes(`\n  ${name} `)).toBe(tools.length > 0);
  });
});
