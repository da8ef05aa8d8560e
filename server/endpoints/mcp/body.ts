import type { IncomingMessage } from 'node:http';
import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { limits } from '../../../shared/plan/limits.ts';
import { err, ok, type Result } from '../../../shared/plan/result.ts';
import { parseJson } from '../../../shared/protocol/codec.ts';
import { rpcFailure, serverErrorCode } from './answers.ts';

const { httpBodyBytesMax, jsonDepthMax } = limits;

/** The JSON of a request, bounded and free of poison, or the answer that says what is wrong with it. */
export async function readMessage(incoming: IncomingMessage): Promise<Result<unknown, Response>> {
  const bytes = await readBytes(incoming);
  if (!bytes.ok) return bytes;
  const text = decodeUtf8(bytes.value);
  if (text === undefined) return refuse(ProtocolErrorCode.ParseError, 'The body is not UTF-8 text.');
  const parsed = parseJson(text, jsonDepthMax);
  if (parsed.ok) return parsed;
  const { code, message } = parsed.error;
  return refuse(code === 'bad_frame' ? ProtocolErrorCode.ParseError : ProtocolErrorCode.InvalidRequest, message);
}

/** Piece by piece, so that a larger body is refused before it is all here; the connection stays, for the answer. */
async function readBytes(incoming: IncomingMessage): Promise<Result<Buffer, Response>> {
  if (Number(incoming.headers['content-length'] ?? 0) > httpBodyBytesMax) return err(tooLarge());
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
      bytes += piece.length;
      if (bytes > httpBodyBytesMax) return err(tooLarge());
      pieces.push(piece);
    }
  } catch {
    return refuse(ProtocolErrorCode.ParseError, 'The body ended early.');
  }
  return ok(Buffer.concat(pieces));
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refuse(code: number, message: string): Result<never, Response> {
  return err(rpcFailure(400, code, message));
}

/** What is left of a body that is too large is not waited for. */
function tooLarge(): Response {
  const message = `A body may have ${httpBodyBytesMax} bytes.`;
  return rpcFailure(413, serverErrorCode, message, null, { connection: 'close' });
}
