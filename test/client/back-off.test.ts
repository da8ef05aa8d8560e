import { describe, expect, it } from 'vitest';
import { backOffDelayMs, defaultBackOff } from '../../client/sdk/back-off.ts';
import { seededRandom } from './support/random-mutation.ts';

describe('the wait before another try', () => {
  const almostOne = (): number => 0.999_999;

  it('doubles its bound with each failure, up to the greatest', () => {
    const bounds = [0, 1, 2, 3, 10, 1_000].map((attempt) => Math.round(backOffDelayMs(attempt, almostOne)));
    expect(bounds).toEqual([250, 500, 1000, 2000, 15_000, 15_000]);
  });

  it('is spread over the whole span from nothing to the bound', () => {
    const random = seededRandom(7);
    const waits = Array.from({ length: 1_000 }, () => backOffDelayMs(2, random));
    expect(Math.min(...waits)).toBeLessThan(50);
    expect(Math.max(...waits)).toBeGreaterThan(950);
    expect(waits.reduce((sum, wait) => sum + wait, 0) / waits.length).toBeCloseTo(500, -2);
  });

  it('keeps to other bounds when given', () => {
    expect(backOffDelayMs(9, almostOne, { ...defaultBackOff, delayMsMax: 40 })).toBeCloseTo(40, 1);
  });
});
