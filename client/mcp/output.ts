import type { Writable } from 'node:stream';
import { bounds } from './bounds.ts';

export interface OutputEvents {
  /** The client does not read: ask it for nothing more. */
  readonly onFull: () => void;
  readonly onRoom: () => void;
  /** The client is given up. */
  readonly onStuck: () => void;
}

interface Line {
  readonly text: string;
  readonly bytes: number;
}

/** The messages to the client, one a line. What it does not read waits here, bounded. */
export class Output {
  private readonly stream: Writable;
  private readonly events: OutputEvents;
  private readonly lines: Line[] = [];
  /** Notifications among them: one that waits already says what the same one would say again. */
  private readonly waiting = new Set<string>();
  private bytes = 0;
  private isBlocked = false;
  private isFull = false;
  private emptied: () => void = () => undefined;

  constructor(stream: Writable, events: OutputEvents) {
    this.stream = stream;
    this.events = events;
    stream.on('drain', () => {
      this.isBlocked = false;
      this.pump();
    });
  }

  send(message: object): void {
    const text = `${JSON.stringify(message)}\n`;
    if (!('id' in message)) {
      if (this.waiting.has(text)) return;
      this.waiting.add(text);
    }
    const bytes = Buffer.byteLength(text);
    this.lines.push({ text, bytes });
    this.bytes += bytes;
    this.pump();
    if (this.bytes > bounds.unreadBytesEnd) this.events.onStuck();
    else if (this.bytes > bounds.unreadBytesMax && !this.isFull) {
      this.isFull = true;
      this.events.onFull();
    }
  }

  /** Settles when all is handed to the system. */
  async flushed(): Promise<void> {
    if (this.lines.length === 0 && !this.isBlocked) return;
    await new Promise<void>((resolve) => {
      this.emptied = resolve;
    });
  }

  private pump(): void {
    while (!this.isBlocked) {
      const line = this.lines.shift();
      if (!line) break;
      this.waiting.delete(line.text);
      this.bytes -= line.bytes;
      this.isBlocked = !this.stream.write(line.text);
    }
    if (this.isFull && this.bytes <= bounds.unreadBytesMax / 2) {
      this.isFull = false;
      this.events.onRoom();
    }
    if (!this.isBlocked) this.emptied();
  }
}
