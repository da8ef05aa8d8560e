/** The part of the WebSocket interface that the client uses; browsers, Node >= 22 and the `ws` package have it. */
export interface SocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'message' | 'error' | 'close', listener: (event: SocketEvent) => void): void;
  /** Ends the connection without a closing handshake; only `ws` has it. */
  terminate?(): void;
}

export interface SocketEvent {
  readonly type?: string;
  /** Of a message. */
  readonly data?: unknown;
  /** Of a close. */
  readonly code?: number;
  readonly reason?: string;
  /** Of an error, where the implementation tells. */
  readonly message?: string;
  readonly error?: unknown;
}

export type SocketConstructor = new (url: string) => SocketLike;

/** The constructor of this platform; on Node 20 that of `ws`. */
export async function platformWebSocket(): Promise<SocketConstructor> {
  const { WebSocket: global } = globalThis as { WebSocket?: SocketConstructor };
  if (global) return global;
  const { WebSocket } = await import('ws');
  return WebSocket;
}

/** Where a server is reached over WebSocket and over HTTP. */
export interface Addresses {
  /** With the path `/ws`. */
  readonly socketUrl: string;
  /** Without a slash at the end. */
  readonly httpUrl: string;
}

/** The addresses of a server given as an http(s) or ws(s) URL; undefined when it is none. A path before `/ws` is kept. */
export function addressesOf(url: string): Addresses | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return undefined;
  }
  const secure = parsed.protocol === 'https:' || parsed.protocol === 'wss:';
  if (!secure && parsed.protocol !== 'http:' && parsed.protocol !== 'ws:') return undefined;
  const path = parsed.pathname.replace(/\/+$/, '').replace(/\/ws$/, '');
  const place = `${parsed.host}${path}`;
  return {
    socketUrl: `${secure ? 'wss' : 'ws'}://${place}/ws`,
    httpUrl: `${secure ? 'https' : 'http'}://${place}`,
  };
}
