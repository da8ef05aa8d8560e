import { z } from 'zod';
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

/** A larger result is not said twice. */
const jsonTextCharactersMax = 1024 * 1024;

/** JSON, as `structured` and as the text. */
export function jsonReply(structured: { readonly [key: string]: unknown }, sight?: Shown): ToolReply {
  const json = JSON.stringify(structured);
  const text =
    json.length <= jsonTextCharactersMax
      ? json
      : `The result, ${json.length} characters, is in the structured content.`;
  return { isError: false, text, structured, ...(sight && { sight }) };
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
  const unknown = parsed.error.issues.find(({ code }) => code === 'unrecognized_keys');
  const fields = unknown && fieldsAt(schema, unknown.path);
  const known = fields ? ` It takes ${fields.join(', ')}.` : '';
  return err(refusal(`The arguments are not understood. ${explainIssues(parsed.error)}${known}`));
}

/** The fields of the object at a path of the arguments; undefined where that is none. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] | undefined {
  let at: unknown = schema;
  for (const key of path) {
    if (at instanceof z.ZodPreprocess) at = at.out;
    if (at instanceof z.ZodObject) at = at.shape[key as string];
    else if (at instanceof z.ZodArray) at = at.element;
    else return undefined;
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : undefined;
}
