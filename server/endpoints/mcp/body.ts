import type { IncomingMessage } from 'node:http';
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { limits } from '../../../shared/plan/limits.ts';
import { err, type Result } from '../../../shared/plan/result.ts';
import { parseJson } from '../../../shared/protocol/codec.ts';
import type { ErrorBody } from '../../../shared/protocol/error-code.ts';
import { readText } from '../request-body.ts';
import { type Id, idOf, rpcFailure, serverErrorCode } from './answers.ts';

/** The JSON of a request, bounded and free of poison, or the answer that says what is wrong with it. */
export async function readMessage(incoming: IncomingMessage): Promise<Result<unknown, Response>> {
  const text = await readText(incoming);
  if (!text.ok) return err(refusal(text.error));
  const parsed = parseJson(text.value, limits.jsonDepthMax);
  return parsed.ok ? parsed : err(refusal(parsed.error));
}

/** The id of a request that is refused whatever it asks, so that its client knows the answer for one to it. */
export async function readId(incoming: IncomingMessage): Promise<Id | null> {
  const message = incoming.method === 'POST' ? await readMessage(incoming) : undefined;
  return message?.ok ? idOf(message.value) : null;
}

function refusal({ code, message }: ErrorBody): Response {
  // What is left of a body that is too large is not waited for.
  if (code === 'too_large') return rpcFailure(413, serverErrorCode, message, null, { connection: 'close' });
  const isUnreadable = code === 'bad_frame';
  return rpcFailure(400, isUnreadable ? ProtocolErrorCode.ParseError : ProtocolErrorCode.InvalidRequest, message);
}
