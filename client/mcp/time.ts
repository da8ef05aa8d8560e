import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or until the signal. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => undefined);
}

/** Waits for the work, but no longer than that. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, delay(ms, over.signal)]);
  over.abort();
}
