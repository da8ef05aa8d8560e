import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limits } from '../../../shared/plan/limits.ts';
import { closeCodes } from '../../../shared/protocol/close-code.ts';
import type { ServerMessage } from '../../../shared/protocol/server-message.ts';
import { type Frame, textFrame } from './frames.ts';

/** While less than this waits, the next large answer may be made. */
const lowBytes = 1024 * 1024;

/**
 * What goes out to one connection. Everything of a tick leaves together, in order: messages of its own as one frame,
 * shared frames as they are. Frames are written to the socket past the ws library, which would build a header for each
 * receiver; without compression nothing in it waits, so frames never interleave.
 *
 * Bounded: a reader so slow that more than `outboxBytesMax` waits is closed with the code that tells it to resume. The
 * one large answer that is on its way comes on top, so that a plan larger than the bound can be read at all.
 */
export class Outbox {
  private readonly webSocket: WebSocket;
  private readonly socket: Duplex;
  private readonly atEndOfTick: (callback: () => void) => void;
  private queue: (string | Frame)[] = [];
  private queuedBytes = 0;
  private largeBytes = 0;
  private drainListeners: (() => void)[] = [];

  constructor(webSocket: WebSocket, socket: Duplex, atEndOfTick: (callback: () => void) => void) {
    this.webSocket = webSocket;
    this.socket = socket;
    this.atEndOfTick = atEndOfTick;
    socket.on('drain', () => this.onDrain());
    socket.on('close', () => this.onDrain());
  }

  send(message: ServerMessage): void {
    this.push(JSON.stringify(message));
  }

  sendFrame(frame: Frame): void {
    this.push(frame);
  }

  /** A message, or a frame, that was asked for and may be larger than the bound. Only after `drained`. */
  sendLarge(item: ServerMessage | Frame): void {
    const encoded = Buffer.isBuffer(item) ? item : JSON.stringify(item);
    this.largeBytes = encoded.length;
    this.push(encoded);
  }

  /** Settles once little waits, or the connection is gone. */
  async drained(): Promise<void> {
    if (this.waitingBytes <= lowBytes) return;
    this.flush();
    if (this.socket.destroyed || !this.socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => this.drainListeners.push(resolve));
  }

  /** Sends what waits, then closes. */
  close(code: number, reason: string): void {
    this.flush();
    this.webSocket.close(code, reason.slice(0, 120));
  }

  private get waitingBytes(): number {
    return this.queuedBytes + this.socket.writableLength;
  }

  private onDrain(): void {
    this.largeBytes = 0;
    for (const listener of this.drainListeners.splice(0)) listener();
  }

  private push(item: string | Frame): void {
    if (this.webSocket.readyState !== this.webSocket.OPEN) return;
    this.queue.push(item);
    this.queuedBytes += item.length;
    if (this.waitingBytes > limits.outboxBytesMax + this.largeBytes) {
      this.queue = [];
      this.queuedBytes = 0;
      this.webSocket.close(closeCodes.resume, 'You read too slowly. Reconnect and resume from your last revision.');
      return;
    }
    if (this.queue.length === 1) this.atEndOfTick(() => this.flush());
  }

  private flush(): void {
    const { queue, socket, webSocket } = this;
    if (queue.length === 0) return;
    this.queue = [];
    this.queuedBytes = 0;
    if (webSocket.readyState !== webSocket.OPEN) return;
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
