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

/** A failure of the SDK with its exit code; one that a server would mend says how to start one. */
export function fromClient({ code, message, facts }: ClientFailure): CliFailure {
  const hint = code === 'unreachable' ? ' Is it running? Start one with: planroom serve' : '';
  return { code, message: `${message}${hint}`, ...(facts && { facts }), exitCode: exitCodeOf(code) };
}

function exitCodeOf(code: ClientFailure['code']): ExitCode {
  if (code === 'bad_room_name') return exitCodes.badUsage;
  if (code === 'unreachable' || code === 'connection_lost' || code === 'closed') return exitCodes.unreachable;
  if (code === 'forbidden' || code === 'unsupported_version') return exitCodes.unreachable;
  const status = errorKinds[code as ErrorCode]?.httpStatus ?? 500;
  if (status === 409) return exitCodes.conflict;
  return status >= 500 || status === 429 ? exitCodes.unreachable : exitCodes.rejected;
}
