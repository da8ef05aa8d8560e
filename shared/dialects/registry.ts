import { acp } from './acp.ts';
import { car } from './car.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { cosh } from './cosh.ts';
import { coshGrouped } from './cosh-grouped.ts';
import { cursor } from './cursor.ts';
import { deepagents } from './deepagents.ts';
import type { Dialect } from './dialect.ts';
import { dockerAgent } from './docker-agent.ts';
import { gemini } from './gemini.ts';
import { microsoft } from './microsoft.ts';
import { opencode } from './opencode.ts';
import { planroom } from './planroom.ts';
import { sagents } from './sagents.ts';
import { vscode } from './vscode.ts';

/** All dialects, in the order in which lists show them. */
export const dialects: readonly Dialect[] = [
  planroom,
  coshGrouped,
  cosh,
  car,
  dockerAgent,
  sagents,
  claudeCode,
  codex,
  deepagents,
  opencode,
  gemini,
  cursor,
  vscode,
  microsoft,
  acp,
];

/** The one a caller gets that names none. */
export const defaultDialect = 'planroom';

const byName = new Map(dialects.map((dialect) => [dialect.name, dialect]));

export function findDialect(name: string): Dialect | undefined {
  return byName.get(name);
}
