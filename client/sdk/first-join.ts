import { err, type Result } from '../../shared/plan/result.ts';
import { type ClientFailure, failure } from './failure.ts';
import type { ViewHost } from './view-host.ts';

/** Timers take no longer times than this. */
const timerMsMax = 2 ** 31 - 1;

/** How a view becomes live for the first time, or does not, for everybody who waits for it. */
export class FirstJoin<View> {
  private readonly room: string;
  private readonly host: ViewHost;
  private readonly nobodyWaits: () => void;
  private readonly result: Promise<Result<View, ClientFailure>>;
  private waiting = 0;
  /** Only the first result counts. */
  settle: (result: Result<View, ClientFailure>) => void = () => undefined;

  /** `nobodyWaits` is told when the time of everyone who waited is over. */
  constructor(room: string, host: ViewHost, nobodyWaits: () => void) {
    this.room = room;
    this.host = host;
    this.nobodyWaits = nobodyWaits;
    this.result = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  wait(timeoutMs = Number.POSITIVE_INFINITY): Promise<Result<View, ClientFailure>> {
    this.waiting += 1;
    if (timeoutMs > timerMsMax) return this.result;
    return new Promise((resolve) => {
      const cancel = this.host.environment.setTimer(() => {
        resolve(err(this.lateFailure(timeoutMs)));
        this.waiting -= 1;
        if (this.waiting === 0) this.nobodyWaits();
      }, timeoutMs);
      void this.result.then((result) => {
        cancel();
        resolve(result);
      });
    });
  }

  private lateFailure(timeoutMs: number): ClientFailure {
    const why = this.host.connectionFailure()?.message ?? 'The server did not answer.';
    return failure('unreachable', `Room '${this.room}' could not be joined within ${timeoutMs} ms. ${why}`, {
      timeoutMs,
    });
  }
}
