import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorBody, errorKinds } from '../../shared/protocol/error-code.ts';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Whether an address to bind, or the name in a Host or Origin header, is this machine alone. */
export function isLoopbackName(name: string): boolean {
  return loopbackNames.has(name.toLowerCase()) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/**
 * Keeps web pages of other sites out of a server on loopback: a page that resolves its own name to 127.0.0.1 shows in the
 * Host header, a page that opens a socket across sites in the Origin header. Undefined: let through.
 */
export function refusalOf(headers: IncomingHttpHeaders): ErrorBody | undefined {
  const host = hostName(headers.host);
  if (host === undefined || !isLoopbackName(host)) {
    return forbidden(`The Host header '${shorten(headers.host)}' is not this machine; use localhost or 127.0.0.1.`);
  }
  const { origin } = headers;
  if (origin === undefined || isLoopbackOrigin(origin)) return undefined;
  return forbidden(`Pages of '${shorten(origin)}' may not use this server.`);
}

/** Answers an upgrade with why not, and ends the connection: also of a client that keeps its own side open. */
export function refuseUpgrade(socket: Duplex, body: ErrorBody): void {
  const { httpStatus, retryable } = errorKinds[body.code];
  const text = JSON.stringify({ error: { ...body, retryable } });
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, origin: canonical } = new URL(origin);
  // Browsers send an origin and nothing else: no path, no user.
  if (canonical !== origin.toLowerCase()) return false;
  return (protocol === 'http:' || protocol === 'https:') && isLoopbackName(hostname);
}

function hostName(host: string | undefined): string | undefined {
  if (host === undefined || !/^[^@/\\?#]+$/.test(host) || !URL.canParse(`http://${host}/`)) return undefined;
  return new URL(`http://${host}/`).hostname;
}

function forbidden(message: string): ErrorBody {
  return { code: 'forbidden', message };
}

function shorten(text: string | undefined): string {
  return (text ?? '').slice(0, 100);
}
