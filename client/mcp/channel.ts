import {
  type FetchLike,
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import { errorAnswer, fieldsOf, type Id, serverErrorCode } from './message.ts';

/** Why a request has no answer. */
export interface ChannelFailure {
  /**
   * `unreachable`: no answer came, whatever became of the request. `no_session`: the server knows nothing of the session.
   * `stream_taken`: there is a stream already. `cancelled`: nobody waits for it any more.
   */
  readonly code: 'unreachable' | 'no_session' | 'stream_taken' | 'cancelled';
  readonly message: string;
}

export type Answer = Result<JSONRPCResponse, ChannelFailure>;

export interface ChannelOptions {
  /** Where to send to, asked each time. */
  readonly address: () => URL;
  /** Notifications and requests of the server. */
  readonly onMessage: (message: JSONRPCMessage) => void;
  /** Something did not work that nobody waits for. `isLost`: the stream of the session was there and is gone. */
  readonly onTrouble?: (isLost: boolean) => void;
}

/** Requests over Streamable HTTP, each with its answer or the reason why there is none. */
export class Channel {
  private readonly transport: StreamableHTTPClientTransport;
  private readonly waiting = new Map<Id, (answer: JSONRPCResponse) => void>();
  private isClosed = false;

  constructor({ address, onMessage, onTrouble }: ChannelOptions) {
    // The server may come back elsewhere.
    const fetchThere: FetchLike = (_url, init) => fetch(address(), init);
    this.transport = new StreamableHTTPClientTransport(address(), {
      fetch: fetchThere,
      // Whoever owns the session knows better what to do about a lost stream.
      reconnectionScheduler: () => {
        if (!this.isClosed) onTrouble?.(true);
      },
      reconnectionOptions: {
        maxRetries: Number.POSITIVE_INFINITY,
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
      },
    });
    this.transport.onmessage = (message) => this.take(message, onMessage);
    this.transport.onerror = () => {
      if (!this.isClosed) onTrouble?.(false);
    };
  }

  /** A channel for one session, or for requests without one. */
  static async open(options: ChannelOptions): Promise<Channel> {
    const channel = new Channel(options);
    await channel.transport.start();
    return channel;
  }

  /** Of the session, in which each request has to state it. */
  setProtocolVersion(version: string): void {
    this.transport.setProtocolVersion(version);
  }

  request(message: JSONRPCRequest, signal?: AbortSignal): Promise<Answer> {
    const { id } = message;
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        this.waiting.delete(id);
        signal?.removeEventListener('abort', onAbort);
        resolve(answer);
      };
      const onAbort = (): void => settle(err({ code: 'cancelled', message: 'cancelled' }));
      if (signal?.aborted) {
        onAbort();
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting.set(id, (answer) => settle(ok(answer)));
      const onRequestStreamEnd = (): void => settle(err({ code: 'unreachable', message: 'the connection broke' }));
      this.transport
        .send(message, { onRequestStreamEnd, ...(signal && { requestSignal: signal }) })
        .catch((error: unknown) => settle(answerIn(error, id)));
    });
  }

  /** For what gets no answer. */
  async notify(message: JSONRPCNotification | JSONRPCResponse): Promise<Result<void, ChannelFailure>> {
    try {
      await this.transport.send(message);
      return ok(undefined);
    } catch (error) {
      return err(failureIn(error));
    }
  }

  /** Opens the stream of the session again. */
  async openStream(): Promise<Result<void, ChannelFailure>> {
    try {
      await this.transport.resumeStream('');
      return ok(undefined);
    } catch (error) {
      return err(failureIn(error));
    }
  }

  /** Ends the session, if there is one. */
  async terminate(): Promise<void> {
    await this.transport.terminateSession().catch(() => undefined);
  }

  close(): void {
    this.isClosed = true;
    void this.transport.close();
  }

  private take(message: JSONRPCMessage, onMessage: (message: JSONRPCMessage) => void): void {
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) onMessage(message);
    else if (message.id !== undefined) this.waiting.get(message.id)?.(message);
  }
}

/** A refusal over HTTP is an answer all the same, unless it says that the request should be sent again. */
function answerIn(error: unknown, id: Id): Answer {
  const refusal = refusalIn(error);
  if (!refusal || isTemporary(refusal)) return err(failureIn(error));
  const { body, status } = refusal;
  const stated = fieldsOf(body.error);
  const message =
    typeof stated.message === 'string' ? stated.message : `The server answered with HTTP status ${status}.`;
  const isStated = body.jsonrpc === '2.0' && typeof stated.code === 'number';
  const { code, data } = isStated ? stated : { code: serverErrorCode };
  return ok(errorAnswer(id, Number(code), message, data) as JSONRPCResponse);
}

function failureIn(error: unknown): ChannelFailure {
  const refusal = refusalIn(error);
  if (refusal && isSessionGone(refusal)) return { code: 'no_session', message: 'the server does not know the session' };
  if (refusal?.status === 409) return { code: 'stream_taken', message: 'there is a stream already' };
  const { message, cause } = error as Error;
  return { code: 'unreachable', message: cause instanceof Error && cause.message !== '' ? cause.message : message };
}

interface Refusal {
  readonly status: number;
  readonly body: { readonly [name: string]: unknown };
}

function refusalIn(error: unknown): Refusal | undefined {
  if (!(error instanceof SdkHttpError) || error.status === undefined) return undefined;
  const { text } = fieldsOf(error.data);
  try {
    return { status: error.status, body: fieldsOf(JSON.parse(String(text))) };
  } catch {
    return { status: error.status, body: {} };
  }
}

const sessionNotFoundCode = -32_001;

function isTemporary(refusal: Refusal): boolean {
  return isSessionGone(refusal) || fieldsOf(fieldsOf(refusal.body.error).data).code === 'shutting_down';
}

/** A stream that is refused has no body here. */
function isSessionGone({ status, body }: Refusal): boolean {
  return status === 404 && (body.error === undefined || fieldsOf(body.error).code === sessionNotFoundCode);
}
