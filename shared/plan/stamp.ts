import type { Patch } from './change.ts';

/** What the pure core cannot know by itself: who, when, fresh identities, and history where a mutation needs it. */
export interface Stamp {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly actor: string;
  /** A fresh uid at each call. */
  readonly newUid: () => string;
  /** The Change of a revision that `historyNeeded` asked for; undefined when the store does not have it. */
  readonly history?: (revision: number) => PastChange | undefined;
  /** Within a batch: what takes back the steps before this one, newest first. They are in the plan and not in history. */
  readonly stepUndos?: () => readonly Patch[];
}

export interface PastChange {
  readonly action: string;
  readonly actor: string;
  readonly patch: Patch;
  readonly undo: Patch;
}
