import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ok, type Result } from '../../shared/plan/result.ts';
import { isRoomName, roomNameRule } from '../../shared/protocol/names.ts';
import { checkOptions } from '../sdk/index.ts';
import { type CliFailure, usageFailure } from './failure.ts';

/** What every command that talks to a server is told. */
export interface Settings {
  readonly url: string;
  readonly room: string;
  readonly actor: string;
  readonly json: boolean;
}

/** Adds the options to the program: they may stand before or after the command. */
export function addCommonOptions(program: Command): Command {
  return program
    .addOption(setting('--url <url>', 'address of the server', 'PLANROOM_URL').default('http://127.0.0.1:4747'))
    .addOption(setting('--room <name>', 'room to work in', 'PLANROOM_ROOM').default('main'))
    .addOption(
      setting('--as <name>', 'who you are, to the others', 'PLANROOM_ACTOR').default(userName(), 'your user name'),
    )
    .option('--json', 'one JSON document on stdout; a failure is one JSON line on stderr', false);
}

/** An option that the environment may give as well. An empty variable is as good as none. */
export function setting(flags: string, description: string, variable: string): Option {
  const option = new Option(flags, description);
  return process.env[variable] === '' ? option : option.env(variable);
}

/** The common options of a command, checked before anything is asked of a server. */
export function readSettings(command: Command): Result<Settings, CliFailure> {
  const { url, room, as, json } = command.optsWithGlobals<{ url: string; room: string; as: string; json: boolean }>();
  const checked = checkOptions({ url, actor: as });
  if (!checked.ok) return usageFailure(checked.error);
  if (!isRoomName(room)) return usageFailure(`'${room}' is not a room name: ${roomNameRule}.`);
  return ok({ url, room, actor: as, json });
}

/** For options that take a revision. */
export function parseRevision(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('A revision is a whole number, 0 or more.');
}

/** For options that take a list: `a,b`, and the option again for more. An empty text stands for the empty list. */
export function collectList(text: string, before: readonly string[] | undefined): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return [...(before ?? []), ...entries.filter((entry) => entry !== '')];
}

function userName(): string {
  try {
    return userInfo().username || 'someone';
  } catch {
    // A container may run under a user id without a name.
    return 'someone';
  }
}
