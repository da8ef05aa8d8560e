import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { limits } from '../../../shared/plan/limits.ts';
import { err, ok, type Result } from '../../../shared/plan/result.ts';
import { explainIssues, parseJson } from '../../../shared/protocol/codec.ts';
import type { ErrorBody } from '../../../shared/protocol/error-code.ts';
import { readText } from '../request-body.ts';
import { failure } from './answer.ts';

/** The JSON body of a request in the shape of the schema, or the answer that says what is wrong with it. */
export async function readBody<Schema extends z.ZodType>(
  incoming: IncomingMessage,
  schema: Schema,
): Promise<Result<z.output<Schema>, Response>> {
  const text = await readText(incoming);
  if (!text.ok) return err(refusal(text.error));
  const value = parseJson(text.value, limits.jsonDepthMax);
  if (!value.ok) return err(refusal(value.error));
  const parsed = schema.safeParse(value.value);
  if (parsed.success) return ok(parsed.data);
  return err(refusal({ code: 'bad_message', message: `The body is not understood. ${explainIssues(parsed.error)}` }));
}

function refusal(body: ErrorBody): Response {
  // What is left of a body that is too large is not waited for.
  return failure(body, body.code === 'too_large' ? { connection: 'close' } : {});
}

/** What keeps a body from being read as JSON; undefined: nothing, or there is no body. A stated length of 0 is none. */
export function refusalOfMedia({ headers }: IncomingMessage): Response | undefined {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) return undefined;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') return unsupported(`Content-Encoding '${encoding.slice(0, 40)}'`);
  const type = headers['content-type'];
  if (type === undefined || /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return undefined;
  return unsupported(`Content-Type '${type.slice(0, 100)}'`);
}

function unsupported(what: string): Response {
  const message = `A body with ${what} is not read here; send plain JSON, with Content-Type: application/json.`;
  return failure({ code: 'bad_message', message }, { connection: 'close' }, 415);
}
