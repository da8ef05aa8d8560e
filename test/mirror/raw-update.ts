/** Updates of version 1 as no Yjs client makes them, byte by byte. */
export interface RawRun {
  readonly client: number;
  readonly clock: number;
  readonly structs: readonly (readonly number[])[];
  /** What the header claims, when it lies. */
  readonly count?: number;
}

export interface RawDeletes {
  readonly client: number;
  /** `[clock, length]` */
  readonly ranges: readonly (readonly [number, number])[];
}

export function rawUpdate(runs: readonly RawRun[], deletes: readonly RawDeletes[] = []): Uint8Array {
  const bytes: number[] = [];
  push(bytes, unsigned(runs.length));
  for (const { client, clock, structs, count = structs.length } of runs) {
    push(bytes, unsigned(count), unsigned(client), unsigned(clock));
    for (const struct of structs) push(bytes, struct);
  }
  push(bytes, unsigned(deletes.length));
  for (const { client, ranges } of deletes) {
    push(bytes, unsigned(client), unsigned(ranges.length));
    for (const [clock, length] of ranges) push(bytes, unsigned(clock), unsigned(length));
  }
  return Uint8Array.from(bytes);
}

/** Not by spreading: a struct may have more bytes than a call may have arguments. */
function push(bytes: number[], ...parts: readonly (readonly number[])[]): void {
  for (const part of parts) for (const byte of part) bytes.push(byte);
}

export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return bytes;
}

export function text(value: string): number[] {
  const bytes = [...new TextEncoder().encode(value)];
  return [...unsigned(bytes.length), ...bytes];
}

/** Content of one struct: its kind, and its bytes. */
export interface Content {
  readonly kind: number;
  readonly bytes: readonly number[];
}

export const any = (...values: readonly (readonly number[])[]): Content => ({
  kind: 8,
  bytes: [...unsigned(values.length), ...values.flat()],
});
export const str = (value: string): number[] => [119, ...text(value)];
export const deleted = (length: number): Content => ({ kind: 1, bytes: unsigned(length) });

/** The first value of a key. */
export function first(key: string, { kind, bytes }: Content, root = 'plan'): number[] {
  return [0x20 | kind, 1, ...text(root), ...text(key), ...bytes];
}

/** A value that comes after another. */
export function behind(client: number, clock: number, { kind, bytes }: Content): number[] {
  return [0xa0 | kind, ...unsigned(client), ...unsigned(clock), ...bytes];
}

export const gc = (length: number): number[] => [0, ...unsigned(length)];
export const skip = (length: number): number[] => [10, ...unsigned(length)];
