import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Io } from '../../client/cli/output.ts';
import { runProgram } from '../../client/cli/program.ts';
import { RunningCli, runCli } from '../client/support/run-cli.ts';
import { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start();
});
afterAll(() => server.dispose());

/** Runs the program in this process, on streams that say they are a terminal. */
async function onTerminal(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const stdout = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY: true });
  const stderr = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY: true });
  const io = { stdout, stderr, stdin: process.stdin, env } as unknown as Io;
  const code = await runProgram([...args, '--url', server.url], io);
  return { code, stdout: stdout.read() as string | null, stderr: stderr.read() as string | null };
}

describe('what plans say and terminals obey', () => {
  const evil = 'a\u001b]0;owned\u0007b\u001b[2Jc\u202ed\r\ne\u009bf';

  it('control characters of a plan never reach a terminal raw, and are shown as escapes', async () => {
    const as = (args: string[], input = '') => runCli([...args, '--room', 'evil', '--url', server.url], { input });
    await as(['add', evil, '--group', evil, '--label', evil, '--depends', 'x\u001b[2J']);
    expect((await as(['doc', 'write', '-', '--title', evil, '--status', evil], `# x\n\ty${evil}`)).code).toBe(0);
    for (const args of [['show'], ['doc'], ['export'], ['rooms'], ['start', 'task-1'], ['verify', evil]]) {
      const { code, stdout, stderr } = await onTerminal([...args, '--room', 'evil'], { NO_COLOR: '1' });
      expect(code).toBe(0);
      expect(`${stdout ?? ''}${stderr ?? ''}`.replace(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
    expect((await onTerminal(['show', '--room', 'evil'])).stdout).toContain(
      'a\\x1b]0;owned\\x07b\\x1b[2Jc\\u{202e}d\\r\\ne\\x9bf',
    );
  });

  it('a name or a message with control characters is escaped too', async () => {
    const { stderr } = await onTerminal(['start', 'task\u001b[2J-1', '--room', 'evil']);
    expect(stderr).toContain("'task\\x1b[2J-1'");
  });
});

describe('colours', () => {
  it('are there on a terminal, unless NO_COLOR or a dumb terminal asks for none', async () => {
    await runCli(['add', 'one', '--room', 'colours', '--url', server.url]);
    const escapes = async (env: NodeJS.ProcessEnv) =>
      (await onTerminal(['show', '--room', 'colours'], env)).stdout?.includes('\u001b[1m');
    expect(await escapes({})).toBe(true);
    expect(await escapes({ NO_COLOR: '1' })).toBe(false);
    expect(await escapes({ TERM: 'dumb' })).toBe(false);
    const piped = await runCli(['show', '--room', 'colours', '--url', server.url]);
    expect(piped.stdout).not.toContain('\u001b');
  });
});

describe('a reader that stops reading', () => {
  it('ends the program without a fuss', async () => {
    const markdown = `## Many\n${'- [ ] a task that takes some room in a pipe of a few kilobytes\n'.repeat(9_000)}`;
    await runCli(['import', '-', '--room', 'large', '--url', server.url], { input: markdown });
    const running = new RunningCli(['show', '--room', 'large', '--url', server.url]);
    await once(running.child.stdout, 'data');
    running.child.stdout.destroy();
    expect(await running.exited).toMatchObject({ code: 0, stderr: '' });
  });
});
