import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorBody, errorKinds } from '../../shared/protocol/error-code.ts';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Whether an address to bind, or the name in a Host or Origin header, is this machine alone. */
export function isLoopbackName(name: string): boolean {
  return loopbackNames.has(name.toLowerCase()) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/** Headers that say where a request goes and who asks: of two of them, another program on the way may believe the other. */
const headersThatComeOnce = [
  'host',
  'origin',
  'x-planroom-actor',
  'x-planroom-room',
  'x-planroom-tools',
  'idempotency-key',
];

/**
 * Keeps web pages of other sites out of a server on loopback: a page that resolves its own name to 127.0.0.1 shows in the
 * Host header, a page that opens a socket across sites in the Origin header. Undefined: let through.
 */
export function refusalOf({ headers, headersDistinct, url = '' }: IncomingMessage): ErrorBody | undefined {
  const repeated = headersThatComeOnce.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  if (repeated) return { code: 'bad_message', message: `The header ${repeated} may come once.` };
  if (headers.host === undefined) return { code: 'bad_message', message: 'A request needs a Host header.' };
  const host = hostName(headers.host);
  if (host === undefined || !isLoopbackName(host)) {
    return forbidden(`The Host header '${shorten(headers.host)}' is not this machine; use localhost or 127.0.0.1.`);
  }
  if (!isSameHost(url, headers.host)) {
    return forbidden(`The target '${shorten(url)}' has another host than the Host header; send a path.`);
  }
  const { origin } = headers;
  if (origin === undefined || isLoopbackOrigin(origin)) return undefined;
  return forbidden(`Pages of '${shorten(origin)}' may not use this server.`);
}

/**
 * Answers what is no request to answer (an upgrade, one that cannot be read) with why not, and ends the connection: also
 * of a client that keeps its own side open.
 */
export function refuseConnection(
  socket: Duplex,
  body: ErrorBody,
  status: number = errorKinds[body.code].httpStatus,
): void {
  const text = JSON.stringify({ error: { ...body, retryable: errorKinds[body.code].retryable } });
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, origin: canonical } = new URL(origin);
  // Browsers send an origin and nothing else: no path, no user.
  if (canonical !== origin.toLowerCase()) return false;
  return (protocol === 'http:' || protocol === 'https:') && isLoopbackName(hostname);
}

/** Whether a target that names a host, which then counts before the header, names the one of the header. */
function isSameHost(url: string, host: string | undefined): boolean {
  if (!/^[a-z][a-z\d+.-]*:/i.test(url)) return true;
  return URL.canParse(url) && new URL(url).host === new URL(`http://${host}/`).host;
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
