import { cosh } from './cosh.ts';
import { coshGrouped } from './cosh-grouped.ts';
import type { Dialect } from './dialect.ts';
import { dockerAgent } from './docker-agent.ts';

/** All dialects, in the order in which lists show them. */
export const dialects: readonly Dialect[] = [coshGrouped, cosh, dockerAgent];

/** The one a caller gets that names none. */
export const defaultDialect = 'planroom';

const byName = new Map(dialects.map((dialect) => [dialect.name, dialect]));

export function findDialect(name: string): Dialect | undefined {
  return byName.get(name);
}
