import { limits } from '../../shared/plan/limits.ts';

/** Share of the server's own bounds that a client uses, so that the jitter of the network does not carry it over them. */
const share = 0.8;

/** Keeps a connection under the rate at which the server refuses messages: so many at once, so many a second. */
export class SendRate {
  private readonly nowMs: () => number;
  private tokens = share * limits.messagesBurst;
  private filledAtMs: number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
    this.filledAtMs = nowMs();
  }

  /** Whether a message may go now. */
  isReady(): boolean {
    if (this.tokens < 1) this.fill();
    return this.tokens >= 1;
  }

  /** A message goes. */
  spend(): void {
    this.tokens -= 1;
  }

  /** A new connection has a full measure. */
  renew(): void {
    this.tokens = share * limits.messagesBurst;
    this.filledAtMs = this.nowMs();
  }

  private fill(): void {
    const nowMs = this.nowMs();
    const perMs = (share * limits.messagesPerSecond) / 1000;
    this.tokens = Math.min(share * limits.messagesBurst, this.tokens + Math.max(0, nowMs - this.filledAtMs) * perMs);
    this.filledAtMs = nowMs;
  }
}
