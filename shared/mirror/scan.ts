import { ByteReader } from './byte-reader.ts';
import { mirrorLimits } from './limits.ts';
import { keyPattern, rootName, type Scalar } from './schema.ts';

export interface Id {
  readonly client: number;
  readonly clock: number;
}

/** One struct of an update. */
export interface ScannedItem extends Id {
  /** Clock after it. */
  readonly end: number;
  /** The value it came after, as its writer saw it. */
  readonly origin: Id | undefined;
  /** The last one it holds; absent for one that was deleted already. */
  readonly value: Scalar | undefined;
  /** Stated by an item without origin; the others have that of their origin. */
  key: string | undefined;
}

/** Deleted clocks, the end not included. */
export interface DeletedRange {
  readonly start: number;
  readonly end: number;
}

export interface Scan {
  readonly runs: ReadonlyMap<number, readonly ScannedItem[]>;
  readonly deletes: ReadonlyMap<number, readonly DeletedRange[]>;
}

/** Why an update is not merged. After a `gap` its sender is asked for what is missing; after a `fault` it is closed. */
export interface Objection {
  readonly verdict: 'gap' | 'fault';
  readonly reason: string;
}

export const fault = (reason: string): Objection => ({ verdict: 'fault', reason });
export const gap = (reason: string): Objection => ({ verdict: 'gap', reason });

export function isObjection(value: object): value is Objection {
  return 'verdict' in value;
}

/**
 * Reads an update of version 1 as far as its bytes go, without a doc and without Yjs, whose decoder would first make a
 * million structs of two megabytes, and does not say where it ended. Stops at the first thing that the schema does not
 * have: what is let through is one root map with keys of the schema's shape and scalars as values.
 */
export function scanUpdate(update: Uint8Array): Scan | Objection {
  const reader = new ByteReader(update);
  const runs = readRuns(reader);
  if (isObjection(runs)) return runs;
  const deletes = readDeletes(reader);
  if (isObjection(deletes)) return deletes;
  if (!reader.isAtEnd) return fault('bytes after the end of the update');
  return { runs, deletes };
}

function readRuns(reader: ByteReader): ReadonlyMap<number, readonly ScannedItem[]> | Objection {
  const runs = new Map<number, readonly ScannedItem[]>();
  let structs = 0;
  const count = reader.unsigned();
  for (let index = 0; index < count; index += 1) {
    const size = reader.unsigned();
    const client = reader.unsigned();
    const clock = reader.unsigned();
    if (reader.failed) return malformed;
    structs += size;
    if (structs > mirrorLimits.structsPerUpdateMax) return fault('too many structs in one update');
    if (size === 0 || runs.has(client)) return fault('an empty or repeated client in the update');
    if (client > mirrorLimits.clientIdMax) return fault('a client id of more than 32 bits');
    const run = readRun(reader, size, client, clock);
    if (isObjection(run)) return run;
    runs.set(client, run);
  }
  return reader.failed ? malformed : runs;
}

function readRun(reader: ByteReader, size: number, client: number, clock: number): ScannedItem[] | Objection {
  const run: ScannedItem[] = [];
  let next = clock;
  for (let index = 0; index < size; index += 1) {
    const item = readStruct(reader, { client, clock: next });
    if (isObjection(item)) return item;
    if (item.end > mirrorLimits.clockMax) return fault('a clock beyond its limit');
    run.push(item);
    next = item.end;
  }
  return run;
}

// Low bits of the first byte of a struct: what it holds.
const gcKind = 0;
const deletedKind = 1;
const anyKind = 8;
const skipKind = 10;
// High bits: which references it states.
const hasOrigin = 0x80;
const hasRightOrigin = 0x40;
const hasKey = 0x20;

function readStruct(reader: ByteReader, { client, clock }: Id): ScannedItem | Objection {
  const info = reader.byte();
  if (reader.failed) return malformed;
  const kind = info & 0x1f;
  if (kind === skipKind) return gap('the update has a hole');
  if (kind === gcKind) return fault('a struct without content');
  if (kind !== deletedKind && kind !== anyKind) return fault('content that a plan does not have');
  // Only lists make those: an item of a map comes after the last one of its key.
  if (info & hasRightOrigin) return fault('list content in a map');
  const place = info & hasOrigin ? { origin: readId(reader) } : readKey(reader, info);
  if (isObjection(place)) return place;
  const { origin, key } = { origin: undefined, key: undefined, ...place };
  if (kind === deletedKind) {
    const length = reader.unsigned();
    if (reader.failed || length === 0) return malformed;
    return { client, clock, end: clock + length, origin, value: undefined, key };
  }
  const values = readValues(reader);
  if (isObjection(values)) return values;
  return { client, clock, end: clock + values.length, origin, value: values[values.length - 1], key };
}

function readId(reader: ByteReader): Id {
  const client = reader.unsigned();
  return { client, clock: reader.unsigned() };
}

/** The flag counts only where there is no origin; Yjs drops it from the others when it joins updates. */
function readKey(reader: ByteReader, info: number): { readonly key: string } | Objection {
  if (reader.unsigned() !== 1) return reader.failed ? malformed : fault('a type inside a type');
  const root = reader.text();
  if (reader.failed) return malformed;
  if (root !== rootName) return fault(`a root other than '${rootName}'`);
  if (!(info & hasKey)) return fault('content without a key');
  const key = reader.text();
  if (reader.failed) return malformed;
  return keyPattern.test(key) ? { key } : fault('a key that does not have the shape <item>:<field>');
}

/**
 * The values of a struct: one, the last of which counts. An UndoManager keeps what it may bring back, and Yjs then joins
 * the values that one key had one after the other.
 */
function readValues(reader: ByteReader): readonly Scalar[] | Objection {
  const count = reader.unsigned();
  if (reader.failed || count === 0) return malformed;
  if (count > mirrorLimits.clockAdvancePerUpdateMax) return fault('too many values in one struct');
  const values: Scalar[] = [];
  for (let index = 0; index < count; index += 1) {
    const value = readScalar(reader, reader.byte());
    if (reader.failed) return malformed;
    if (value === undefined) return fault('a value that is neither text, number nor boolean');
    if (typeof value === 'number' && !Number.isFinite(value)) return fault('a number that is not finite');
    values.push(value);
  }
  return values;
}

function readScalar(reader: ByteReader, type: number): Scalar | undefined {
  switch (type) {
    case 125:
      return reader.signed();
    case 124:
      return reader.float32();
    case 123:
      return reader.float64();
    case 121:
      return false;
    case 120:
      return true;
    case 119:
      return reader.text();
    default:
      return undefined;
  }
}

/** Every sync names all that was ever deleted, so only the bytes bound how much that is. */
function readDeletes(reader: ByteReader): ReadonlyMap<number, readonly DeletedRange[]> | Objection {
  const deletes = new Map<number, readonly DeletedRange[]>();
  const count = reader.unsigned();
  for (let index = 0; index < count; index += 1) {
    const client = reader.unsigned();
    const size = reader.unsigned();
    if (reader.failed) return malformed;
    if (size === 0 || deletes.has(client)) return fault('an empty or repeated client among the deletes');
    const ranges = readRanges(reader, size);
    if (isObjection(ranges)) return ranges;
    deletes.set(client, ranges);
  }
  return reader.failed ? malformed : deletes;
}

/** In order and apart: ranges that overlap would be walked once each. */
function readRanges(reader: ByteReader, size: number): DeletedRange[] | Objection {
  const ranges: DeletedRange[] = [];
  let last = -1;
  for (let index = 0; index < size; index += 1) {
    const start = reader.unsigned();
    const length = reader.unsigned();
    if (reader.failed) return malformed;
    if (start < last || length === 0) return fault('deletes that are empty, out of order or overlap');
    last = start + length;
    ranges.push({ start, end: last });
  }
  return ranges;
}

const malformed = fault('the update is cut off or malformed');
