import * as Y from 'yjs';
import { mirrorLimits } from './limits.ts';
import { fault, type Id, type Objection, type ScannedItem } from './scan.ts';
import { rootOf } from './write.ts';

/**
 * Counts the writes that come beside another: for each of them Yjs goes through all values that its key had after the one
 * they share, and may have to cut a struct in two. A client that was offline makes one for a key that was written meanwhile.
 */
export class Forks {
  private readonly doc: Y.Doc;
  private readonly perKey = new Map<string, number>();
  private readonly followed = new Set<string>();
  private total = 0;
  private steps = 0;

  constructor(doc: Y.Doc) {
    this.doc = doc;
  }

  count({ origin }: ScannedItem, key: string, before: ScannedItem | undefined): Objection | undefined {
    const place = origin ? `${origin.client}:${origin.clock}` : key;
    const isFork = this.followed.has(place) || this.isFollowed(origin, key, before);
    this.followed.add(place);
    if (!isFork) return undefined;
    const forks = (this.perKey.get(key) ?? 0) + 1;
    this.perKey.set(key, forks);
    this.total += 1;
    const isBounded =
      forks <= mirrorLimits.forksPerKeyMax &&
      this.total <= mirrorLimits.forksPerUpdateMax &&
      this.walk(key, origin) <= mirrorLimits.forkStepsPerUpdateMax;
    return isBounded ? undefined : fault('too many writes beside each other');
  }

  /** Adds the values of the key that the doc has after this one. */
  private walk(key: string, origin: Id | undefined): number {
    let item = rootOf(this.doc)._map.get(key) ?? null;
    const isAfter = ({ id }: Y.Item): boolean => id.client !== origin?.client || id.clock > origin.clock;
    for (; item && isAfter(item) && this.steps <= mirrorLimits.forkStepsPerUpdateMax; item = item.left) this.steps += 1;
    return this.steps;
  }

  private isFollowed(origin: Id | undefined, key: string, before: ScannedItem | undefined): boolean {
    if (!origin) return rootOf(this.doc)._map.has(key);
    if (before) return origin.clock < before.end - 1;
    const item = Y.getItem(this.doc.store, Y.createID(origin.client, origin.clock));
    return origin.clock < item.lastId.clock || (item.right !== null && Y.compareIDs(item.right.origin, item.lastId));
  }
}
