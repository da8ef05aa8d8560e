import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { limits } from '../../../shared/plan/limits.ts';
import { type ErrorBody, errorKinds } from '../../../shared/protocol/error-code.ts';
import { refusalOf, refuseConnection } from '../local-guard.ts';
import { failure } from './answer.ts';

/** Takes over a connection that asks to be upgraded. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Answers a request itself, below the router. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface HttpServerOptions {
  readonly fetch: Parameters<typeof getRequestListener>[0];
  /** By path, such as `/ws`. */
  readonly upgrades: ReadonlyMap<string, UpgradeHandler>;
  /** By path, such as `/mcp`; every other path goes to `fetch`. */
  readonly handlers: ReadonlyMap<string, RequestHandler>;
  readonly onFault: (error: unknown) => void;
  readonly headerTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

/** The one HTTP server all endpoints share: bounds of header, body and time, and who takes an upgrade. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { fetch, upgrades, handlers, onFault } = options;
  const { headerTimeoutMs = limits.httpHeaderTimeoutMs, requestTimeoutMs = limits.httpRequestTimeoutMs } = options;
  const listener = getRequestListener(fetch, { errorHandler: (error) => answerBadRequest(error, onFault) });
  const responses = new WeakMap<Duplex, ServerResponse>();
  const server = createServer(
    {
      maxHeaderSize: limits.httpHeaderBytesMax,
      headersTimeout: headerTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(2_000, headerTimeoutMs),
      noDelay: true,
      // Ours says what is wrong.
      requireHostHeader: false,
    },
    (request, response) => {
      responses.set(request.socket, response);
      // Before anything reads the target, which needs a Host that can be read.
      const refusal = refusalOf(request);
      if (refusal) {
        refuse(response, refusal);
        return;
      }
      void (handlers.get(pathOf(request)) ?? listener)(request, response);
    },
  );
  server.on('upgrade', (request, socket, head) => {
    // Node's own listener is gone by now: without another one, an abrupt end would end the process.
    socket.on('error', () => socket.destroy());
    const upgrade = upgrades.get(pathOf(request));
    if (upgrade) upgrade(request, socket, head);
    else refuseConnection(socket, nothingToUpgrade(upgrades));
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    refuseConnection(socket, { code: 'method_not_allowed', message: 'This server is no proxy.' });
  });
  server.on('checkExpectation', (request, response) => {
    const message = `Nothing is known of the expectation '${String(request.headers.expect).slice(0, 100)}'.`;
    refuse(response, { code: 'bad_message', message }, 417);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = responses.get(socket);
    // In the middle of an answer there is no place for another one.
    const isAnswering = response?.headersSent === true && !response.writableFinished;
    if (!socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    const { body, status } = unreadable(error);
    refuseConnection(socket, body, status);
  });
  return server;
}

/** What to answer to bytes that are no request, or to one that does not come to its end. */
function unreadable({ code, message }: NodeJS.ErrnoException): { readonly body: ErrorBody; readonly status: number } {
  const { httpHeaderBytesMax } = limits;
  switch (code) {
    case 'HPE_HEADER_OVERFLOW': {
      const what = `Request line and headers may have ${httpHeaderBytesMax} bytes.`;
      return { body: { code: 'too_large', message: what, facts: { httpHeaderBytesMax } }, status: 431 };
    }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { body: { code: 'too_large', message: 'The extensions of the chunks are too long.' }, status: 413 };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { body: { code: 'bad_message', message: 'The request did not arrive in time.' }, status: 408 };
    default:
      return {
        body: { code: 'bad_message', message: `This is no HTTP request: ${message.slice(0, 200)}.` },
        status: 400,
      };
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}

function nothingToUpgrade(upgrades: HttpServerOptions['upgrades']): ErrorBody {
  return { code: 'unknown_operation', message: `WebSocket is spoken at ${[...upgrades.keys()].join(', ')}.` };
}

function refuse(response: ServerResponse, body: ErrorBody, status: number = errorKinds[body.code].httpStatus): void {
  const bytes = Buffer.from(JSON.stringify({ error: { ...body, retryable: errorKinds[body.code].retryable } }));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    connection: 'close',
  });
  response.end(bytes);
}

/** A request whose target cannot be read never gets as far as a route. */
function answerBadRequest(error: unknown, onFault: (error: unknown) => void): Response {
  if (error instanceof RequestError) {
    return failure({ code: 'bad_message', message: 'The target cannot be read; send a path such as /api/rooms.' });
  }
  onFault(error);
  return failure({ code: 'internal', message: 'A fault of the server; it is logged there.' });
}
