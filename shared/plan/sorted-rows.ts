import { assert } from './result.ts';

/** Rows kept in order in one array: binary search to find a place, a memory move to make room. */
export class SortedRows<Row> {
  private readonly compare: (a: Row, b: Row) => number;
  private readonly list: Row[];

  constructor(compare: (a: Row, b: Row) => number, rows: Row[] = []) {
    this.compare = compare;
    this.list = rows;
  }

  get size(): number {
    return this.list.length;
  }

  /** In order. Valid until the next write. */
  all(): readonly Row[] {
    return this.list;
  }

  first(): Row | undefined {
    return this.list[0];
  }

  last(): Row | undefined {
    return this.list[this.list.length - 1];
  }

  /** Index of the row, or of the place where it belongs. */
  indexOf(row: Row): number {
    let low = 0;
    let high = this.list.length;
    const last = this.list[high - 1];
    if (last !== undefined && this.compare(last, row) < 0) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(this.list[middle] as Row, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  insert(row: Row): void {
    const index = this.indexOf(row);
    if (index === this.list.length) this.list.push(row);
    else this.list.splice(index, 0, row);
  }

  /** Puts the row in the place of the one that compares equal. */
  replace(row: Row): void {
    const index = this.indexOf(row);
    const there = this.list[index];
    assert(there !== undefined && this.compare(there, row) === 0, 'a row to replace must be there');
    this.list[index] = row;
  }

  remove(row: Row): void {
    const index = this.indexOf(row);
    const there = this.list[index];
    assert(there !== undefined && this.compare(there, row) === 0, 'a row to remove must be there');
    this.list.splice(index, 1);
  }
}
