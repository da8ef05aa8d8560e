import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../../shared/plan/limits.ts';

/**
 * The bridge between what Node serves and the Request and Response that the SDK speaks. The SDK's own bridge writes the
 * parsed body out as text again, which a document of megabytes pays for, and lets what a slow reader leaves grow without
 * end.
 */

/** The request without its body, which goes beside it, parsed. Its signal says that the client is gone. */
export function toRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const gone = new AbortController();
  if (outgoing.destroyed) gone.abort();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === 'string') headers.set(name, value);
  }
  return new Request('http://localhost/mcp', { method: incoming.method ?? 'GET', headers, signal: gone.signal });
}

/** Writes the response out. Settles when all is handed over, or the client is gone. */
export async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  if (outgoing.destroyed) {
    await response.body?.cancel();
    return;
  }
  const headers = Object.fromEntries(response.headers);
  if (response.body && isStream(response)) {
    outgoing.writeHead(response.status, headers);
    outgoing.flushHeaders();
    await pump(response.body, outgoing);
    return;
  }
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, { ...headers, 'content-length': body.length });
  outgoing.end(body);
}

function isStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

async function pump(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  outgoing.once('close', cancel);
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
    // A reader that stays behind is cut off; it comes again and reads what is then.
    if (outgoing.writableLength > limits.outboxBytesMax) outgoing.destroy();
    else outgoing.write(value);
  }
  outgoing.off('close', cancel);
  outgoing.end();
}
