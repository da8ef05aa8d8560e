import type { Readable } from 'node:stream';

export interface LineEvents {
  /** A line without its end; never empty. */
  readonly onLine: (line: Buffer) => void;
  /** A line was longer than may be; what it held is gone. */
  readonly onTooLong: () => void;
  /** Nothing more will come. */
  readonly onEnd: () => void;
}

const newline = 0x0a;

/** Cuts a stream into lines, with a bound to what it keeps. */
export class LineReader {
  private readonly stream: Readable;
  private readonly bytesMax: number;
  private readonly events: LineEvents;
  private pieces: Buffer[] = [];
  private bytes = 0;
  private isOver = false;

  constructor(stream: Readable, bytesMax: number, events: LineEvents) {
    this.stream = stream;
    this.bytesMax = bytesMax;
    this.events = events;
  }

  start(): void {
    this.stream.on('data', this.take);
    this.stream.once('end', this.end);
    this.stream.once('error', this.end);
    this.stream.once('close', this.end);
  }

  stop(): void {
    this.isOver = true;
    this.stream.off('data', this.take);
    this.stream.pause();
  }

  readonly pause = (): void => void this.stream.pause();

  readonly resume = (): void => {
    if (!this.isOver) this.stream.resume();
  };

  private readonly take = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0 && !this.isOver; at = chunk.indexOf(newline, from)) {
      this.keep(chunk.subarray(from, at));
      this.giveLine();
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
  };

  private readonly end = (): void => {
    if (this.isOver) return;
    this.giveLine();
    this.isOver = true;
    this.events.onEnd();
  };

  private keep(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.bytes > this.bytesMax) this.pieces = [];
    else if (piece.length > 0) this.pieces.push(piece);
  }

  private giveLine(): void {
    const { pieces, bytes } = this;
    this.pieces = [];
    this.bytes = 0;
    if (bytes > this.bytesMax) this.events.onTooLong();
    else if (bytes > 0) this.events.onLine(Buffer.concat(pieces, bytes));
  }
}
