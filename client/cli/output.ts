import type { Result } from '../../shared/plan/result.ts';
import type { CliFailure, ExitCode } from './failure.ts';
import { exitCodes } from './failure.ts';
import { manyLines, oneLine } from './terminal-text.ts';

/** What a command has to say when it did what was asked. */
export interface Output {
  /** Under `--json`: the one document on stdout. */
  readonly json: unknown;
  /** Else: lines for people. Text of the plan in them must have gone through `terminal-text`. */
  readonly lines?: readonly string[];
  /** Else: a text of the plan as it is, byte for byte, unless stdout is a terminal. */
  readonly text?: string;
  /** Advice that belongs to the answer, for stderr. Under `--json` the document holds it. */
  readonly notes?: readonly string[];
}

export type Outcome = Result<Output, CliFailure>;

/** The streams and the environment that a command runs with. */
export interface Io {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  readonly env: NodeJS.ProcessEnv;
}

/** Writes the outcome where it belongs, and tells the exit code. */
export function present(outcome: Outcome, json: boolean, io: Io): ExitCode {
  if (!outcome.ok) {
    presentFailure(outcome.error, json, io);
    return outcome.error.exitCode;
  }
  const output = outcome.value;
  if (json) {
    io.stdout.write(`${JSON.stringify(output.json)}\n`);
    return exitCodes.ok;
  }
  for (const note of output.notes ?? []) io.stderr.write(`note: ${oneLine(note)}\n`);
  if (output.text !== undefined) io.stdout.write(io.stdout.isTTY ? manyLines(output.text) : output.text);
  if (output.lines && output.lines.length > 0) io.stdout.write(`${output.lines.join('\n')}\n`);
  return exitCodes.ok;
}

export function presentFailure(failure: CliFailure, json: boolean, io: Io): void {
  const { code, message, retryable = false, facts } = failure;
  const error = { code, message, retryable, ...(facts && { facts }) };
  io.stderr.write(json ? `${JSON.stringify({ error })}\n` : `planroom: ${oneLine(message)}\n`);
}

const styles = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;

export type Paint = (style: keyof typeof styles, text: string) => string;

/** Colours for a terminal that wants them; else the text as it is. https://no-color.org */
export function paintFor(io: Io): Paint {
  const wanted = io.stdout.isTTY === true && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
  return (style, text) => (wanted ? `\u001b[${styles[style]}m${text}\u001b[0m` : text);
}
