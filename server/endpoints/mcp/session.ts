import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { invalidParams } from './answers.ts';
import { bounds } from './bounds.ts';
import { parseUri } from './resources.ts';
import type { Subscriptions } from './server.ts';

export type WriteResponse = (response: Response) => Promise<void>;

/** A session of a client of the older revisions: what it follows, and the stream on which it hears of that. */
export class Session implements Subscriptions {
  readonly id: string;
  private readonly nowMs: () => number;
  private readonly transport: SessionTransport;
  private readonly server: Server;
  private readonly followed = new Set<string>();
  /** Of those followed, what changed while no stream was open: told when the next one opens. */
  private readonly missed = new Set<string>();
  private exchanges = 0;
  private streams = 0;
  private usedAtMs: number;

  constructor(id: string, nowMs: () => number, createServer: (subscriptions: Subscriptions) => Server) {
    this.id = id;
    this.nowMs = nowMs;
    this.usedAtMs = nowMs();
    this.transport = new SessionTransport({ sessionIdGenerator: () => id });
    this.server = createServer(this);
  }

  /** Calls back once, when the session is over: ended by its client, or here. */
  async open(onClosed: () => void): Promise<void> {
    this.server.onclose = onClosed;
    await this.server.connect(this.transport);
  }

  /** False while the first request was not a handshake that could be answered. */
  get isInitialized(): boolean {
    return this.transport.sessionId !== undefined;
  }

  isIdle(idleMs: number): boolean {
    return this.exchanges === 0 && this.nowMs() - this.usedAtMs >= idleMs;
  }

  /** Serves one HTTP request of this session; settles when its answer is written, or its stream is over. */
  async serve(request: Request, message: unknown, write: WriteResponse): Promise<void> {
    this.exchanges += 1;
    try {
      const response = await this.transport.handleRequest(request, { parsedBody: message });
      if (request.method === 'GET' && response.ok) await this.stream(response, write);
      else await write(response);
    } finally {
      this.exchanges -= 1;
      this.usedAtMs = this.nowMs();
    }
  }

  readonly subscribe = (uri: string): void => {
    if (!parseUri(uri)) throw invalidParams(`There is no resource '${uri.slice(0, 200)}'. Ask for plan://<room>.`);
    if (!this.followed.has(uri) && this.followed.size >= bounds.subscriptionsMax) {
      throw invalidParams(`A session may follow ${bounds.subscriptionsMax} resources.`);
    }
    this.followed.add(uri);
  };

  readonly unsubscribe = (uri: string): void => {
    this.followed.delete(uri);
    this.missed.delete(uri);
  };

  resourceUpdated(uri: string): void {
    if (!this.followed.has(uri)) return;
    if (this.streams === 0) this.missed.add(uri);
    else this.tell(this.server.sendResourceUpdated({ uri }));
  }

  resourceListChanged(): void {
    if (this.streams > 0) this.tell(this.server.sendResourceListChanged());
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  private async stream(response: Response, write: WriteResponse): Promise<void> {
    this.streams += 1;
    const missed = [...this.missed];
    this.missed.clear();
    for (const uri of missed) this.resourceUpdated(uri);
    try {
      await write(response);
    } finally {
      this.streams -= 1;
    }
  }

  /** A stream that ends in this very moment is nobody's fault. */
  private tell(sending: Promise<void>): void {
    sending.catch(() => undefined);
  }
}

/** The code with which the older revisions say that a resource is not there. The SDK says it as the newest does. */
const resourceNotFoundCode = -32_002;

type SendOptions = Parameters<WebStandardStreamableHTTPServerTransport['send']>[1];

class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  override send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!isResourceNotFound(message)) return super.send(message, options);
    return super.send({ ...message, error: { ...message.error, code: resourceNotFoundCode } }, options);
  }
}

type ErrorMessage = Extract<JSONRPCMessage, { readonly error: unknown }>;

/** Only that error carries a URI. */
function isResourceNotFound(message: JSONRPCMessage): message is ErrorMessage {
  if (!('error' in message) || message.error.code !== ProtocolErrorCode.InvalidParams) return false;
  const { data } = message.error;
  return typeof data === 'object' && data !== null && 'uri' in data;
}
