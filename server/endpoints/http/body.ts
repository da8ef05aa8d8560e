import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { limits } from '../../../shared/plan/limits.ts';
import { err, ok, type Result } from '../../../shared/plan/result.ts';
import { explainIssues, parseJson } from '../../../shared/protocol/codec.ts';
import type { ErrorBody } from '../../../shared/protocol/error-code.ts';

const { httpBodyBytesMax, jsonDepthMax } = limits;

const tooLarge: ErrorBody = {
  code: 'too_large',
  message: `A body may have ${httpBodyBytesMax} bytes.`,
  facts: { httpBodyBytesMax },
};

/** The JSON body of a request, of at most `httpBodyBytesMax`, in the shape of the schema. */
export async function readBody<Schema extends z.ZodType>(
  incoming: IncomingMessage,
  schema: Schema,
): Promise<Result<z.output<Schema>, ErrorBody>> {
  const bytes = await readBytes(incoming);
  if (!bytes.ok) return bytes;
  const text = decodeUtf8(bytes.value);
  if (text === undefined) return err({ code: 'bad_frame', message: 'The body is not UTF-8 text.' });
  const value = parseJson(text, jsonDepthMax);
  if (!value.ok) return value;
  const parsed = schema.safeParse(value.value);
  if (parsed.success) return ok(parsed.data);
  return err({ code: 'bad_message', message: `The body is not understood. ${explainIssues(parsed.error)}` });
}

/** Piece by piece, so that a larger body is refused before it is all here; the connection stays, for the answer. */
async function readBytes(incoming: IncomingMessage): Promise<Result<Buffer, ErrorBody>> {
  if (Number(incoming.headers['content-length'] ?? 0) > httpBodyBytesMax) return err(tooLarge);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
      bytes += piece.length;
      if (bytes > httpBodyBytesMax) return err(tooLarge);
      pieces.push(piece);
    }
  } catch {
    return err({ code: 'bad_frame', message: 'The body ended early.' });
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
