/**
 * @param {readonly number[]} values
 * @param {number} share 0.5 is the median, 0.99 the 99th percentile
 */
export function percentile(values, share) {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/**
 * The median of each figure over all trials.
 * @param {readonly Record<string, number>[]} trials
 * @returns {Record<string, number>}
 */
export function medians(trials) {
  const names = Object.keys(trials[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(trials.map((trial) => trial[name] ?? Number.NaN))]));
}
