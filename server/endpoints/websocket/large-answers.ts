import type { LargeSlots } from './large-slots.ts';
import type { Outbox } from './outbox.ts';

/** How many answers may wait to be made: joins of every room, and some reads. */
const waitingMax = 1_024;

/**
 * Answers that may be large, one after another: each is made only once what was there before has mostly left. Else a
 * frame of a thousand reads would have the server hold a thousand plans for one connection.
 */
export class LargeAnswers {
  private readonly outbox: Outbox;
  private readonly slots: LargeSlots;
  private readonly onFault: (error: unknown) => void;
  private waiting: (() => Promise<void>)[] = [];
  private running = false;
  private stopped = false;

  constructor(outbox: Outbox, slots: LargeSlots, onFault: (error: unknown) => void) {
    this.outbox = outbox;
    this.slots = slots;
    this.onFault = onFault;
  }

  /** Runs `make` when its turn comes. False: as many wait as may. */
  add(make: () => Promise<void>): boolean {
    if (this.waiting.length >= waitingMax) return false;
    this.waiting.push(make);
    if (!this.running) void this.run();
    return true;
  }

  /** The connection is gone: nothing is made any more. */
  stop(): void {
    this.stopped = true;
    this.waiting = [];
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      for (let make = this.waiting.shift(); make; make = this.waiting.shift()) {
        await this.outbox.drained();
        if (!this.stopped) await this.makeInSlot(make);
      }
    } catch (error) {
      this.onFault(error);
    }
    this.running = false;
  }

  /** The next one waits until this has mostly left, so a connection holds one slot at most. */
  private async makeInSlot(make: () => Promise<void>): Promise<void> {
    const { outbox, slots } = this;
    const release = await slots.take();
    try {
      if (!this.stopped) await make();
    } finally {
      await slots.releaseWhen(outbox.drained(), () => outbox.cutOff(), release);
    }
  }
}
