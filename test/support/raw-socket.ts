import { connect, type Socket } from 'node:net';

/** A TCP connection on which a test writes any bytes it likes, and reads what comes back. */
export class RawSocket {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  private received = Buffer.alloc(0);
  private wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.wake();
    });
    socket.on('close', () => this.wake());
  }

  static async open(port: number): Promise<RawSocket> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawSocket(socket);
  }

  /** Opens a WebSocket by hand. */
  static async webSocket(port: number): Promise<RawSocket> {
    const raw = await RawSocket.open(port);
    raw.write(upgradeRequest('/ws'));
    await raw.until((text) => text.includes('\r\n\r\n'));
    raw.received = Buffer.alloc(0);
    return raw;
  }

  get bytes(): Buffer {
    return this.received;
  }

  get text(): string {
    return this.received.toString('utf8');
  }

  write(data: string | Buffer): void {
    this.socket.write(data);
  }

  /** Waits for what is received to look so, or for the end of the connection. */
  async until(matches: (text: string) => boolean): Promise<string> {
    while (!matches(this.text) && !this.socket.destroyed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    return this.text;
  }

  /** Everything up to the end of the connection. */
  async all(): Promise<string> {
    await this.closed;
    return this.text;
  }

  /** The code of the close frame the server sent last, if it sent one. */
  async closeCode(): Promise<number | undefined> {
    await this.until(() => closeCodeOf(this.received) !== undefined);
    this.socket.destroy();
    return closeCodeOf(this.received);
  }

  /** Ends the connection with a reset, as a process that is killed does. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}

export function upgradeRequest(path: string, headers = 'Host: 127.0.0.1\r\n'): string {
  return `GET ${path} HTTP/1.1\r\n${headers}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
}

export interface FrameOptions {
  readonly opcode?: number;
  readonly final?: boolean;
  /** The length the header states, when it is to be a lie. */
  readonly statedBytes?: number;
  readonly masked?: boolean;
  /** Reserved bits. */
  readonly reserved?: number;
}

/** A WebSocket frame as a client sends it, or as it must not. The mask is zero: the payload is as given. */
export function clientFrame(payload: string | Buffer, options: FrameOptions = {}): Buffer {
  const { opcode = 1, final = true, masked = true, reserved = 0 } = options;
  const body = Buffer.from(payload);
  const { statedBytes = body.length } = options;
  const head = [(final ? 0x80 : 0) | (reserved << 4) | opcode];
  const mask = masked ? 0x80 : 0;
  const length = Buffer.alloc(8);
  if (statedBytes < 126) head.push(mask | statedBytes);
  else if (statedBytes < 65_536) head.push(mask | 126, statedBytes >> 8, statedBytes & 0xff);
  else {
    length.writeBigUInt64BE(BigInt(statedBytes));
    head.push(mask | 127, ...length);
  }
  return Buffer.concat([Buffer.from(head), Buffer.alloc(masked ? 4 : 0), body]);
}

/** Walks over the frames of a server; the code of the first close frame. */
function closeCodeOf(bytes: Buffer): number | undefined {
  for (let at = 0; at + 2 <= bytes.length; ) {
    const opcode = bytes.readUInt8(at) & 0x0f;
    const short = bytes.readUInt8(at + 1) & 0x7f;
    if (short === 126 && at + 4 > bytes.length) return undefined;
    if (short === 127 && at + 10 > bytes.length) return undefined;
    const size =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    const start = at + (short === 126 ? 4 : short === 127 ? 10 : 2);
    if (opcode === 8 && bytes.length >= start + 2) return bytes.readUInt16BE(start);
    at = start + size;
  }
  return undefined;
}
