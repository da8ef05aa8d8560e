import { limits } from '../../shared/plan/limits.ts';
import type { ClientMessage } from '../../shared/protocol/client-message.ts';
import { closeCodes } from '../../shared/protocol/close-code.ts';
import type { ServerMessage, Welcome } from '../../shared/protocol/server-message.ts';
import { protocolVersion } from '../../shared/protocol/version.ts';
import type { Environment } from './environment.ts';
import { type FrameBounds, packFrames, readFrame } from './frames.ts';
import { Heartbeat } from './heartbeat.ts';
import type { SocketConstructor, SocketEvent, SocketLike } from './web-socket.ts';

/** Why a connection ended. */
export interface Ending {
  /** Close code of the WebSocket; 1006 when it went without one. */
  readonly code: number;
  readonly reason: string;
}

export interface ConnectionEvents {
  /** The server said welcome; from now on everything may be sent. */
  readonly onWelcome: (welcome: Welcome) => void;
  /** The messages of one frame, `welcome` and `pong` left out. */
  readonly onMessages: (messages: readonly ServerMessage[]) => void;
  /** Told once, last. */
  readonly onEnd: (ending: Ending) => void;
}

export interface Introduction {
  readonly actor: string | undefined;
  readonly client: string;
}

/** Time from the first packet to `welcome`: a server that never answers must not hold the client for ever. */
const connectTimeoutMs = 10_000;
/** Time for the close that belongs to an error. */
const closeAfterErrorMs = 100;
const abnormalCloseCode = 1006;

/** One WebSocket from opening to end. What is sent in one tick goes out in as few frames as its bounds allow. */
export class Connection {
  private readonly socket: SocketLike;
  private readonly environment: Environment;
  private readonly events: ConnectionEvents;
  private readonly cancelTimeout: () => void;
  private bounds: FrameBounds = limits;
  private heartbeat: Heartbeat | undefined;
  private unsent: string[] = [];
  private lastError = '';
  private cancelGrace: () => void = () => undefined;
  private ended = false;

  constructor(
    WebSocket: SocketConstructor,
    url: string,
    introduction: Introduction,
    environment: Environment,
    events: ConnectionEvents,
  ) {
    this.environment = environment;
    this.events = events;
    this.socket = new WebSocket(url);
    this.cancelTimeout = environment.setTimer(() => {
      this.abandon({ code: closeCodes.timeout, reason: 'no welcome in time' });
    }, connectTimeoutMs);
    this.socket.addEventListener('open', () => this.sayHello(introduction));
    this.socket.addEventListener('message', (event) => this.receive(event));
    this.socket.addEventListener('error', (event) => this.failed(event));
    this.socket.addEventListener('close', ({ code = abnormalCloseCode, reason }) => {
      this.end({ code, reason: reason || this.lastError });
    });
  }

  /** Sends the message with the others of this tick. Only after `onWelcome`; after the end it does nothing. */
  send(message: ClientMessage): void {
    this.sendText(JSON.stringify(message));
  }

  /** As `send`, for a message that is encoded already. */
  sendText(text: string): void {
    if (this.ended) return;
    if (this.unsent.length === 0) queueMicrotask(() => this.flush());
    this.unsent.push(text);
  }

  /** Sends what waits and closes in good order. `onEnd` is told at once, not when the server agrees. */
  close(): void {
    if (this.ended) return;
    this.flush();
    this.socket.close(1000);
    this.end({ code: 1000, reason: '' });
  }

  private sayHello({ actor, client }: Introduction): void {
    this.send({ type: 'hello', protocol: protocolVersion, client, ...(actor !== undefined && { actor }) });
  }

  private receive({ data }: SocketEvent): void {
    if (this.ended) return;
    this.heartbeat?.heard();
    const messages: ServerMessage[] = [];
    for (const message of readFrame(data)) {
      if (message.type === 'welcome') this.welcome(message);
      else if (message.type !== 'pong') messages.push(message);
    }
    if (messages.length > 0) this.events.onMessages(messages);
  }

  private welcome(welcome: Welcome): void {
    this.cancelTimeout();
    this.bounds = welcome.limits;
    const dead = (): void => this.abandon({ code: closeCodes.timeout, reason: 'the server went silent' });
    this.heartbeat = new Heartbeat(
      this.environment,
      welcome.limits.heartbeatIntervalMs,
      () => this.send({ type: 'ping' }),
      dead,
    );
    this.events.onWelcome(welcome);
  }

  private flush(): void {
    if (this.ended) return;
    const texts = this.unsent;
    this.unsent = [];
    for (const frame of packFrames(texts, this.bounds)) this.socket.send(frame);
  }

  /** A close should follow at once, and knows more; where none does (the WebSocket of Node 20 to 22), this is the end. */
  private failed(event: SocketEvent): void {
    if (this.ended) return;
    this.lastError = errorText(event);
    this.cancelGrace();
    this.cancelGrace = this.environment.setTimer(() => {
      this.abandon({ code: abnormalCloseCode, reason: this.lastError });
    }, closeAfterErrorMs);
  }

  /** Takes the connection for dead without waiting for the other side to agree. */
  private abandon(ending: Ending): void {
    this.end(ending);
    if (this.socket.terminate) this.socket.terminate();
    else this.socket.close();
  }

  private end(ending: Ending): void {
    if (this.ended) return;
    this.ended = true;
    this.unsent = [];
    this.cancelTimeout();
    this.cancelGrace();
    this.heartbeat?.stop();
    this.events.onEnd(ending);
  }
}

function errorText({ message, error }: SocketEvent): string {
  // A refused connection to `localhost` is an AggregateError, whose own message is empty.
  const { code, message: inner } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  return message || [inner, code].find((text) => typeof text === 'string' && text !== '')?.toString() || '';
}
