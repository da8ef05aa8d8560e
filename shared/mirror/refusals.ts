import type { RejectionCode } from '../plan/rejection.ts';
import { rejectionCodes } from '../plan/rejection.ts';
import type { Stamp } from '../plan/stamp.ts';
import { mirrorLimits } from './limits.ts';
import { isScalar, type View } from './read.ts';
import { keyOf, parseJson, refusedItem, type Scalar } from './schema.ts';
import { type Mirror, rootOf, serverOrigin } from './write.ts';

/** Part of an edit that the plan's rules did not let through; the doc says what the plan says instead. */
export interface Refusal {
  readonly code: RejectionCode;
  readonly key: string;
  /** What the client wanted; absent when it removed the key. A long text is cut. */
  readonly value?: Scalar;
  readonly message: string;
}

/** A refusal as the doc keeps it, under `refused:<slot>` as JSON text. Deleting the key dismisses it. */
export interface KeptRefusal extends Refusal {
  /** Counts up; a new one takes the slot of the oldest. */
  readonly n: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Whose edit it was. */
  readonly actor: string;
}

export function refusal(code: RejectionCode, key: string, value: Scalar | undefined, message: string): Refusal {
  const cut = shorten(message, mirrorLimits.refusalMessageCharactersMax);
  if (value === undefined) return { code, key, message: cut };
  const kept = typeof value === 'string' ? shorten(value, mirrorLimits.refusedValueCharactersMax) : value;
  return { code, key, value: kept, message: cut };
}

/** The first ones; the last place counts the others. */
export function boundRefusals(refusals: readonly Refusal[]): readonly Refusal[] {
  const max = mirrorLimits.refusalsPerUpdateMax;
  if (refusals.length <= max) return refusals;
  const more = refusals.length - max;
  const last = refusals[max - 1] as Refusal;
  const message = `And ${more} more ${more === 1 ? 'edit' : 'edits'} of the same update. ${last.message}`;
  return [...refusals.slice(0, max - 1), refusal(last.code, last.key, last.value, message)];
}

/** Writes them into the doc, so that the client finds them with the correction. */
export function writeRefusals(
  mirror: Mirror,
  refusals: readonly Refusal[],
  { at, actor }: Pick<Stamp, 'at' | 'actor'>,
): void {
  if (refusals.length === 0) return;
  const root = rootOf(mirror.doc);
  mirror.doc.transact(() => {
    let n = readRefusals({ get: (key) => root.get(key) }).at(-1)?.n ?? -1;
    for (const each of boundRefusals(refusals)) {
      n += 1;
      root.set(slotKey(n % mirrorLimits.refusalsMax), JSON.stringify({ n, at, actor, ...each }));
    }
  }, serverOrigin);
}

/** Refusals that the doc holds, oldest first. */
export function readRefusals(view: View): readonly KeptRefusal[] {
  const found: KeptRefusal[] = [];
  for (let slot = 0; slot < mirrorLimits.refusalsMax; slot += 1) {
    const text = view.get(slotKey(slot));
    const kept = typeof text === 'string' ? parseJson(text) : undefined;
    if (isKept(kept)) found.push(kept);
  }
  return found.sort((a, b) => a.n - b.n);
}

function isKept(value: unknown): value is KeptRefusal {
  if (typeof value !== 'object' || value === null) return false;
  const { n, at, actor, code, key, message, value: wanted } = value as Record<string, unknown>;
  const isText = [at, actor, code, key, message].every((text) => typeof text === 'string');
  return isText && Number.isSafeInteger(n) && Object.hasOwn(rejectionCodes, code as string) && isScalarOrAbsent(wanted);
}

function isScalarOrAbsent(value: unknown): boolean {
  return value === undefined || isScalar(value);
}

function slotKey(slot: number): string {
  return keyOf(refusedItem, String(slot));
}

/** At most so many characters, and no half of a surrogate pair at the end. */
function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
