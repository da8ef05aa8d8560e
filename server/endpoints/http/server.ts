import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { limits } from '../../../shared/plan/limits.ts';
import type { ErrorBody } from '../../../shared/protocol/error-code.ts';
import { refuseUpgrade } from '../local-guard.ts';
import { failure } from './answer.ts';

/** Takes over a connection that asks to be upgraded. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpServerOptions {
  readonly fetch: Parameters<typeof getRequestListener>[0];
  /** By path, such as `/ws`. */
  readonly upgrades: ReadonlyMap<string, UpgradeHandler>;
  readonly onFault: (error: unknown) => void;
  readonly headerTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

/** The one HTTP server all endpoints share: bounds of header, body and time, and who takes an upgrade. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { fetch, upgrades, onFault } = options;
  const { headerTimeoutMs = limits.httpHeaderTimeoutMs, requestTimeoutMs = limits.httpRequestTimeoutMs } = options;
  const server = createServer(
    {
      maxHeaderSize: limits.httpHeaderBytesMax,
      headersTimeout: headerTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(2_000, headerTimeoutMs),
      noDelay: true,
    },
    getRequestListener(fetch, { errorHandler: (error) => answerBadRequest(error, onFault) }),
  );
  server.on('upgrade', (request, socket, head) => {
    // Node's own listener is gone by now: without another one, an abrupt end would end the process.
    socket.on('error', () => socket.destroy());
    const upgrade = upgrades.get((request.url ?? '').split('?')[0] ?? '');
    if (upgrade) upgrade(request, socket, head);
    else refuseUpgrade(socket, nothingToUpgrade(upgrades));
  });
  return server;
}

function nothingToUpgrade(upgrades: HttpServerOptions['upgrades']): ErrorBody {
  return { code: 'unknown_operation', message: `WebSocket is spoken at ${[...upgrades.keys()].join(', ')}.` };
}

/** A request whose Host or target cannot be read never gets as far as a route. */
function answerBadRequest(error: unknown, onFault: (error: unknown) => void): Response {
  if (!(error instanceof RequestError)) {
    onFault(error);
    return failure({ code: 'internal', message: 'A fault of the server; it is logged there.' });
  }
  if (/host/i.test(error.message)) {
    return failure({ code: 'forbidden', message: 'The Host header is not this machine; use localhost or 127.0.0.1.' });
  }
  return failure({
    code: 'bad_message',
    message: 'The target of the request cannot be read; send a path such as /api/rooms.',
  });
}
