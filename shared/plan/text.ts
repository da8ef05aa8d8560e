import { limits } from './limits.ts';

/**
 * White space as Unicode defines it (White_Space property). JavaScript's `trim()` takes U+FEFF for a blank and misses
 * U+0085; the seeds do neither.
 */
const blank = '\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const runs = new RegExp(`[${blank}]+`, 'g');
const solid = new RegExp(`[^${blank}]`);

/** Walks in from both ends: a pattern such as `blank+$` would try every blank of a long run inside the text. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlankUnit(text.charCodeAt(start))) start += 1;
  while (end > start && isBlankUnit(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlankUnit(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x2000) return unit === 0x85 || unit === 0xa0 || unit === 0x1680;
  return unit <= 0x200a || unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000;
}

/** Whether nothing but white space is there. */
export function isBlank(text: string): boolean {
  return !solid.test(text);
}

/** The text on one line: each run of white space, line breaks included, is one blank. */
export function collapse(text: string): string {
  return trim(text).replace(runs, ' ');
}

/** The text with white space and case folded, for comparing what people mean rather than what they typed. */
export function fold(text: string): string {
  return collapse(text).toLowerCase();
}

/** Whether the text is free of lone surrogates, which no UTF-8 encoder can carry. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** `'a'`; `'a' and 'b'`; `'a', 'b', and 'c'`. Of more than `namesPerMessageMax` the last are counted: `'a', …, and 7 more`. */
export function joinNames(names: readonly string[]): string {
  const { namesPerMessageMax } = limits;
  const quoted = names.slice(0, namesPerMessageMax).map((name) => `'${name}'`);
  if (names.length > namesPerMessageMax) return `${quoted.join(', ')}, and ${names.length - namesPerMessageMax} more`;
  if (quoted.length <= 1) return quoted.join('');
  if (quoted.length === 2) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted[quoted.length - 1]}`;
}
