import { z } from 'zod';
import type { GroupPatch, TaskPatch } from '../change.ts';
import { type Decision, Draft, type Fields, sameValue } from '../draft.ts';
import { type Start, startClash } from '../in-progress.ts';
import { type Group, type PlanDocument, type Policy, type Task, taskId } from '../model.ts';
import type { Plan } from '../plan.ts';
import { type Rejection, rejection } from '../rejection.ts';
import { ok, type Result } from '../result.ts';
import type { PastChange, Stamp } from '../stamp.ts';
import { hasDocument } from './document.ts';

/**
 * Undoes one Change: what it touched goes back to what it was before, field by field, as long as nobody changed the
 * same fields since. A new Change does it, so history keeps both.
 */
export const planRevert = z.strictObject({
  type: z.literal('plan.revert'),
  revision: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
});

type Revert = z.infer<typeof planRevert>;

/** Fields that tell who and when rather than what; they follow from the Change that reverts. */
const marks = new Set(['uid', 'removed', 'revision', 'updatedBy', 'updatedAt', 'createdBy', 'createdRevision']);

export function decideRevert(plan: Plan, mutation: Revert, stamp: Stamp): Result<Decision, Rejection> {
  const past = mutation.revision <= plan.revision ? stamp.history?.(mutation.revision) : undefined;
  if (!past) {
    return rejection(
      'unknown_revision',
      `There is no Change ${mutation.revision} to revert; the plan is at revision ${plan.revision}.`,
      { expected: mutation.revision, current: plan.revision },
    );
  }
  const reverter = new Reverter(plan, mutation.revision, past);
  const clash = reverter.document() ?? reverter.policy() ?? reverter.groups() ?? reverter.tasks() ?? reverter.starts();
  if (clash === undefined) return ok(reverter.draft.finish());
  return rejection(
    'cannot_revert',
    `Change ${mutation.revision} cannot be reverted: ${clash} Re-read the plan and undo by hand what is still wanted.`,
    { expected: mutation.revision, current: plan.revision },
  );
}

/** What keeps a row from going back, as a sentence; undefined when nothing does. */
type Clash = string | undefined;

class Reverter {
  readonly draft: Draft;
  private readonly plan: Plan;
  private readonly revision: number;
  private readonly past: PastChange;
  private readonly groupsBefore: ReadonlyMap<string, GroupPatch>;
  private readonly tasksBefore: ReadonlyMap<string, TaskPatch>;
  /** uid -> who has it in progress again, null when nobody has any more. */
  private readonly holders = new Map<string, Pick<Start, 'actor' | 'number'> | null>();
  private policyAfter: Policy;

  constructor(plan: Plan, revision: number, past: PastChange) {
    this.plan = plan;
    this.revision = revision;
    this.past = past;
    this.draft = new Draft(plan);
    this.policyAfter = plan.policy;
    this.groupsBefore = new Map(past.undo.groups?.map((row) => [row.uid, row]));
    this.tasksBefore = new Map(past.undo.tasks?.map((row) => [row.uid, row]));
  }

  /** The first write of a document goes back to there being none. */
  document(): Clash {
    const after = this.past.patch.document;
    const before = this.past.undo.document;
    if (!after || !before) return undefined;
    if (!hasDocument(this.plan) && after.revision !== 0) return 'the document is gone.';
    const fields = fieldsBack<Fields<PlanDocument>>(this.plan.document, after, before);
    if (!fields) return 'the document was changed later.';
    if (before.updatedAt !== '') this.draft.writeDocument(fields);
    else if (this.isNewer(this.plan.document)) return 'the document was changed later.';
    else this.draft.removeDocument();
    return undefined;
  }

  policy(): Clash {
    const { patch, undo } = this.past;
    if (!patch.policy || !undo.policy) return undefined;
    const fields = fieldsBack<Partial<Policy>>(this.plan.policy, patch.policy, undo.policy);
    if (!fields) return 'the policy of the room was changed later.';
    this.draft.setPolicy(fields);
    this.policyAfter = { ...this.plan.policy, ...fields };
    return undefined;
  }

  groups(): Clash {
    for (const after of this.past.patch.groups ?? []) {
      const before = this.groupsBefore.get(after.uid);
      const group = this.plan.group(after.uid);
      if (!before || passes(after, before)) continue;
      if (after.removed) {
        if (group) return `group '${group.title}' is there again.`;
        const { revision: _revision, ...row } = before as Group;
        this.draft.addGroup(row);
      } else if (!group) {
        if (!before.removed) return 'a group it changed was removed later.';
      } else if (before.removed) {
        if (this.isNewer(group)) return `group '${group.title}' was changed later.`;
        if (this.plan.tasksOf(group.uid).some((task) => !this.leaves(task))) {
          return `group '${group.title}' holds tasks that came later.`;
        }
        this.draft.removeGroup(group);
      } else {
        const fields = fieldsBack<Fields<Group>>(group, after, before);
        if (!fields) return `group '${group.title}' was changed later.`;
        this.draft.editGroup(group, fields);
      }
    }
    return undefined;
  }

  /** Whether the task goes, or goes to another group, with this revert. */
  private leaves(task: Task): boolean {
    const before = this.tasksBefore.get(task.uid);
    return before !== undefined && (before.removed === true || (before.group ?? task.group) !== task.group);
  }

  tasks(): Clash {
    for (const after of this.past.patch.tasks ?? []) {
      const before = this.tasksBefore.get(after.uid);
      if (!before || passes(after, before)) continue;
      const task = this.plan.task(after.uid);
      const clash = after.removed ? this.restore(task, before as Task) : this.edit(task, after, before);
      if (clash !== undefined) return clash;
    }
    return undefined;
  }

  private restore(present: Task | undefined, row: Task): Clash {
    if (present) return `task '${taskId(present)}' is there again.`;
    if (!this.hasGroup(row.group)) return `the group of '${taskId(row)}' is gone.`;
    const holder = this.plan.taskByNumber(row.number);
    if (holder && !this.tasksBefore.get(holder.uid)?.removed) {
      return `the id '${taskId(row)}' belongs to another task now.`;
    }
    this.draft.restoreTask(row);
    if (row.startedBy !== undefined) this.holders.set(row.uid, { actor: row.startedBy, number: row.number });
    return undefined;
  }

  private edit(task: Task | undefined, after: TaskPatch, before: TaskPatch): Clash {
    if (!task || this.isAnother(task)) return before.removed ? undefined : 'a task it changed was removed later.';
    if (before.removed) {
      if (this.isNewer(task)) return `task '${taskId(task)}' was changed later.`;
      this.draft.removeTask(task);
      this.holders.set(task.uid, null);
      return undefined;
    }
    const fields = fieldsBack<Fields<Task>>(task, after, before);
    if (!fields) return `task '${taskId(task)}' was changed later.`;
    if (typeof fields.group === 'string' && !this.hasGroup(fields.group)) {
      return `the old group of '${taskId(task)}' is gone.`;
    }
    this.draft.editTask(task, fields);
    const { number } = task;
    const actor = fields.startedBy;
    if (fields.status !== undefined) this.holders.set(task.uid, actor ? { actor, number } : null);
    return undefined;
  }

  /**
   * Whether others changed the row after the Change: what it made is not taken away with their work in it. A row without
   * a revision was made, or written, by an earlier step of the same batch.
   */
  private isNewer({ revision }: { readonly revision: number }): boolean {
    return revision === 0 || revision > this.revision;
  }

  /** Whether the task came after the one that the Change knew, and has its uid. */
  private isAnother({ createdRevision }: Task): boolean {
    return createdRevision === 0 || createdRevision > this.revision;
  }

  /** Whether the group is there after the revert. */
  private hasGroup(uid: string): boolean {
    const before = this.groupsBefore.get(uid);
    return before === undefined ? this.plan.group(uid) !== undefined : !before.removed;
  }

  /** A task that is in progress again counts like one that is started. */
  starts(): Clash {
    const starts = [...this.holders].flatMap(([uid, holder]): Start[] =>
      holder ? [{ uid, ...holder, from: this.plan.task(uid)?.status }] : [],
    );
    const clash = startClash(this.plan, this.policyAfter, starts, (task) => this.holders.has(task.uid));
    if (!clash) return undefined;
    if (clash.type === 'terminal') {
      return `'${taskId(clash.start)}' is ${clash.status}, and by the policy of the room it is reopened before it is in progress again.`;
    }
    return `it would put a second task in progress, and the policy of the room is ${this.policyAfter.inProgress}.`;
  }
}

/** Whether the row came and went within the Change, as older batches have it. */
function passes(after: GroupPatch | TaskPatch, before: GroupPatch | TaskPatch): boolean {
  return after.removed === true && before.removed === true;
}

/** The fields a Change set, as they were before it; undefined when one of them has another value by now. */
function fieldsBack<Row extends object>(now: object, after: object, before: object): Row | undefined {
  const back: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(after)) {
    if (marks.has(name) || value === undefined) continue;
    if (!sameValue((now as Record<string, unknown>)[name] ?? null, value)) return undefined;
    back[name] = (before as Record<string, unknown>)[name] ?? null;
  }
  return back as Row;
}
