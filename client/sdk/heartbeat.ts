import type { Environment } from './environment.ts';

/**
 * Finds connections that are dead without saying so. After `intervalMs` of silence it pings, and after as much again
 * it calls the connection dead. WebSocket's own pings are not seen through the standard interface, so these are
 * messages of the protocol.
 */
export class Heartbeat {
  private readonly environment: Environment;
  private readonly intervalMs: number;
  private readonly ping: () => void;
  private readonly dead: () => void;
  private heardAtMs: number;
  private cancel: () => void = () => undefined;

  constructor(environment: Environment, intervalMs: number, ping: () => void, dead: () => void) {
    this.environment = environment;
    this.intervalMs = intervalMs;
    this.ping = ping;
    this.dead = dead;
    this.heardAtMs = environment.nowMs();
    this.arm(intervalMs);
  }

  /** Something came in. */
  heard(): void {
    this.heardAtMs = this.environment.nowMs();
  }

  stop(): void {
    this.cancel();
  }

  private arm(delayMs: number): void {
    this.cancel = this.environment.setTimer(() => this.check(), delayMs);
  }

  private check(): void {
    const silentMs = this.environment.nowMs() - this.heardAtMs;
    if (silentMs >= 2 * this.intervalMs) {
      this.dead();
    } else if (silentMs >= this.intervalMs) {
      this.ping();
      this.arm(2 * this.intervalMs - silentMs);
    } else {
      this.arm(this.intervalMs - silentMs);
    }
  }
}
