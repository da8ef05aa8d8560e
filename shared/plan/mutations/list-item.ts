import { z } from 'zod';
import type { BaseRows } from '../base-rows.ts';
import { limits } from '../limits.ts';
import { statuses, type Task } from '../model.ts';
import { dependsOnField, groupReference, labelsField, priorityField, taskReference, textField } from './fields.ts';

/** One item of a full-list write. */
export const listItem = z.strictObject({
  /** Names the item for `dependsOn` of its siblings; not kept. */
  key: z.string().max(limits.dependencyIdBytesMax).optional(),
  /** The task it means, when the writer knows; else it is found by its text, then by its place. */
  task: taskReference.optional(),
  /** A new task gets this number if it is free: for dialects whose callers choose ids. */
  number: z.number().int().min(1).max(limits.taskNumberMax).optional(),
  description: textField,
  /** Absent: `pending` for a new task, unchanged for one that is there. */
  status: z.enum(statuses).optional(),
  /** Ids of tasks or keys of siblings. */
  dependsOn: dependsOnField.optional(),
  /** Absent: where it is; a new one goes to the group of the item before it. */
  group: groupReference.optional(),
  /** `null` takes it away. */
  priority: priorityField.nullable().optional(),
  labels: labelsField.nullable().optional(),
});

export type Item = z.infer<typeof listItem>;

/** What one item comes to: the task it is, or will be. */
export interface Placed {
  readonly item: Item;
  readonly uid: string;
  readonly number: number;
  /** The row as the writer saw it, and as it is; a new task has neither, an unseen one no base, a removed one no current. */
  readonly base: Task | undefined;
  readonly current: Task | undefined;
}

/** What the writer knew: every row of the plan at its base, and those of them it was shown. */
export interface Seen {
  /** Revision of the rows; undefined when the writer never saw the plan. */
  readonly revision: number | undefined;
  readonly groups: BaseRows['groups'];
  readonly all: ReadonlyMap<string, Task>;
  readonly uidByNumber: ReadonlyMap<number, string>;
  readonly shown: readonly Task[];
}
