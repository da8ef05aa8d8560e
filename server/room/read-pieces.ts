import { ok, type Result } from '../../shared/plan/result.ts';
import type { EncodedRecord, StoreError } from '../store/store.ts';

/** Reads Changes `from` to `to` inclusive, ascending; fewer when some are not there. */
export type ReadChanges = (from: number, to: number) => Promise<Result<readonly EncodedRecord[], StoreError>>;

/** One piece of a read whose Changes may each be as large as a document: few at first, more when they prove small. */
const firstPiece = 8;
const pieceMax = 512;

/** The oldest Changes of the range, as many as `charactersMax` holds, and at least one. */
export async function readOldest(
  read: ReadChanges,
  from: number,
  to: number,
  charactersMax: number,
): Promise<Result<readonly EncodedRecord[], StoreError>> {
  const records: EncodedRecord[] = [];
  let characters = 0;
  for (let next = from, size = firstPiece; next <= to; next = from + records.length) {
    const last = Math.min(to, next + size - 1);
    const piece = await read(next, last);
    if (!piece.ok) return piece;
    for (const record of piece.value) {
      characters += record.changeText.length;
      if (characters > charactersMax && records.length > 0) return ok(records);
      records.push(record);
    }
    if (next + piece.value.length <= last) break;
    size = nextSize(characters, records.length, charactersMax);
  }
  return ok(records);
}

/** The newest Changes of the range without a gap to its end, as many as `charactersMax` holds; ascending. */
export async function readNewest(
  read: ReadChanges,
  from: number,
  to: number,
  charactersMax: number,
): Promise<Result<readonly EncodedRecord[], StoreError>> {
  const newestFirst: EncodedRecord[] = [];
  let characters = 0;
  for (let last = to, size = firstPiece; last >= from; last = to - newestFirst.length) {
    const next = Math.max(from, last - size + 1);
    const piece = await read(next, last);
    if (!piece.ok) return piece;
    if (piece.value.length !== last - next + 1) break;
    for (const record of [...piece.value].reverse()) {
      characters += record.changeText.length;
      if (characters > charactersMax) return ok(newestFirst.reverse());
      newestFirst.push(record);
    }
    size = nextSize(characters, newestFirst.length, charactersMax);
  }
  return ok(newestFirst.reverse());
}

/** As many as probably still fit, going by those that were read. */
function nextSize(characters: number, count: number, charactersMax: number): number {
  const average = Math.max(1, characters / Math.max(1, count));
  return Math.max(1, Math.min(pieceMax, Math.ceil((charactersMax - characters) / average)));
}
