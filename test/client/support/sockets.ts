import { WebSocket } from 'ws';
import { readFrame } from '../../../client/sdk/frames.ts';
import type { SocketEvent, SocketLike } from '../../../client/sdk/web-socket.ts';
import type { ServerMessage } from '../../../shared/protocol/server-message.ts';

interface SentMessage {
  readonly type: string;
  readonly id?: string;
  readonly since?: unknown;
}

/** The real sockets of one client: what went over them, and a way to cut them, as a network does. */
export class Wire {
  /** Frames sent, as the messages in them. */
  readonly sent: SentMessage[][] = [];
  /** Messages received, those of all connections after each other. */
  readonly received: ServerMessage[] = [];
  /** Cuts the connection as soon as a message matches, before the client gets to see its frame. Works once. */
  cutBefore: ((message: ServerMessage) => boolean) | undefined;
  private current: WebSocket | undefined;

  /** Cuts the connection now, without a closing handshake. */
  cut(): void {
    this.current?.terminate();
  }

  /** The messages of one type that were sent so far. */
  sentOf(type: string): SentMessage[] {
    return this.sent.flat().filter((message) => message.type === type);
  }

  get constructorOfSockets(): new (
    url: string,
  ) => SocketLike {
    const wire = this;
    return class {
      private readonly socket: WebSocket;

      constructor(url: string) {
        this.socket = new WebSocket(url);
        wire.current = this.socket;
      }

      send(text: string): void {
        const parsed = JSON.parse(text);
        wire.sent.push(Array.isArray(parsed) ? parsed : [parsed]);
        this.socket.send(text);
      }

      close(code?: number): void {
        this.socket.close(code);
      }

      terminate(): void {
        this.socket.terminate();
      }

      addEventListener(type: 'open' | 'message' | 'error' | 'close', listener: (event: SocketEvent) => void): void {
        this.socket.addEventListener(type, (event: SocketEvent) => {
          if (type !== 'message' || wire.lets(event, this.socket)) listener(event);
        });
      }
    };
  }

  private lets(event: SocketEvent, socket: WebSocket): boolean {
    if (socket.readyState !== socket.OPEN) return false;
    const messages = readFrame(event.data);
    if (this.cutBefore && messages.some(this.cutBefore)) {
      this.cutBefore = undefined;
      socket.terminate();
      return false;
    }
    this.received.push(...messages);
    return true;
  }
}
