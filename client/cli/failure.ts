import { err } from '../../shared/plan/result.ts';
import { type ErrorCode, errorKinds } from '../../shared/protocol/error-code.ts';
import type { ClientFailure } from '../sdk/index.ts';

/** What the exit code of a command says. */
export const exitCodes = {
  ok: 0,
  badUsage: 2,
  conflict: 3,
  /** Rejected by the rules of the plan, or not found. */
  rejected: 4,
  /** The server cannot be reached, or it or a file cannot be read or written. */
  unreachable: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Why a command did not do what was asked. */
export interface CliFailure {
  readonly code: string;
  readonly message: string;
  readonly facts?: { readonly [name: string]: unknown };
  /** Whether the very same command can succeed later; false when absent. */
  readonly retryable?: boolean;
  readonly exitCode: ExitCode;
}

export function usageFailure(message: string): { readonly ok: false; readonly error: CliFailure } {
  return err({ code: 'usage', message, exitCode: exitCodes.badUsage });
}

export function cliFailure(
  code: string,
  message: string,
  exitCode: ExitCode,
): { readonly ok: false; readonly error: CliFailure } {
  return err({ code, message, exitCode });
}

/** A failure of the SDK with its exit code, in the words of this program. `url` is where the server was looked for. */
export function fromClient(failure: ClientFailure, url?: string): CliFailure {
  const { code, facts, retryable } = failure;
  return { code, message: inWords(failure, url), retryable, ...(facts && { facts }), exitCode: exitCodeOf(code) };
}

/** The server speaks to every kind of client; here its advice becomes a command that can be typed. */
function inWords({ code, message, facts }: ClientFailure, url: string | undefined): string {
  const task = String(facts?.task ?? '<task>');
  switch (code) {
    case 'unreachable':
      return `${message} ${reachHint(url)}`;
    case 'room_not_found':
      return `${sentence(message, 'List the rooms')} See the rooms with: planroom rooms`;
    case 'task_not_found':
      return `${sentence(message, 'List the tasks')} ${meantTask(facts)}See the tasks with: planroom show`;
    case 'group_not_found':
      return `${message} See the groups with: planroom show`;
    case 'group_not_empty':
      return message.replace('pass withTasks: true', 'add --with-tasks');
    case 'taken':
    case 'terminal':
      return message.replace('(task.reopen)', `(planroom reopen ${task})`);
    default:
      return message;
  }
}

/** The message up to the sentence that begins with these words. */
function sentence(message: string, words: string): string {
  const start = message.indexOf(` ${words}`);
  return start < 0 ? message : message.slice(0, start);
}

function reachHint(url: string | undefined): string {
  const path = url !== undefined && URL.canParse(url) ? new URL(url).pathname.replace(/\/(ws)?\/*$/, '') : '';
  if (path === '') return 'Is it running? Start one with: planroom serve';
  return `The address has the path '${path}', which 'planroom serve' does not; try it without.`;
}

function meantTask(facts: ClientFailure['facts']): string {
  return typeof facts?.meant === 'string' ? `Did you mean ${facts.meant}? ` : '';
}

function exitCodeOf(code: ClientFailure['code']): ExitCode {
  if (code === 'bad_room_name') return exitCodes.badUsage;
  if (code === 'unreachable' || code === 'connection_lost' || code === 'closed') return exitCodes.unreachable;
  if (code === 'forbidden' || code === 'unsupported_version') return exitCodes.unreachable;
  const status = errorKinds[code as ErrorCode]?.httpStatus ?? 500;
  if (status === 409) return exitCodes.conflict;
  return status >= 500 || status === 429 ? exitCodes.unreachable : exitCodes.rejected;
}
