import { readFileSync } from 'node:fs';

/** PROTOCOL.md as the tests read it. */
const text = readFileSync(new URL('../../shared/protocol/PROTOCOL.md', import.meta.url), 'utf8');

export interface Step {
  readonly from: 'client' | 'server';
  /** JSON; of the client a frame, of the server one message. */
  readonly value: unknown;
}

/** The worked examples, each with the line it begins at. */
export function examples(): readonly { readonly name: string; readonly steps: readonly Step[] }[] {
  return [...text.matchAll(/^```exchange\n([\s\S]*?)^```/gm)].map((match) => ({
    name: `line ${text.slice(0, match.index).split('\n').length}`,
    steps: (match[1] ?? '').trim().split('\n').map(readStep),
  }));
}

/** The cells of the rows of a section's first table, without its head. Backticks are taken away. */
export function tableOf(heading: string): readonly (readonly string[])[] {
  const section = text.split(/^#{2,3} /m).find((each) => each.split('\n')[0]?.endsWith(heading)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

function readStep(line: string): Step {
  const from = line.startsWith('> ') ? 'client' : 'server';
  if (from === 'server' && !line.startsWith('< ')) throw new Error(`Neither > nor <: ${line}`);
  return { from, value: JSON.parse(line.slice(2)) };
}

/**
 * Whether a value looks as the pattern says: `…` is any text, `<name>` any value, the same one wherever it stands.
 * Gives the path of the first difference.
 */
export function difference(
  pattern: unknown,
  value: unknown,
  names: Map<string, unknown>,
  path = '$',
): string | undefined {
  if (pattern === '…') return typeof value === 'string' ? undefined : path;
  if (typeof pattern === 'string' && /^<\w+>$/.test(pattern)) return differenceOfName(pattern, value, names, path);
  if (typeof pattern !== 'object' || pattern === null) return Object.is(pattern, value) ? undefined : path;
  if (typeof value !== 'object' || value === null || Array.isArray(pattern) !== Array.isArray(value)) return path;
  const keys = new Set([...Object.keys(pattern), ...Object.keys(value)]);
  for (const key of keys) {
    const here = `${path}.${key}`;
    if (!Object.hasOwn(pattern, key) || !Object.hasOwn(value, key)) return here;
    const found = difference(
      (pattern as Record<string, unknown>)[key],
      (value as Record<string, unknown>)[key],
      names,
      here,
    );
    if (found) return found;
  }
  return undefined;
}

function differenceOfName(name: string, value: unknown, names: Map<string, unknown>, path: string): string | undefined {
  if (value === undefined) return path;
  if (!names.has(name)) names.set(name, value);
  return JSON.stringify(names.get(name)) === JSON.stringify(value) ? undefined : path;
}

/** The pattern with its names replaced by what they stood for. */
export function fillIn(pattern: unknown, names: ReadonlyMap<string, unknown>): string {
  return JSON.stringify(pattern, (_key, value: unknown) =>
    typeof value === 'string' && names.has(value) ? names.get(value) : value,
  );
}
