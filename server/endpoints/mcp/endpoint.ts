import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, isLegacyRequest, type McpHttpHandler, type Server } from '@modelcontextprotocol/server';
import type { Dialect, Files } from '../../../shared/dialects/dialect.ts';
import { defaultDialect, dialects } from '../../../shared/dialects/registry.ts';
import { assert, ok } from '../../../shared/plan/result.ts';
import type { ErrorBody } from '../../../shared/protocol/error-code.ts';
import type { RoomRegistry } from '../../room/registry.ts';
import type { AtEndOfTick } from '../../room/tick-task.ts';
import { failure } from './answers.ts';
import { readId, readMessage } from './body.ts';
import { bounds } from './bounds.ts';
import { type Caller, callerOf, type DialectChoice } from './caller.ts';
import { Exchanges } from './exchanges.ts';
import { isListen, refusalOfListen } from './listen.ts';
import { createServer, type ServerParts } from './server.ts';
import { Sessions } from './sessions.ts';
import { Updates } from './updates.ts';
import { toRequest, writeResponse } from './web.ts';

export interface McpEndpointOptions {
  readonly rooms: RoomRegistry;
  readonly files: Files;
  /** Also makes session ids: nobody may guess one. */
  readonly newId: () => string;
  readonly atEndOfTick: AtEndOfTick;
  /** Of the package, as clients are told it. */
  readonly version: string;
  /** Faults of ours that a message brought to light. */
  readonly onFault: (error: unknown) => void;
  readonly dialects?: readonly Dialect[];
  readonly defaultDialect?: string;
  readonly sessionsMax?: number;
  readonly sessionIdleMs?: number;
  readonly closePatienceMs?: number;
  readonly nowMs?: () => number;
}

export interface McpEndpoint {
  /** Serves one request for `/mcp`. Never rejects. Host and Origin are checked by then. */
  readonly handle: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
  /** Ends orderly: no new requests, calls under way are answered, streams and sessions end. */
  readonly close: () => Promise<void>;
  readonly counts: { readonly sessions: number; readonly exchanges: number };
}

const allowedMethods: readonly string[] = ['GET', 'POST', 'DELETE'];

/** The first revision without sessions. Revisions are dates, which sort as text. */
const firstModernRevision = '2026-07-28';

const notAllowed = (): Response =>
  failure({ code: 'method_not_allowed', message: 'MCP takes POST, and of sessions GET and DELETE.' }, allowHeader);
const allowHeader = { allow: allowedMethods.join(', ') };
const shuttingDown: ErrorBody = { code: 'shutting_down', message: 'The server is shutting down.' };
const fault: ErrorBody = { code: 'internal', message: 'A fault of the server; it is logged there.' };

/**
 * The MCP endpoint `/mcp`. One URL for all revisions: the newest has no sessions and is served a request at a time, the
 * older ones have sessions of ours. Either way it is the URL of each request that says who asks, and where.
 */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  return new Endpoint(options);
}

class Endpoint implements McpEndpoint {
  private readonly choice: DialectChoice;
  private readonly onFault: (error: unknown) => void;
  private readonly closePatienceMs: number;
  private readonly callers = new WeakMap<Request, Caller>();
  private readonly modern: McpHttpHandler;
  private readonly sessions: Sessions;
  private readonly updates: Updates;
  private readonly sweeping: NodeJS.Timeout;
  private readonly exchanges = new Exchanges();
  private closing = false;

  constructor(options: McpEndpointOptions) {
    const { rooms, files, newId, version, onFault, nowMs = Date.now } = options;
    const { sessionsMax = bounds.sessionsMax, sessionIdleMs = bounds.sessionIdleMs } = options;
    this.onFault = onFault;
    this.closePatienceMs = options.closePatienceMs ?? bounds.closePatienceMs;
    this.choice = {
      dialects: options.dialects ?? dialects,
      defaultDialect: options.defaultDialect ?? defaultDialect,
    };
    const callerOf = (request: Request): Caller => this.knownCaller(request);
    const parts: ServerParts = { context: { rooms, files, newId }, version, onFault, callerOf };
    this.modern = createMcpHandler(({ requestInfo }) => this.createServer(requestInfo, parts), {
      legacy: 'reject',
      maxSubscriptions: bounds.listenStreamsMax,
    });
    this.sessions = new Sessions({ parts, sessionsMax, sessionIdleMs, nowMs });
    const { notify } = this.modern;
    this.updates = new Updates(rooms, options.atEndOfTick, {
      resourceUpdated: (uri) => {
        notify.resourceUpdated(uri);
        this.sessions.resourceUpdated(uri);
      },
      resourceListChanged: () => {
        notify.resourcesChanged();
        this.sessions.resourceListChanged();
      },
    });
    this.sweeping = setInterval(() => this.sessions.sweep(), Math.min(30_000, Math.ceil(sessionIdleMs / 2)));
  }

  get counts(): { readonly sessions: number; readonly exchanges: number } {
    return { sessions: this.sessions.count, exchanges: this.exchanges.count };
  }

  readonly handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    this.exchanges.begin(outgoing);
    // An abrupt end is the client's right.
    outgoing.on('error', () => outgoing.destroy());
    try {
      await this.serve(incoming, outgoing);
    } catch (error) {
      this.onFault(error);
      if (outgoing.headersSent) outgoing.destroy();
      else await writeResponse(failure(fault), outgoing);
    } finally {
      this.exchanges.end(outgoing);
    }
  };

  readonly close = async (): Promise<void> => {
    if (this.closing) return;
    this.closing = true;
    clearInterval(this.sweeping);
    this.updates.close();
    // Calls first: their effect may be on disk already, and the answer says so.
    await this.exchanges.callsAnswered(this.closePatienceMs);
    await Promise.all([this.sessions.close(), this.modern.close()]);
    await this.exchanges.allEnded(this.closePatienceMs);
    this.exchanges.cutOff();
  };

  private async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const write = (response: Response): Promise<void> => writeResponse(response, outgoing);
    if (this.closing) return write(failure(shuttingDown, { connection: 'close' }));
    const { method = '' } = incoming;
    if (!allowedMethods.includes(method)) return write(notAllowed());
    const caller = callerOf(incoming, this.choice);
    if (!caller.ok) return write(failure(caller.error, {}, await readId(incoming)));
    const message = method === 'POST' ? await readMessage(incoming) : ok(undefined);
    if (!message.ok) return write(message.error);
    if (method === 'GET' || isListen(message.value)) this.exchanges.becomesStream(outgoing);
    const request = toRequest(incoming, outgoing);
    this.callers.set(request, caller.value);
    if (await isForSession(request, message.value)) {
      return this.sessions.serve(request, caller.value, message.value, write);
    }
    return write(refusalOfListen(message.value) ?? (await this.modern.fetch(request, { parsedBody: message.value })));
  }

  private knownCaller(request: Request): Caller {
    const caller = this.callers.get(request);
    assert(caller !== undefined, 'a request that was let in has a caller');
    return caller;
  }

  private createServer(request: Request | undefined, parts: ServerParts): Server {
    try {
      assert(request !== undefined, 'the SDK gives the request for which it wants a server');
      return createServer(this.knownCaller(request), parts);
    } catch (error) {
      // The SDK would tell the client alone.
      this.onFault(error);
      throw error;
    }
  }
}

/** The SDK tells which era a POST is of. It takes each GET and DELETE for an old one, though the newest may not send any. */
async function isForSession(request: Request, message: unknown): Promise<boolean> {
  if (request.method === 'POST') return isLegacyRequest(request, message);
  return (request.headers.get('mcp-protocol-version') ?? '') < firstModernRevision;
}
