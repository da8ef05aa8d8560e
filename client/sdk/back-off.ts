/** How long to wait before trying again. Exponential with full jitter, so that clients do not come back all at once. */
export interface BackOff {
  /** Upper bound of the first wait. It doubles with each failure. */
  readonly firstDelayMsMax: number;
  /** Upper bound of every wait. */
  readonly delayMsMax: number;
  /** Connections that fail in a row before the client gives up. `Infinity`: it never does. */
  readonly attemptsMax: number;
}

export const defaultBackOff: BackOff = {
  firstDelayMsMax: 250,
  delayMsMax: 15_000,
  attemptsMax: Number.POSITIVE_INFINITY,
};

/** A connection that lived this long was a good one: the next loss starts from the first delay again. */
export const stableAfterMs = 5_000;

/** Wait in milliseconds before try number `attempt` (0 is the first after a failure): uniform from 0 to the bound. */
export function backOffDelayMs(attempt: number, random: () => number, bounds: BackOff = defaultBackOff): number {
  const ceilingMs = Math.min(bounds.delayMsMax, bounds.firstDelayMsMax * 2 ** Math.min(attempt, 30));
  return random() * ceilingMs;
}
