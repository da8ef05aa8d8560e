import { describe, expect, it } from 'vitest';
import { defaultEnvironment } from '../../client/sdk/environment.ts';
import { Heartbeat } from '../../client/sdk/heartbeat.ts';

/** A clock that a test moves by hand. */
class HandClock {
  nowMs = 0;
  private timer: { at: number; callback: () => void } | undefined;

  readonly environment = {
    ...defaultEnvironment,
    nowMs: () => this.nowMs,
    setTimer: (callback: () => void, delayMs: number) => {
      const timer = { at: this.nowMs + delayMs, callback };
      this.timer = timer;
      return () => {
        if (this.timer === timer) this.timer = undefined;
      };
    },
  };

  move(byMs: number): void {
    const until = this.nowMs + byMs;
    while (this.timer && this.timer.at <= until) {
      const { at, callback } = this.timer;
      this.timer = undefined;
      this.nowMs = at;
      callback();
    }
    this.nowMs = until;
  }

  get isSet(): boolean {
    return this.timer !== undefined;
  }
}

describe('a heartbeat of 1000 ms', () => {
  function start() {
    const clock = new HandClock();
    const seen: string[] = [];
    const heartbeat = new Heartbeat(
      clock.environment,
      1_000,
      () => seen.push(`ping ${clock.nowMs}`),
      () => seen.push(`dead ${clock.nowMs}`),
    );
    return { clock, seen, heartbeat };
  }

  it('pings after as much silence, and calls the connection dead after twice as much', () => {
    const { clock, seen } = start();
    clock.move(5_000);
    expect(seen).toEqual(['ping 1000', 'dead 2000']);
    expect(clock.isSet).toBe(false);
  });

  it('says nothing while messages come, and starts over with each answer', () => {
    const { clock, seen, heartbeat } = start();
    for (let count = 0; count < 10; count += 1) {
      clock.move(900);
      heartbeat.heard();
    }
    expect(seen).toEqual([]);
    clock.move(1_500);
    heartbeat.heard();
    clock.move(1_500);
    expect(seen).toEqual(['ping 10000', 'ping 11500']);
  });

  it('stops when told', () => {
    const { clock, seen, heartbeat } = start();
    heartbeat.stop();
    clock.move(5_000);
    expect(seen).toEqual([]);
  });
});
