import { generateNKeysBetween } from 'fractional-indexing';
import { freshOrders, orderKeyCharactersMax } from './order.ts';

type Ordered = { readonly uid: string; readonly order: string };

/**
 * Order keys that bring the rows of one list into the order a writer wants, touching as few rows as possible.
 *
 * `present` are the rows that are in the list and stay, in their order. `wanted` says in which order some of them, and new
 * ones, are to stand; `basePlace` where the writer saw each, undefined for one that is new to the list. Only the rows the
 * writer moved are moved: behind the one they follow in `wanted`, wherever others have put that by now. Rows of `present`
 * that `wanted` does not name stay behind the neighbour they follow. Gives keys for the rows that need another one, new
 * ones included.
 */
export function arrange(
  present: readonly Ordered[],
  wanted: readonly string[],
  basePlace: (uid: string) => number | undefined,
): ReadonlyMap<string, string> {
  const run = longestRisingRun(wanted.map(basePlace));
  const staying = new Set(wanted.filter((_, index) => run.has(index)));
  const moved = new Set(wanted.filter((uid) => !staying.has(uid)));
  const fixed = present.filter((row) => !moved.has(row.uid));
  const { inFront, behind } = followers(wanted, staying);
  const anchor = wanted.find((uid) => staying.has(uid));
  const line: string[] = [];
  let waiting: readonly string[] = anchor === undefined ? inFront : [];
  for (const { uid } of fixed) {
    if (staying.has(uid)) {
      line.push(...waiting, ...(uid === anchor ? inFront : []));
      waiting = behind.get(uid) ?? [];
    }
    line.push(uid);
  }
  line.push(...waiting);
  return keysFor(line, new Map(fixed.map((row) => [row.uid, row.order])));
}

/** Moved rows by the staying one they follow; `inFront` those that follow none. */
function followers(wanted: readonly string[], staying: ReadonlySet<string>) {
  const inFront: string[] = [];
  const behind = new Map<string, string[]>();
  let last = inFront;
  for (const uid of wanted) {
    if (staying.has(uid)) {
      last = [];
      behind.set(uid, last);
    } else {
      last.push(uid);
    }
  }
  return { inFront, behind };
}

/** Keys for the rows of the line that have none, between those that have; fresh ones for all when there is no room. */
function keysFor(line: readonly string[], fixed: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  let before: string | null = null;
  for (let index = 0; index < line.length; ) {
    let end = index;
    while (end < line.length && !fixed.has(line[end] as string)) end += 1;
    const after: string | null = fixed.get(line[end] ?? '') ?? null;
    if (end > index) {
      if (before !== null && after !== null && before >= after) return fresh(line);
      const made = generateNKeysBetween(before, after, end - index);
      if (made.some((key) => key.length > orderKeyCharactersMax)) return fresh(line);
      for (const [offset, key] of made.entries()) keys.set(line[index + offset] as string, key);
    }
    before = after;
    index = end + 1;
  }
  return keys;
}

function fresh(line: readonly string[]): ReadonlyMap<string, string> {
  const keys = freshOrders(line.length);
  return new Map(line.map((uid, index) => [uid, keys[index] as string]));
}

/** Indexes of a longest subsequence that rises; holes (undefined) are never in it. */
function longestRisingRun(values: readonly (number | undefined)[]): ReadonlySet<number> {
  /** tails[k]: index of the smallest value that ends a rising run of k + 1 */
  const tails: number[] = [];
  const previous = new Map<number, number | undefined>();
  values.forEach((value, index) => {
    if (value === undefined) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((values[tails[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous.set(index, tails[low - 1]);
    tails[low] = index;
  });
  const run = new Set<number>();
  for (let index = tails[tails.length - 1]; index !== undefined; index = previous.get(index)) run.add(index);
  return run;
}

/** Whether the places the writer saw still rise: it moved nothing. */
export function isRising(places: readonly (number | undefined)[]): boolean {
  let last = -1;
  for (const place of places) {
    if (place === undefined) continue;
    if (place < last) return false;
    last = place;
  }
  return true;
}
