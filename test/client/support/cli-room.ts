import { expect } from 'vitest';
import { type CliOptions, type CliRun, runCli } from './run-cli.ts';

/** The program working in one room of a server as `ann`. */
export function cliRoom(url: string, room: string) {
  const env = { PLANROOM_URL: url, PLANROOM_ROOM: room, PLANROOM_ACTOR: 'ann' };
  const run = (args: readonly string[], options: CliOptions = {}): Promise<CliRun> =>
    runCli(args, { ...options, env: { ...env, ...options.env } });
  /** The document that the command prints under --json. */
  const json = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    return JSON.parse(stdout);
  };
  /** The error that the command prints under --json. */
  const failure = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    return { exit: code, ...JSON.parse(stderr).error };
  };
  return { room, env, run, json, failure };
}

/** A run that went well and had no advice. */
export const ok = (stdout: string | RegExp) => ({
  code: 0,
  stdout: expect.stringMatching(stdout),
  stderr: '',
});
