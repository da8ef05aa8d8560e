import type { Status } from './model.ts';

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
  /**
   * Those of `shown` that only an answer to a write of the actor showed, and that no list of the actor held yet: it may not
   * have taken them up.
   */
  readonly unlisted?: readonly string[];
  /** What the actor's last list said of a task where the plan says otherwise: said again, it is no change. */
  readonly sent?: { readonly [uid: string]: { readonly description?: string; readonly status?: Status } };
  /** uid -> what this actor calls the task, where its dialect lets the caller choose ids. */
  readonly names?: { readonly [uid: string]: string };
}
