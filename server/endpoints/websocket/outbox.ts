import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limits } from '../../../shared/plan/limits.ts';
import { closeCodes } from '../../../shared/protocol/close-code.ts';
import type { ServerMessage } from '../../../shared/protocol/server-message.ts';
import { type Frame, textFrame } from './frames.ts';

/**
 * What goes out to one connection. Everything of a tick leaves together, in order: messages of its own as one frame,
 * shared frames as they are. Frames are written to the socket past the ws library, which would build a header for each
 * receiver; without compression nothing in it waits, so frames never interleave.
 *
 * Bounded: a reader so slow that more than `outboxBytesMax` waits is closed with the code that tells it to resume.
 */
export class Outbox {
  private readonly webSocket: WebSocket;
  private readonly socket: Duplex;
  private readonly atEndOfTick: (callback: () => void) => void;
  private queue: (string | Frame)[] = [];

  constructor(webSocket: WebSocket, socket: Duplex, atEndOfTick: (callback: () => void) => void) {
    this.webSocket = webSocket;
    this.socket = socket;
    this.atEndOfTick = atEndOfTick;
  }

  send(message: ServerMessage): void {
    this.push(JSON.stringify(message));
  }

  sendFrame(frame: Frame): void {
    this.push(frame);
  }

  /** Sends what waits, then closes. */
  close(code: number, reason: string): void {
    this.flush();
    this.webSocket.close(code, reason.slice(0, 120));
  }

  private push(item: string | Frame): void {
    this.queue.push(item);
    if (this.queue.length === 1) this.atEndOfTick(() => this.flush());
  }

  private flush(): void {
    const { queue, socket, webSocket } = this;
    if (queue.length === 0) return;
    this.queue = [];
    if (webSocket.readyState !== webSocket.OPEN) return;
    if (socket.writableLength > limits.outboxBytesMax) {
      webSocket.close(closeCodes.resume, 'You read too slowly. Reconnect and resume from your last revision.');
      return;
    }
    if (queue.length === 1) {
      const [only] = queue;
      socket.write(typeof only === 'string' ? textFrame(only) : (only as Frame));
      return;
    }
    socket.cork();
    let texts: string[] = [];
    for (const item of queue) {
      if (typeof item === 'string') {
        texts.push(item);
        continue;
      }
      if (texts.length > 0) socket.write(framed(texts));
      texts = [];
      socket.write(item);
    }
    if (texts.length > 0) socket.write(framed(texts));
    socket.uncork();
  }
}

function framed(texts: readonly string[]): Frame {
  return textFrame(texts.length === 1 ? (texts[0] as string) : `[${texts.join(',')}]`);
}
