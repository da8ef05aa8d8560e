import type { ClientMessage } from '../../shared/protocol/client-message.ts';
import { shouldReconnect } from '../../shared/protocol/close-code.ts';
import type { ServerMessage, Welcome } from '../../shared/protocol/server-message.ts';
import { type BackOff, backOffDelayMs, stableAfterMs } from './back-off.ts';
import { Connection, type Ending, type Introduction } from './connection.ts';
import type { Environment } from './environment.ts';
import { type ClientFailure, failure, failureOf } from './failure.ts';
import { platformWebSocket, type SocketConstructor } from './web-socket.ts';

/** `connecting`: a try is under way. `open`: the server said welcome. `waiting`: for the next try. `over`: for good. */
export type LinkStatus = 'connecting' | 'open' | 'waiting' | 'over';

export interface LinkEvents {
  readonly onStatus: (status: LinkStatus, failure: ClientFailure | undefined) => void;
  readonly onWelcome: (welcome: Welcome) => void;
  readonly onMessages: (messages: readonly ServerMessage[]) => void;
  /** An open connection went; told before the status. */
  readonly onLost: () => void;
}

export interface LinkOptions {
  readonly url: string;
  /** The address as the caller gave it, for messages. */
  readonly shownUrl: string;
  readonly introduction: Introduction;
  readonly webSocket: SocketConstructor | undefined;
  readonly backOff: BackOff;
  readonly environment: Environment;
}

/** Keeps one connection to the server alive: makes a new one, after a while, when it goes, until told to stop. */
export class Link {
  private readonly options: LinkOptions;
  private readonly events: LinkEvents;
  private connection: Connection | undefined;
  private current: LinkStatus = 'connecting';
  private cancelTimer: () => void = () => undefined;
  /** Failures since the last stable connection; the wait grows with them. */
  private attempt = 0;
  /** Connections in a row that never got to welcome. */
  private failures = 0;
  private openedAtMs = 0;
  /** What the server said about the connection itself, before it closed it. */
  private complaint: ClientFailure | undefined;

  constructor(options: LinkOptions, events: LinkEvents) {
    this.options = options;
    this.events = events;
    void this.connect();
  }

  get status(): LinkStatus {
    return this.current;
  }

  /** Sends over the open connection; without one it does nothing. */
  send(message: ClientMessage): void {
    if (this.current === 'open') this.connection?.send(message);
  }

  sendText(text: string): void {
    if (this.current === 'open') this.connection?.sendText(text);
  }

  /** Ends for good. What was sent in this tick still goes out. */
  close(reason: ClientFailure): void {
    if (this.current === 'over') return;
    this.cancelTimer();
    this.setStatus('over', reason);
    this.connection?.close();
  }

  private async connect(): Promise<void> {
    const { url, shownUrl, introduction, environment } = this.options;
    const WebSocket = await (this.options.webSocket ?? platformWebSocket());
    if (this.current === 'over') return;
    this.complaint = undefined;
    try {
      this.connection = new Connection(WebSocket, url, introduction, environment, {
        onWelcome: (welcome) => this.welcome(welcome),
        onMessages: (messages) => this.receive(messages),
        onEnd: (ending) => this.ended(ending),
      });
    } catch (error) {
      // Constructors throw for an address they cannot take; another try would not help.
      this.setStatus('over', failure('unreachable', `Cannot connect to ${shownUrl}: ${(error as Error).message}`));
    }
  }

  private welcome(welcome: Welcome): void {
    this.failures = 0;
    this.openedAtMs = this.options.environment.nowMs();
    this.setStatus('open', undefined);
    this.events.onWelcome(welcome);
  }

  private receive(messages: readonly ServerMessage[]): void {
    for (const message of messages) {
      if (message.type === 'error' && message.id === undefined) this.complaint = failureOf(message);
    }
    if (this.current === 'open') this.events.onMessages(messages);
  }

  private ended({ code, reason }: Ending): void {
    if (this.current === 'over') return;
    const { environment, backOff, shownUrl } = this.options;
    const wasOpen = this.current === 'open';
    if (wasOpen) this.events.onLost();
    else this.failures += 1;
    if (wasOpen && environment.nowMs() - this.openedAtMs >= stableAfterMs) this.attempt = 0;
    const why = reason || this.complaint?.message || `the connection closed with code ${code}`;
    const said = failure('unreachable', `Cannot reach the server at ${shownUrl}: ${why.replace(/[.\s]+$/, '')}.`);
    if (!shouldReconnect(code)) {
      this.setStatus('over', this.complaint ?? said);
    } else if (this.failures >= backOff.attemptsMax) {
      this.setStatus('over', said);
    } else {
      this.setStatus('waiting', said);
      const delayMs = backOffDelayMs(this.attempt, environment.random, backOff);
      this.attempt += 1;
      this.cancelTimer = environment.setTimer(() => {
        this.setStatus('connecting', undefined);
        void this.connect();
      }, delayMs);
    }
  }

  private setStatus(status: LinkStatus, reason: ClientFailure | undefined): void {
    this.current = status;
    this.events.onStatus(status, reason);
  }
}
