/**
 * White space as Unicode defines it (White_Space property). JavaScript's `trim()` takes U+FEFF for a blank and misses
 * U+0085; the seeds do neither.
 */
const blank = '\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const edges = new RegExp(`^[${blank}]+|[${blank}]+$`, 'g');
const runs = new RegExp(`[${blank}]+`, 'g');
const solid = new RegExp(`[^${blank}]`);

export function trim(text: string): string {
  return text.replace(edges, '');
}

/** Whether nothing but white space is there. */
export function isBlank(text: string): boolean {
  return !solid.test(text);
}

/** The text with white space and case folded, for comparing what people mean rather than what they typed. */
export function fold(text: string): string {
  return trim(text).replace(runs, ' ').toLowerCase();
}

/** Whether the text is free of lone surrogates, which no UTF-8 encoder can carry. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** `a`; `a and b`; `a, b, and c`. Each name in single quotes. */
export function joinNames(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length <= 1) return quoted.join('');
  if (quoted.length === 2) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted[quoted.length - 1]}`;
}
