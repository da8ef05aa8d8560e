import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { limits } from '../../../shared/plan/limits.ts';
import { type ErrorBody, errorKinds } from '../../../shared/protocol/error-code.ts';
import { refusalOf, refuseUpgrade } from '../local-guard.ts';
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
  const server = createServer(
    {
      maxHeaderSize: limits.httpHeaderBytesMax,
      headersTimeout: headerTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(2_000, headerTimeoutMs),
      noDelay: true,
    },
    (request, response) => {
      // Before anything reads the target, which needs a Host that can be read.
      const refusal = refusalOf(request.headers);
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
    else refuseUpgrade(socket, nothingToUpgrade(upgrades));
  });
  return server;
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}

function nothingToUpgrade(upgrades: HttpServerOptions['upgrades']): ErrorBody {
  return { code: 'unknown_operation', message: `WebSocket is spoken at ${[...upgrades.keys()].join(', ')}.` };
}

function refuse(response: ServerResponse, body: ErrorBody): void {
  const { httpStatus, retryable } = errorKinds[body.code];
  response.writeHead(httpStatus, { 'content-type': 'application/json; charset=utf-8', connection: 'close' });
  response.end(JSON.stringify({ error: { ...body, retryable } }));
}

/** A request whose target cannot be read never gets as far as a route. */
function answerBadRequest(error: unknown, onFault: (error: unknown) => void): Response {
  if (error instanceof RequestError) {
    return failure({ code: 'bad_message', message: 'The target cannot be read; send a path such as /api/rooms.' });
  }
  onFault(error);
  return failure({ code: 'internal', message: 'A fault of the server; it is logged there.' });
}
