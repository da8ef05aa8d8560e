/** The small language of expectations in `test/cases`: what a value must look like. */

/** Why the value is not as expected; undefined when it is. */
export function mismatch(expected: unknown, actual: unknown, path = 'value'): string | undefined {
  if (isMatcher(expected)) return matcherMismatch(expected, actual, path);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${path} is ${show(actual)}, not an array`;
    if (actual.length !== expected.length) {
      return `${path} has ${actual.length} entries, not ${expected.length}: ${show(actual)}`;
    }
    return first(expected.map((entry, index) => mismatch(entry, actual[index], `${path}[${index}]`)));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return `${path} is ${show(actual)}, not an object`;
    return first(
      Object.entries(expected).map(([key, value]) =>
        mismatch(value, (actual as Record<string, unknown>)[key], `${path}.${key}`),
      ),
    );
  }
  return Object.is(expected, actual) ? undefined : `${path} is ${show(actual)}, not ${show(expected)}`;
}

/** Why the text lacks one of the facts. A list is "one of these"; a number is not found inside another, nor in an id. */
export function missingFact(text: string, facts: readonly (string | readonly string[])[]): string | undefined {
  for (const fact of facts) {
    const choices = typeof fact === 'string' ? [fact] : fact;
    if (!choices.some((choice) => mentions(text, choice))) return `"${text}" does not mention ${choices.join(' or ')}`;
  }
  return undefined;
}

export function mentions(text: string, fact: string): boolean {
  if (/^\d+$/.test(fact)) return new RegExp(`(?<![\\w-])${fact}(?!\\w)`).test(text);
  const escaped = fact.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(/\d$/.test(fact) ? `${escaped}(?!\\d)` : escaped, 'i').test(text);
}

export interface TextExpectation {
  readonly equals?: string;
  readonly startsWith?: string;
  readonly lines?: readonly string[];
  readonly mentions?: readonly (string | readonly string[])[];
  readonly notMentions?: readonly string[];
}

export function textMismatch(expected: TextExpectation | null, text: string | null): string | undefined {
  if (expected === null || text === null) return expected === text ? undefined : `the text is ${show(text)}`;
  const { equals, startsWith, lines = [], notMentions = [] } = expected;
  if (equals !== undefined && text.trimEnd() !== equals.trimEnd()) return `${show(text)} is not ${show(equals)}`;
  if (startsWith !== undefined && !text.startsWith(startsWith))
    return `${show(text)} does not start with ${startsWith}`;
  let from = 0;
  const told = text.split('\n');
  for (const line of lines) {
    const at = told.indexOf(line, from);
    if (at < 0) return `${show(text)} lacks the line ${show(line)}`;
    from = at + 1;
  }
  const unwanted = notMentions.find((fact) => mentions(text, fact));
  return unwanted === undefined ? missingFact(text, expected.mentions ?? []) : `${show(text)} mentions ${unwanted}`;
}

type Matcher = Record<string, unknown>;

function isMatcher(value: unknown): value is Matcher {
  return typeof value === 'object' && value !== null && Object.keys(value).some((key) => key.startsWith('$'));
}

function matcherMismatch(matcher: Matcher, actual: unknown, path: string): string | undefined {
  const problems = Object.entries(matcher).map(([key, value]) => {
    switch (key) {
      case '$absent':
        return actual === undefined ? undefined : `${path} is there: ${show(actual)}`;
      case '$any':
        return actual === undefined ? `${path} is not there` : undefined;
      case '$match':
        return typeof actual === 'string' && new RegExp(String(value), 'u').test(actual)
          ? undefined
          : `${path} is ${show(actual)}, which does not match ${value}`;
      case '$mentions':
        return missingFact(String(actual), value as readonly string[]);
      case '$bytesAtMost':
        return Buffer.byteLength(String(actual)) <= Number(value) ? undefined : `${path} has more than ${value} bytes`;
      case '$contains':
        return containsMismatch(value as readonly unknown[], actual, path);
      default:
        return `${key} is not known`;
    }
  });
  return first(problems);
}

function containsMismatch(expected: readonly unknown[], actual: unknown, path: string): string | undefined {
  if (!Array.isArray(actual)) return `${path} is not an array`;
  let from = 0;
  for (const entry of expected) {
    const at = actual.findIndex((value, index) => index >= from && mismatch(entry, value) === undefined);
    if (at < 0) return `${path} does not contain ${show(entry)}`;
    from = at + 1;
  }
  return undefined;
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 300);
}
