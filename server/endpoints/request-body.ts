import type { IncomingMessage } from 'node:http';
import { limits } from '../../shared/plan/limits.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import type { ErrorBody } from '../../shared/protocol/error-code.ts';

const { httpBodyBytesMax } = limits;

const tooLarge: ErrorBody = {
  code: 'too_large',
  message: `A body may have ${httpBodyBytesMax} bytes.`,
  facts: { httpBodyBytesMax },
};

/**
 * The text of a request's body: UTF-8, of at most `httpBodyBytesMax`. Where it is `too_large` the connection should close
 * with the answer, for what is left of it is not waited for.
 */
export async function readText(incoming: IncomingMessage): Promise<Result<string, ErrorBody>> {
  const bytes = await readBytes(incoming);
  if (!bytes.ok) return bytes;
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.value));
  } catch {
    return err({ code: 'bad_frame', message: 'The body is not UTF-8 text.' });
  }
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
