import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limits } from '../../../shared/plan/limits.ts';
import { closeCodes } from '../../../shared/protocol/close-code.ts';
import type { ServerMessage } from '../../../shared/protocol/server-message.ts';
import type { AtEndOfTick, TickTask } from '../../room/tick-task.ts';
import { type Frame, textFrame } from './frames.ts';

/** While less than this waits, the next large answer may be made. */
const lowBytes = 1024 * 1024;

/**
 * What goes out to one connection. Everything of a tick leaves together, in order: messages of its own as one frame,
 * shared frames as they are. Frames are written to the socket past the ws library, which would build a header for each
 * receiver; without compression nothing in it waits, so frames never interleave.
 *
 * Bounded: a reader so slow that more than `outboxBytesMax` waits when more comes is closed with the code that tells it to
 * resume. The largest thing that is on its way comes on top, be it a plan that was asked for or one large Change, which
 * all who read it share: what is larger than the bound is legal, and says nothing about how fast its reader is.
 */
export class Outbox implements TickTask {
  private readonly webSocket: WebSocket;
  private readonly socket: Duplex;
  private readonly atEndOfTick: AtEndOfTick;
  /** What leaves at the end of the tick: usually one thing, so there is a list only for more. */
  private first: string | Frame | undefined;
  private rest: (string | Frame)[] | undefined;
  private queuedBytes = 0;
  /** Of the largest thing since the connection last had nothing to send. */
  private largestBytes = 0;

  constructor(webSocket: WebSocket, socket: Duplex, atEndOfTick: AtEndOfTick) {
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

  /** A message, or a frame, that was asked for and may be large. Only after `drained`. */
  sendLarge(item: ServerMessage | Frame): void {
    this.push(Buffer.isBuffer(item) ? item : JSON.stringify(item));
  }

  /** Settles once little waits, or the connection is gone. One caller at a time. */
  async drained(): Promise<void> {
    if (this.waitingBytes <= lowBytes) return;
    this.endOfTick();
    const { socket } = this;
    if (socket.destroyed || !socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        socket.off('drain', settle);
        socket.off('close', settle);
        resolve();
      };
      socket.on('drain', settle);
      socket.on('close', settle);
    });
  }

  /** Ends a connection that does not read what it asked for: what waits for it is given up. */
  cutOff(): void {
    this.drop();
    this.webSocket.terminate();
  }

  /** Sends what waits, then closes. */
  close(code: number, reason: string): void {
    this.endOfTick();
    this.webSocket.close(code, reason.slice(0, 120));
  }

  /** Sends what waits. */
  endOfTick(): void {
    const { first, rest, socket, webSocket } = this;
    if (first === undefined) return;
    this.drop();
    if (webSocket.readyState !== webSocket.OPEN) return;
    if (!rest) {
      socket.write(typeof first === 'string' ? textFrame(first) : first);
      return;
    }
    socket.cork();
    let texts: string[] = [];
    for (const item of [first, ...rest]) {
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

  private get waitingBytes(): number {
    return this.queuedBytes + this.socket.writableLength;
  }

  private push(item: string | Frame): void {
    const { webSocket } = this;
    if (webSocket.readyState !== webSocket.OPEN) return;
    const { waitingBytes } = this;
    if (waitingBytes === 0) this.largestBytes = 0;
    if (waitingBytes > limits.outboxBytesMax + this.largestBytes) {
      this.drop();
      webSocket.close(closeCodes.resume, 'You read too slowly. Reconnect and resume from your last revision.');
      return;
    }
    this.queuedBytes += item.length;
    this.largestBytes = Math.max(this.largestBytes, item.length);
    if (this.first === undefined) {
      this.first = item;
      this.atEndOfTick(this);
    } else if (this.rest) this.rest.push(item);
    else this.rest = [item];
  }

  private drop(): void {
    this.first = undefined;
    this.rest = undefined;
    this.queuedBytes = 0;
  }
}

function framed(texts: readonly string[]): Frame {
  return textFrame(texts.length === 1 ? (texts[0] as string) : `[${texts.join(',')}]`);
}
