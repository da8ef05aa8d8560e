import * as Y from 'yjs';
import { err, ok, type Result } from '../plan/result.ts';
import type { Write } from './lint.ts';
import { liveView, type View } from './read.ts';
import type { Scalar } from './schema.ts';
import { type Mirror, rootOf } from './write.ts';

/** What a merged update did to a doc that said what the plan says. */
export interface Merged {
  /** Keys it wrote or deleted, whether or not their value is another one now. */
  readonly keys: ReadonlySet<string>;
  /** Keys it wrote without having seen what the doc said. */
  readonly concurrent: ReadonlySet<string>;
  /** What the doc says now, with the writes of the update that Yjs dropped in their place. */
  readonly view: View;
}

/**
 * Merges an update that passed the lint. Of two writes that did not see each other Yjs keeps the one with the higher client
 * id, a matter of luck; here the last to arrive counts, as at every other endpoint, so the view says what the
 * update wants. An error means that the doc may be broken: drop it and build it anew from what is stored.
 */
export function mergeUpdate(
  mirror: Mirror,
  update: Uint8Array,
  writes: readonly Write[],
  origin: unknown,
): Result<Merged, string> {
  const { doc } = mirror;
  const root = rootOf(doc);
  const keys = new Set<string>();
  const concurrent = new Set<string>();
  const dropped = new Map<string, Write>();
  const observe = ({ keysChanged, transaction }: Y.YMapEvent<Scalar>): void => {
    const isNew = ({ client, clock }: Y.ID): boolean => clock >= (transaction.beforeState.get(client) ?? 0);
    for (const key of keysChanged) {
      keys.add(key);
      if (isConcurrent(root._map.get(key), isNew)) concurrent.add(key);
    }
    for (const write of writes) {
      const winner = root._map.get(write.key);
      if (!winner || isNew(winner.id) || !isNew(Y.createID(write.client, write.clock))) continue;
      concurrent.add(write.key);
      const other = dropped.get(write.key);
      if (!other || other.client < write.client) dropped.set(write.key, write);
    }
  };
  root.observe(observe);
  try {
    Y.applyUpdate(doc, update, origin);
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  } finally {
    root.unobserve(observe);
  }
  if (doc.store.pendingStructs || doc.store.pendingDs) return err('part of the update waits for another');
  const live = liveView(doc);
  return ok({ keys, concurrent, view: { get: (key) => dropped.get(key)?.value ?? live.get(key) } });
}

/** Whether the value that stands was written beside the one that stood, not after it. */
function isConcurrent(item: Y.Item | undefined, isNew: (id: Y.ID) => boolean): boolean {
  if (!item || !isNew(item.id)) return false;
  let lowest = item;
  while (lowest.left && isNew(lowest.left.id)) lowest = lowest.left;
  return lowest.left !== null && !Y.compareIDs(lowest.origin, lowest.left.lastId);
}
