import { generateNKeysBetween } from 'fractional-indexing';
import { freshOrders, orderKeyCharactersMax } from './order.ts';

type Ordered = { readonly uid: string; readonly order: string };

/**
 * Order keys that bring the rows of one group into a wanted order while touching as few of them as possible. `present` are
 * the rows that are in the group and stay, in their order; `wanted` says in which order some of them, and new ones, are to
 * stand. Rows of `present` that `wanted` does not name stay beside the neighbour they follow. Gives keys for the rows that
 * need another one, new ones included.
 */
export function arrange(present: readonly Ordered[], wanted: readonly string[]): ReadonlyMap<string, string> {
  const presentIndex = new Map(present.map((row, index) => [row.uid, index]));
  const staying = longestRisingRun(wanted.map((uid) => presentIndex.get(uid)));
  const moved = new Set(wanted.filter((_, index) => !staying.has(index)));
  const fixed = present.filter((row) => !moved.has(row.uid));
  /** Rows that go in front of the first fixed one that is wanted; and behind each fixed one, by its uid. */
  let first: string[] = [];
  const behind = new Map<string, string[]>();
  let last = first;
  for (const uid of wanted) {
    if (moved.has(uid)) {
      last.push(uid);
    } else {
      last = [];
      behind.set(uid, last);
    }
  }
  const anchor = wanted.find((uid) => !moved.has(uid));
  const line: string[] = [];
  for (const row of fixed) {
    if (row.uid === anchor) {
      line.push(...first);
      first = [];
    }
    line.push(row.uid, ...(behind.get(row.uid) ?? []));
  }
  line.push(...first);
  return keysFor(line, new Map(fixed.map((row) => [row.uid, row.order])));
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
