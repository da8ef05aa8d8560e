import type { Store } from '../../server/store/store.ts';

/**
 * A store that notes which ranges of history are read, and can hold one of these reads back, so that a test can look at what a
 * room does meanwhile.
 */
export class HeldReads {
  readonly store: Store;
  /** `[from, to]` of each read, and how many characters it gave. */
  readonly asked: (readonly [from: number, to: number])[] = [];
  characters = 0;
  private gate: Promise<void> | undefined;
  private open: () => void = () => undefined;
  private arrivals: (() => void)[] = [];

  constructor(store: Store) {
    const history: Store['history'] = async (room, epoch, from, to, bound) => {
      this.asked.push([from, to]);
      for (const arrival of this.arrivals.splice(0)) arrival();
      const { gate } = this;
      this.gate = undefined;
      await gate;
      const read = await store.history(room, epoch, from, to, bound);
      this.characters += read.ok ? JSON.stringify(read.value).length : 0;
      return read;
    };
    this.store = new Proxy(store, {
      get: (target, name) => {
        if (name === 'history') return history;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  /** The next read waits. */
  hold(): void {
    this.gate = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  release(): void {
    this.open();
  }

  /** Settles once so many reads were asked for. */
  async arrived(count: number): Promise<void> {
    while (this.asked.length < count) await new Promise<void>((resolve) => this.arrivals.push(resolve));
  }
}
