import { defaultEnvironment, type Environment } from '../../../client/sdk/environment.ts';

/** Timers that go off when a test says so, whatever their delay. */
export class HandTimers {
  private readonly waiting = new Set<{ readonly callback: () => void; readonly delayMs: number }>();

  readonly environment: Environment = {
    ...defaultEnvironment,
    nowMs: () => 0,
    random: () => 0.5,
    setTimer: (callback, delayMs) => {
      const timer = { callback, delayMs };
      this.waiting.add(timer);
      return () => this.waiting.delete(timer);
    },
  };

  get delaysMs(): number[] {
    return [...this.waiting].map(({ delayMs }) => delayMs);
  }

  /** Lets all that wait go off. */
  fire(): void {
    for (const timer of [...this.waiting]) {
      if (this.waiting.delete(timer)) timer.callback();
    }
  }
}

/** Lets everything that was put off to the end of the tick happen. */
export function endOfTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
