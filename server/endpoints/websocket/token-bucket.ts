/** Bounds a rate: `perSecond` in the long run, `burst` at once. */
export class TokenBucket {
  private readonly perSecond: number;
  private readonly burst: number;
  private tokens: number;
  private filledAtMs: number;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.tokens = burst;
    this.filledAtMs = nowMs;
  }

  /** Whether `cost` tokens were there; they are taken then. */
  take(cost: number, nowMs: number): boolean {
    if (this.tokens < cost) {
      const elapsedMs = Math.max(0, nowMs - this.filledAtMs);
      this.tokens = Math.min(this.burst, this.tokens + (elapsedMs / 1000) * this.perSecond);
      this.filledAtMs = nowMs;
    }
    if (this.tokens < cost) return false;
    this.tokens -= cost;
    return true;
  }
}
