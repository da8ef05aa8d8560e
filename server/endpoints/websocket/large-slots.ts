/**
 * How many large answers of all connections may be made and not yet have left: each can hold as much as a plan is large.
 * Whoever wants one more waits its turn; a reader that lets others wait and does not read gives its place up.
 */
export class LargeSlots {
  private readonly patienceMs: number;
  private free: number;
  private readonly waiting: ((release: Release) => void)[] = [];

  constructor(count: number, patienceMs: number) {
    this.free = count;
    this.patienceMs = patienceMs;
  }

  take(): Promise<Release> {
    if (this.free > 0) {
      this.free -= 1;
      return Promise.resolve(this.releaseOnce());
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Gives the slot back once `drained`; `giveUp` is called first when that takes too long. */
  async releaseWhen(drained: Promise<void>, giveUp: () => void, release: Release): Promise<void> {
    const timer = setTimeout(giveUp, this.patienceMs);
    try {
      await drained;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  private releaseOnce(): Release {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = this.waiting.shift();
      if (next) next(this.releaseOnce());
      else this.free += 1;
    };
  }
}

export type Release = () => void;
