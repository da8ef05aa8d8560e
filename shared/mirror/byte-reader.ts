/**
 * Reads the encoding of lib0 from bytes that nobody vouches for. It never throws and never reads past the end: what cannot
 * be read is 0 or empty, and `failed` says so from then on.
 */
export class ByteReader {
  failed = false;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private position = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.position === this.bytes.length;
  }

  byte(): number {
    const byte = this.bytes[this.position];
    if (byte === undefined) return this.fail();
    this.position += 1;
    return byte;
  }

  /** Seven bits a byte, the lowest first. */
  unsigned(): number {
    return this.sevens(0, 1);
  }

  /** The first byte has six bits and the sign. */
  signed(): number {
    const first = this.byte();
    const low = first & 0x3f;
    const value = first & 0x80 ? this.sevens(low, 64) : low;
    return first & 0x40 ? -value : value;
  }

  float32(): number {
    const at = this.skip(4);
    return at < 0 ? 0 : this.view.getFloat32(at);
  }

  float64(): number {
    const at = this.skip(8);
    return at < 0 ? 0 : this.view.getFloat64(at);
  }

  text(): string {
    const length = this.unsigned();
    const at = this.skip(length);
    if (at < 0) return '';
    try {
      return decoder.decode(this.bytes.subarray(at, at + length));
    } catch {
      this.failed = true;
      return '';
    }
  }

  private sevens(low: number, factor: number): number {
    let value = low;
    let multiplier = factor;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * multiplier;
      if (!Number.isSafeInteger(value)) return this.fail();
      if (byte < 0x80) return value;
      multiplier *= 128;
      if (multiplier > Number.MAX_SAFE_INTEGER) return this.fail();
    }
  }

  /** Where it was; -1 when there are not as many bytes. */
  private skip(length: number): number {
    const at = this.position;
    if (this.failed || length > this.bytes.length - at) {
      this.failed = true;
      return -1;
    }
    this.position += length;
    return at;
  }

  private fail(): 0 {
    this.failed = true;
    return 0;
  }
}

/** As lib0 decodes: ill-formed UTF-8 is an error, and a byte order mark is text. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
