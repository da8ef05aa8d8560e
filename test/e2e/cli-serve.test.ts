import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { RunningCli, runCli } from '../client/support/run-cli.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planroom-serve-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('serve', () => {
  it('with --json says where it is in one document, and makes the folders it needs', async () => {
    const data = join(folder, 'a', 'b', 'c');
    const running = new RunningCli(['serve', '--port', '0', '--data', data, '--json']);
    const [, url] = await running.printed('stdout', /"url":"(http:[^"]+)"/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o700);
    const second = await runCli(['serve', '--port', '0', '--data', data, '--json']);
    expect(second).toMatchObject({ code: 5, stdout: '' });
    expect(JSON.parse(second.stderr).error).toMatchObject({ code: 'folder_busy', retryable: false });
    const { code, stdout, stderr } = await running.end('SIGTERM');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ url, folder: data, pid: running.child.pid });
  });

  it('says in a sentence why a data folder cannot be had, and ends', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    for (const data of [file, join(file, 'below')]) {
      const run = await runCli(['serve', '--port', '0', '--data', data]);
      expect(run).toMatchObject({
        code: 5,
        stdout: '',
        stderr: expect.stringContaining('is a file, or lies below one'),
      });
    }
  });

  it.runIf(process.platform === 'linux')('ends where the system takes no folders', async () => {
    const asked = await runCli(['serve', '--port', '0', '--data', '/proc/x']);
    expect(asked).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('/proc/x cannot be made') });
    const atHome = await runCli(['serve', '--port', '0'], { env: { HOME: '/proc', XDG_DATA_HOME: '' } });
    expect(atHome).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('/proc/.local cannot be') });
  });

  it.each([
    [['--data', ''], '--data must name a folder'],
    [['--port', '6000'], 'refuse to connect'],
    [['--port', '70000'], 'from 0'],
    [['--host', '0.0.0.0'], 'other machines'],
  ])('%j is bad usage', async (args, words) => {
    const plain = await runCli(['serve', ...args]);
    expect(plain).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) });
    const json = await runCli(['serve', ...args, '--json']);
    expect(json).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'usage', message: expect.stringContaining(words) });
  });

  it('a log level that is none is bad usage', async () => {
    const run = await runCli(['serve', '--port', '0'], { env: { PLANROOM_LOG: 'loud' } });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("not 'loud'") });
  });
});

describe('settings', () => {
  it('an empty variable is as good as none', () => {
    const environment = {
      HOME: '/home/ann',
      XDG_DATA_HOME: '/data',
      PLANROOM_DATA: '',
      PLANROOM_PORT: '',
      PLANROOM_LOG: '',
    };
    expect(readConfig({}, environment)).toMatchObject({
      value: { folder: '/data/planroom', port: 4747, logLevel: 'warn', fileFolders: [] },
    });
  });

  it('an empty variable stays out of the way of the program too', async () => {
    const env = { PLANROOM_DATA: '', XDG_DATA_HOME: folder, PLANROOM_PORT: '', PLANROOM_LOG: 'silent' };
    const running = new RunningCli(['serve', '--port', '0', '--json'], { env });
    await running.printed('stdout', /\n/);
    const { stdout } = await running.end('SIGTERM');
    expect(JSON.parse(stdout).folder).toBe(join(folder, 'planroom'));
  });

  it('every blocked port is one that fetch refuses', async () => {
    const blocked = Array.from({ length: 65_535 }, (_, index) => index + 1).filter(
      (port) => !readConfig({ port: String(port), data: '/x' }, {}).ok,
    );
    expect(blocked.length).toBeGreaterThan(70);
    for (const port of blocked) {
      const why = await fetch(`http://127.0.0.1:${port}`).catch((error: Error) => error.cause);
      expect(String(why)).toContain('bad port');
    }
  });
});
