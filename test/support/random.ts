/** Numbers that look random and come again with the same seed (mulberry32). */
export class Random {
  readonly seed: number;
  private state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}

/** The seed of `PLANROOM_SEED`, else a new one; printed, so that a failure can be had again. */
export function testSeed(what: string): number {
  const seed = Number(process.env.PLANROOM_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`${what}: PLANROOM_SEED=${seed}`);
  return seed;
}

/** `usual` in a normal run, `long` under `npm run test:long`. */
export function runs(usual: number, long: number): number {
  return process.env.PLANROOM_LONG === '1' ? long : usual;
}
