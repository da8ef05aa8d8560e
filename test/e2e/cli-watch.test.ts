import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningCli, runCli } from '../client/support/run-cli.ts';
import { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});
afterAll(() => server.dispose());

const cli = (room: string, ...args: string[]) => runCli([...args, '--room', room, '--url', server.url, '--as', 'ann']);
const watch = (room: string, ...args: string[]) =>
  new RunningCli(['watch', '--room', room, '--url', server.url, ...args]);

describe('watch', () => {
  it('prints a line for each Change and ends cleanly on SIGINT', async () => {
    await cli('lines', 'add', 'one');
    const watching = watch('lines');
    await watching.printed('stderr', /watching room lines from revision 1\n/);
    await cli('lines', 'add', 'two', '--group', 'Build');
    await cli('lines', 'start', 'task-2');
    await cli('lines', 'remove', 'task-1');
    await watching.printed('stdout', /task\.remove .*\n/);
    const { code, stdout } = await watching.end('SIGINT');
    expect(code).toBe(0);
    expect(
      stdout
        .replace(/20\S+Z/g, 'when')
        .trimEnd()
        .split('\n'),
    ).toEqual([
      "2 when ann task.add +group 'Build', +task-2 'two' pending",
      "3 when ann task.start task-2 'two' in_progress",
      "4 when ann task.remove -task-1 'one' pending",
    ]);
  });

  it('prints one JSON value per line under --json, the deletion of the room included, and follows the next one', async () => {
    const watching = watch('values', '--json');
    await watching.printed('stdout', /"watching".*\n/);
    await cli('values', 'add', 'one');
    await watching.printed('stdout', /"change".*\n/);
    await cli('values', 'delete', 'values');
    await watching.printed('stdout', /"deleted".*\n[^\n]*"watching".*\n/);
    await cli('values', 'add', 'again');
    await watching.printed('stdout', /again.*\n/);
    const { code, stdout, stderr } = await watching.end('SIGTERM');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { type: 'watching', room: 'values', revision: 0 },
      {
        type: 'change',
        room: 'values',
        revision: 1,
        action: 'task.add',
        actor: 'ann',
        patch: { tasks: [{ number: 1 }] },
      },
      { type: 'deleted', room: 'values', revision: 1 },
      { type: 'watching', room: 'values', revision: 0 },
      { type: 'change', revision: 1 },
    ]);
    expect(lines[4].epoch).not.toBe(lines[1].epoch);
  });

  it('says of a room that is not there that it waits for it, and shows of long texts the first line', async () => {
    const watching = watch('nosuch');
    await watching.printed('stderr', /room nosuch does not exist yet; waiting for it\n/);
    await cli('nosuch', 'add', 'one\n\nand more of it');
    await watching.printed('stdout', /\+task-1 'one…' pending\n/);
    expect((await cli('nosuch', 'show')).stdout).toMatch(/\[ \] task-1 one…\n/);
    expect((await cli('nosuch', 'log')).stdout).toContain("+task-1 'one…'");
    expect((await watching.end('SIGINT')).code).toBe(0);
  });

  it('comes back after the server was away, and misses nothing', async () => {
    await cli('away', 'add', 'one');
    const watching = watch('away');
    await watching.printed('stderr', /watching room away/);
    await server.kill();
    await watching.printed('stderr', /trying again/);
    await server.restart();
    await cli('away', 'add', 'two');
    await watching.printed('stdout', /task-2 'two'/);
    await watching.printed('stderr', /connected again/);
    expect((await watching.end('SIGINT')).code).toBe(0);
  });

  it('follows the list of rooms with --rooms', async () => {
    const watching = watch('any', '--rooms', '--json');
    await watching.printed('stdout', /"type":"rooms".*\n/);
    await cli('fresh', 'add', 'one');
    await watching.printed('stdout', /"room":"fresh","action":"task.add".*\n/);
    await cli('fresh', 'delete', 'fresh');
    await watching.printed('stdout', /"room":"fresh","action":"delete".*"entry":null.*\n/);
    expect((await watching.end('SIGINT')).code).toBe(0);
  });
});

describe('serve', () => {
  it('takes its settings from the environment, prints the address last, and ends with 0 on SIGTERM', async () => {
    const data = await mkdtemp(join(tmpdir(), 'planroom-serve-'));
    const serving = new RunningCli(['serve'], { env: { PLANROOM_PORT: '0', PLANROOM_DATA: data } });
    const [, url] = await serving.printed('stdout', /(http:\/\/127\.0\.0\.1:\d+)\n$/);
    expect((await runCli(['add', 'one', '--url', url ?? ''])).code).toBe(0);
    const second = await runCli(['serve', '--port', '0', '--data', data]);
    expect(second).toMatchObject({ code: 5, stdout: '' });
    expect((await serving.end('SIGTERM')).code).toBe(0);
    await rm(data, { recursive: true, force: true });
  });

  it.each([
    [['serve', '--port', 'many']],
    [['serve', '--port', '65536']],
    [['serve', '--host', '0.0.0.0']],
    [['serve', '--wings']],
  ])('%j is bad usage', async (args) => {
    expect(await runCli(args)).toMatchObject({ code: 2, stdout: '' });
  });

  it('a port that is in use is told: exit code 5', async () => {
    const data = await mkdtemp(join(tmpdir(), 'planroom-serve-'));
    const taken = await runCli(['serve', '--port', new URL(server.url).port, '--data', data]);
    expect(taken).toMatchObject({ code: 5, stderr: expect.stringContaining('in use') });
    await rm(data, { recursive: true, force: true });
  });
});
