/** Lets only a few do at once what costs much memory. The others wait, in the order in which they came. */
export class Turns {
  private readonly runningMax: number;
  private readonly waitingMax: number;
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(runningMax: number, waitingMax: number) {
    this.runningMax = runningMax;
    this.waitingMax = waitingMax;
  }

  /** Undefined, and nothing is done: as many wait as may. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.running >= this.runningMax) {
      if (this.waiting.length >= this.waitingMax) return undefined;
      // Whoever ends hands its place over.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}
