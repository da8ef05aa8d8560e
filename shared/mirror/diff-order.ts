import { compareRows } from '../plan/plan.ts';

interface Ordered {
  readonly uid: string;
  readonly order: string;
}

/** Where a row goes: behind another one, else in front of one, else nowhere in particular (it is alone). */
export interface Placing {
  readonly uid: string;
  readonly after?: string;
  readonly before?: string;
  /** The nearest row in front of it that is not moved itself: for when `after` turns out not to be there. */
  readonly staying?: string;
}

/**
 * The moves that bring a list into the order its doc says, one after the other.
 *
 * `line` is the list as it will be before the first of them: the plan's rows in order, and the new ones behind. `moved` has
 * the order keys that a client wrote, for rows of the line or of other lists; the other rows have the plan's. Only
 * their order counts: the plan makes its own keys, which are the client's where both use `fractional-indexing` and nobody
 * came between. Equal keys are legal there and come apart here.
 */
export function placings(line: readonly Ordered[], moved: ReadonlyMap<string, string>): readonly Placing[] {
  const staying = line.filter(({ uid }) => !moved.has(uid));
  const moving = Array.from(moved, ([uid, order]) => ({ uid, order })).sort(compareRows);
  const now = new Chain(line.map(({ uid }) => uid));
  const found: Placing[] = [];
  let before: string | undefined;
  let stays: string | undefined;
  let next = 0;
  for (const row of moving) {
    for (let other = staying[next]; other && compareRows(other, row) < 0; other = staying[next]) {
      before = other.uid;
      stays = other.uid;
      next += 1;
    }
    if (!now.isBehind(row.uid, before)) {
      found.push(placing(row.uid, before, stays, now.first));
      now.put(row.uid, before);
    }
    before = row.uid;
  }
  return found;
}

function placing(
  uid: string,
  after: string | undefined,
  staying: string | undefined,
  first: string | undefined,
): Placing {
  if (after !== undefined) return { uid, after, ...(staying !== undefined && { staying }) };
  return first === undefined || first === uid ? { uid } : { uid, before: first };
}

/** A list in which a row is found and moved at the cost of one step. */
class Chain {
  first: string | undefined;
  private readonly next = new Map<string, string | undefined>();
  private readonly previous = new Map<string, string | undefined>();

  constructor(uids: readonly string[]) {
    this.first = uids[0];
    uids.forEach((uid, index) => {
      this.next.set(uid, uids[index + 1]);
      this.previous.set(uid, uids[index - 1]);
    });
  }

  /** Whether the row stands right behind the other one; without one, in front of all. */
  isBehind(uid: string, other: string | undefined): boolean {
    return this.next.has(uid) && this.previous.get(uid) === other;
  }

  put(uid: string, behind: string | undefined): void {
    if (this.next.has(uid)) this.link(this.previous.get(uid), this.next.get(uid));
    const next = behind === undefined ? this.first : this.next.get(behind);
    this.link(behind, uid);
    this.link(uid, next);
  }

  private link(left: string | undefined, right: string | undefined): void {
    if (left === undefined) this.first = right;
    else this.next.set(left, right);
    if (right !== undefined) this.previous.set(right, left);
    else if (left !== undefined) this.next.set(left, undefined);
  }
}
