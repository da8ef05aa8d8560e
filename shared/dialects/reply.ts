import type { z } from 'zod';
import type { Nag } from '../plan/change.ts';
import { err, ok, type Result } from '../plan/result.ts';
import { explainIssues } from '../protocol/codec.ts';
import type { Failure, Shown, ToolReply } from './dialect.ts';

/** The ways a tool answers. */

export function refusal(message: string): ToolReply {
  return { isError: true, text: message };
}

export function failure({ message }: Failure): ToolReply {
  return refusal(message);
}

/** Plain text, for tools that answer in sentences. */
export function textReply(text: string, sight?: Shown): ToolReply {
  return { isError: false, text, ...(sight && { sight }) };
}

/** JSON, as `structured` and as the text. */
export function jsonReply(structured: { readonly [key: string]: unknown }, sight?: Shown): ToolReply {
  return { isError: false, text: JSON.stringify(structured), structured, ...(sight && { sight }) };
}

/** Advice behind a text, for tools that have no place for it: a line each. */
export function withNags(text: string, nags: readonly Pick<Nag, 'message'>[]): string {
  return [text, ...nags.map(({ message }) => `Note: ${message}`)].join('\n');
}

/** The arguments in the shape of the schema, or the answer that says what is wrong with them. */
export function parseArguments<Schema extends z.ZodType>(
  schema: Schema,
  args: unknown,
): Result<z.output<Schema>, ToolReply> {
  const parsed = schema.safeParse(args ?? {});
  if (parsed.success) return ok(parsed.data);
  return err(refusal(`The arguments are not understood. ${explainIssues(parsed.error)}`));
}
