import type { z } from 'zod';

const pathCharactersMax = 200;
const partCharactersMax = 300;
/** Of the fields that are unknown, so many are named. */
const keysNamedMax = 5;

type Issue = z.core.$ZodIssue;

/** One thing a schema found wrong, in words for whoever sent it. What we said ourselves in a schema stands as it is. */
export function issueText(issue: Issue): string {
  const path = issue.path.map(String).join('.').slice(0, pathCharactersMax);
  return plainText(issue, path) ?? `${path ? `${path}: ` : ''}${issue.message.slice(0, partCharactersMax)}`;
}

function plainText(issue: Issue, path: string): string | undefined {
  const subject = path || 'the value';
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined') ? `${subject} is missing` : undefined;
    case 'unrecognized_keys':
      return `${path ? `${path} has` : 'there is'} no field ${quoted(issue.keys)}`;
    case 'invalid_union':
      return unionText(issue, subject);
    case 'too_small':
      if (!issue.message.startsWith('Too small: ')) return undefined;
      if (issue.origin === 'string' || issue.origin === 'array') {
        return issue.minimum === 1
          ? `${subject} is empty`
          : `${subject} needs at least ${size(issue.origin, issue.minimum)}`;
      }
      return undefined;
    case 'too_big':
      if (!issue.message.startsWith('Too big: ')) return undefined;
      if (issue.origin === 'string' || issue.origin === 'array') {
        return `${subject} has more than ${size(issue.origin, issue.maximum)}`;
      }
      return undefined;
    default:
      return undefined;
  }
}

/** A value whose `type` or the like is not among those there are; all of them are named. */
function unionText(issue: Issue & { readonly code: 'invalid_union' }, subject: string): string | undefined {
  const { options } = issue as { readonly options?: readonly unknown[] };
  return Array.isArray(options) ? `${subject} must be one of ${options.map(String).join(', ')}` : undefined;
}

function size(origin: string, count: number | bigint): string {
  return `${count} ${origin === 'string' ? 'characters' : 'entries'}`;
}

function quoted(keys: readonly string[]): string {
  const named = keys.slice(0, keysNamedMax).map((key) => `'${key.slice(0, 50)}'`);
  return `${named.join(', ')}${keys.length > keysNamedMax ? ` and ${keys.length - keysNamedMax} more` : ''}`;
}
