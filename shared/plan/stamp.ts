import type { Patch } from './change.ts';
import type { WalkBudget } from './graph.ts';

/** What the pure core cannot know by itself: who, when, fresh identities, and history where a mutation needs it. */
export interface Stamp {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly actor: string;
  /** Within a batch: what its steps together may follow of the dependency graph. */
  readonly walk?: WalkBudget;
  /** A fresh uid at each call. */
  readonly newUid: () => string;
  /** The Change of a revision that `historyNeeded` asked for; undefined when the store does not have it. */
  readonly history?: (revision: number) => PastChange | undefined;
  /**
   * What takes back each Change after a revision that `historyNeeded` asked for, newest first. Undefined when the store
   * does not have them all, or they are more than one decision may look at.
   */
  readonly undosSince?: (revision: number) => readonly RowsUndo[] | undefined;
  /** Within a batch: what takes back the steps before this one, newest first. They are in the plan and not in history. */
  readonly stepUndos?: () => readonly Patch[];
}

/** Of an undo, what it says about rows: all that a full-list write asks, and without the bodies of documents. */
export type RowsUndo = Pick<Patch, 'groups' | 'tasks'>;

export interface PastChange {
  readonly action: string;
  readonly actor: string;
  readonly patch: Patch;
  readonly undo: Patch;
}
