/** The plan's rows. They are immutable values: a Change replaces a row, never edits it in place. */

export const statuses = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
export type Status = (typeof statuses)[number];

/** `one-per-actor`: an actor has at most one task in progress; `one-per-plan`: the whole plan has; `any`: no bound. */
export const inProgressPolicies = ['one-per-actor', 'one-per-plan', 'any'] as const;
export const fullListWritePolicies = ['merge', 'replace'] as const;

/** Rules of one room, stored with its plan. */
export interface Policy {
  readonly inProgress: (typeof inProgressPolicies)[number];
  /** When set, a completed or cancelled task must be reopened before it can be started. */
  readonly strictTerminal: boolean;
  readonly fullListWrites: (typeof fullListWritePolicies)[number];
}

export const defaultPolicy: Policy = { inProgress: 'one-per-actor', strictTerminal: false, fullListWrites: 'merge' };

/** The Markdown document of the plan. An absent label was never set or was cleared. */
export interface PlanDocument {
  readonly title?: string | undefined;
  readonly content: string;
  /** Set in a client's copy when the body was too large to broadcast: its UTF-8 size. `content` is empty until read. */
  readonly contentBytes?: number | undefined;
  readonly author?: string | undefined;
  readonly status?: string | undefined;
  /** Room revision at which the document last changed; 0 while there is none. */
  readonly revision: number;
  /** ISO 8601 UTC; empty while there is none. */
  readonly updatedAt: string;
}

export interface Group {
  /** Made once, never reused. */
  readonly uid: string;
  readonly title: string;
  /** Fractional index, compared by code unit; ties by uid. */
  readonly order: string;
  readonly testsVerified: boolean;
  /** What showed that the tests pass, in the words of whoever verified. */
  readonly evidence?: string | undefined;
  readonly revision: number;
}

export interface Task {
  /** Made once, never reused. */
  readonly uid: string;
  /** The id people and agents see is `task-<number>`; a removed highest number comes back. */
  readonly number: number;
  /** uid of its group. */
  readonly group: string;
  /** Fractional index inside its group. */
  readonly order: string;
  readonly description: string;
  readonly status: Status;
  /** Who has it in progress; absent in every other status. */
  readonly startedBy?: string | undefined;
  /** Ids as written, unknown ones and repeats included. */
  readonly dependsOn: readonly string[];
  readonly priority?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly createdBy: string;
  /** Room revision at which this task was made. */
  readonly createdRevision: number;
  readonly updatedBy: string;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  /** Room revision at which this task last changed. */
  readonly revision: number;
}

/** Whole plan at a revision, as plain data. Groups and tasks stand in list order. */
export interface Snapshot {
  readonly room: string;
  readonly epoch: string;
  readonly revision: number;
  /** ISO 8601 UTC; empty at revision 0. */
  readonly updatedAt: string;
  readonly policy: Policy;
  readonly document: PlanDocument;
  readonly groups: readonly Group[];
  readonly tasks: readonly Task[];
}

export const emptyDocument: PlanDocument = { content: '', revision: 0, updatedAt: '' };

/** Whether the status is final: done or abandoned. */
export function isTerminal(status: Status): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** Whether they are one task, now and at another revision: a uid that was removed may come again, for another task. */
export function isSameTask(task: Task, other: Task | undefined): boolean {
  return other !== undefined && task.uid === other.uid && task.createdRevision === other.createdRevision;
}

/** `task-7` for 7. */
export function taskId(task: { readonly number: number }): string {
  return `task-${task.number}`;
}

/** 7 for `task-7`; undefined for anything else, `task-07` included. */
export function taskNumber(id: string): number | undefined {
  const match = /^task-([1-9][0-9]{0,14})$/.exec(id);
  return match ? Number(match[1]) : undefined;
}
