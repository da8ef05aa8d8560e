import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';

/** A key this long is the sign of many moves into one gap; the list gets fresh keys then. */
export const orderKeyCharactersMax = 64;

type Ordered = { readonly uid: string; readonly order: string };

/** The key after the last of these rows. */
export function orderAtEnd(rows: readonly Ordered[]): string {
  return generateKeyBetween(rows[rows.length - 1]?.order ?? null, null);
}

/** `count` keys for a list that starts anew. */
export function freshOrders(count: number): string[] {
  return generateNKeysBetween(null, null, count);
}

/**
 * The keys that put a row at `index` of these rows (in order, without the row itself): usually just its own. When the
 * neighbours leave no room, or the key would grow too long, every row gets a fresh one: `others` says which.
 */
export function orderAt(
  rows: readonly Ordered[],
  index: number,
): { readonly own: string; readonly others?: ReadonlyMap<string, string> } {
  const before = rows[index - 1]?.order ?? null;
  const after = rows[index]?.order ?? null;
  if (before === null || after === null || before < after) {
    const own = generateKeyBetween(before, after);
    if (own.length <= orderKeyCharactersMax) return { own };
  }
  const fresh = freshOrders(rows.length + 1);
  const others = new Map(
    rows.map((row, position) => [row.uid, fresh[position < index ? position : position + 1] as string]),
  );
  return { own: fresh[index] as string, others };
}
