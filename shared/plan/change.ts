import type { Group, PlanDocument, Policy, Task } from './model.ts';

/**
 * One row of a Patch: the key, and the fields that changed as values after the Change. `null` means the field is gone.
 * `removed` takes the row away. A row whose key the plan does not know is a new row and carries every field it has.
 * Fields that a row does not state: `revision`, `updatedBy` and `updatedAt` are those of the Change; in a new row also
 * `createdBy` and `createdRevision`, a status of `pending`, no dependencies, tests not verified.
 */
export type RowPatch<Row extends { readonly uid: string }> =
  | ({ readonly uid: string; readonly removed?: never } & {
      readonly [Field in Exclude<keyof Row, 'uid'>]?: Row[Field] | null;
    })
  | { readonly uid: string; readonly removed: true };

/** A body too large to broadcast travels as its size; whoever needs it reads the document. */
export type DocumentPatch = {
  readonly [Field in keyof PlanDocument]?: PlanDocument[Field] | null;
};

export type GroupPatch = RowPatch<Group>;
export type TaskPatch = RowPatch<Task>;

/** The rows a Change touched, as values after it. */
export interface Patch {
  readonly document?: DocumentPatch;
  readonly policy?: Partial<Policy>;
  readonly groups?: readonly GroupPatch[];
  readonly tasks?: readonly TaskPatch[];
}

/** Who, when and at which revision: what a row takes over from the Change that touched it. */
export interface Mark {
  readonly revision: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly actor: string;
}

/** An accepted mutation: a numbered, durable fact of one room and epoch. */
export interface Change extends Mark {
  readonly mutationId: string;
  /** Type of the mutation, such as `task.add`. */
  readonly action: string;
  readonly patch: Patch;
}

/** What the store keeps beside a Change: the touched rows as they were before, and the advice its writer got. */
export interface ChangeRecord {
  readonly change: Change;
  readonly undo: Patch;
  readonly nags: readonly Nag[];
}

/** Advice that comes with an Ack; it never blocks. */
export interface Nag {
  readonly code: NagCode;
  readonly message: string;
}

export type NagCode =
  /** A dependency names the task itself. */
  | 'self_dependency'
  /** A dependency names no task of the plan. */
  | 'unknown_dependency'
  /** The dependencies now form a chain that leads back to its start. */
  | 'dependency_cycle'
  /** A started task waits for one that is not completed. */
  | 'dependency_open'
  /** A started task waits for one that is gone. */
  | 'dependency_gone'
  /** A finished or removed task is named by others as a dependency. */
  | 'dependents'
  /** A task was finished or removed that another actor had in progress. */
  | 'of_another'
  /** How many rows a clean took away. */
  | 'cleaned'
  /** A group was verified although tasks of it are open. */
  | 'verified_with_open_tasks'
  /** A group is finished and nobody confirmed its tests. */
  | 'unverified_group'
  /** A whole-list write replaced a list that was not empty. */
  | 'replaced'
  /** A whole-list write kept, or merged, a row that others had changed. */
  | 'merged'
  /** Part of the input was not understood and left out. */
  | 'ignored';
