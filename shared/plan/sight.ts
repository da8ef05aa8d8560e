/**
 * What an actor last saw of a room through one dialect: the base of its next full-list write. A dialect that hides or
 * bounds rows has not shown them.
 */
export interface Sight {
  readonly actor: string;
  readonly dialect: string;
  /** Revision of the plan that was shown. */
  readonly revision: number;
  /** uids of the tasks that were shown or written by the actor itself; null: every task of that revision. */
  readonly shown: readonly string[] | null;
  /** uid -> what this actor calls the task, where its dialect lets the caller choose ids. */
  readonly names?: { readonly [uid: string]: string };
}
