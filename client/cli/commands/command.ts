import type { Command } from 'commander';
import { err } from '../../../shared/plan/result.ts';
import type { CliFailure, ExitCode } from '../failure.ts';
import { type Io, type Outcome, present } from '../output.ts';
import { readSettings, type Settings } from '../settings.ts';

/** How commands take part in a run of the program: they read its streams and leave their exit code. */
export interface Run {
  readonly io: Io;
  exitCode: ExitCode;
}

export type Work<Options> = (settings: Settings, args: readonly string[], options: Options) => Promise<Outcome>;

/** Makes an action of a command that asks, waits and answers once. */
export function answering<Options>(run: Run, work: Work<Options>): (...given: unknown[]) => Promise<void> {
  return acting<Options>(run, async (settings, args, options) => {
    const outcome = await work(settings, args, options);
    return present(outcome, settings.json, run.io);
  });
}

/**
 * Makes an action of a command that does its own talking and ends with an exit code. `refuse` tells of settings that are
 * not understood, where that takes more than a line on stderr.
 */
export function acting<Options>(
  run: Run,
  work: (settings: Settings, args: readonly string[], options: Options) => Promise<ExitCode>,
  refuse: (failure: CliFailure, json: boolean) => Promise<ExitCode> | ExitCode = (failure, json) =>
    present(err(failure), json, run.io),
): (...given: unknown[]) => Promise<void> {
  // Commander gives each argument, then the options, then the command.
  return async (...given) => {
    const command = given[given.length - 1] as Command;
    const args = given.slice(0, -2).flatMap((arg) => (arg === undefined ? [] : (arg as string | string[])));
    const settings = readSettings(command);
    run.exitCode = settings.ok
      ? await work(settings.value, args, command.opts<object>() as Options)
      : await refuse(settings.error, command.optsWithGlobals<{ json: boolean }>().json);
  };
}
