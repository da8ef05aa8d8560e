import { trim } from '../../shared/plan/text.ts';

/**
 * Plan text as a terminal may show it. Anyone may have written it, so control characters (escape sequences among them)
 * and marks that turn the direction of text are shown as escapes instead of being obeyed.
 */

const controls = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** On one line: line breaks and tabs are escaped too. */
export function oneLine(text: string): string {
  return text.replace(controls, escaped);
}

/** The first line that says something, for places that have no more; `…` says that there is more of the text. */
export function firstLine(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
  const lines = trim(text);
  const [first = ''] = lines.split(/[\r\n]/, 1);
  const whole = first.trimEnd();
  if (whole.length <= charactersMax) return oneLine(first.length === lines.length ? whole : `${whole}…`);
  return `${oneLine(whole.slice(0, charactersMax).replace(/[\ud800-\udbff]$/, ''))}…`;
}

/** Several lines: line feeds and tabs stay. */
export function manyLines(text: string): string {
  return text.replace(controls, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
