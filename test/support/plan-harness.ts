import { expect } from 'vitest';
import { apply } from '../../shared/plan/apply.ts';
import type { ChangeRecord, NagCode } from '../../shared/plan/change.ts';
import { decide, historyNeeded } from '../../shared/plan/decide.ts';
import { type Task, taskId } from '../../shared/plan/model.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import { Plan } from '../../shared/plan/plan.ts';
import type { Rejection, RejectionCode } from '../../shared/plan/rejection.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';

/**
 * A plan and its history without a room around it: decides, applies, and keeps the records. The clock moves one second
 * with each accepted mutation, and uids count up, so two runs give the same plan.
 */
export class PlanHarness {
  plan: Plan;
  readonly records: ChangeRecord[] = [];
  /** Revisions whose history the store has lost. */
  readonly lost = new Set<number>();
  private uids = 0;

  constructor(plan: Plan = new Plan('room', 'epoch')) {
    this.plan = plan;
  }

  submit(mutation: Mutation, actor = 'ann'): Result<ChangeRecord, Rejection> {
    const revision = this.plan.revision + 1;
    const at = new Date(Date.UTC(2030, 0, 1) + revision * 1000).toISOString();
    const needed = historyNeeded(this.plan, mutation);
    const decision = decide(this.plan, mutation, {
      at,
      actor,
      newUid: () => this.newUid(),
      history: (wanted) => {
        expect(needed?.revisions, 'history is asked for only where historyNeeded said so').toContain(wanted);
        const record = this.recordAt(wanted);
        return record && { ...record.change, undo: record.undo };
      },
      undosSince: (base) => {
        expect(needed?.undosSince, 'history is asked for only where historyNeeded said so').toBeLessThanOrEqual(base);
        const since = Array.from({ length: revision - 1 - base }, (_, index) => this.recordAt(revision - 1 - index));
        return since.every((record) => record !== undefined) ? since.map((record) => record.undo) : undefined;
      },
    });
    if (!decision.ok) return err(decision.error);
    const { patch, undo, nags } = decision.value;
    apply(this.plan, patch, { revision, at, actor });
    const change = { revision, at, actor, mutationId: `m${revision}`, action: mutation.type, patch };
    const record = { change, undo, nags };
    this.records.push(record);
    return ok(record);
  }

  private recordAt(revision: number): ChangeRecord | undefined {
    return this.lost.has(revision) ? undefined : this.records.find((record) => record.change.revision === revision);
  }

  private newUid(): string {
    this.uids += 1;
    return `uid-${String(this.uids).padStart(6, '0')}`;
  }

  /** The mutation is expected to go through. */
  accept(mutation: Mutation, actor?: string): ChangeRecord {
    const result = this.submit(mutation, actor);
    if (!result.ok) throw new Error(`${mutation.type} was refused: ${result.error.code} ${result.error.message}`);
    return result.value;
  }

  /** The mutation is expected to be refused with this code, and to leave the plan as it is. */
  refuse(code: RejectionCode, mutation: Mutation, actor?: string): Rejection {
    const before = JSON.stringify(this.plan.toSnapshot());
    const result = this.submit(mutation, actor);
    if (result.ok) throw new Error(`${mutation.type} was accepted`);
    expect(result.error.code).toBe(code);
    expect(JSON.stringify(this.plan.toSnapshot())).toBe(before);
    return result.error;
  }

  /** Adds tasks to one group and gives the harness back, for the start of a test. */
  with(group: string, ...descriptions: readonly string[]): this {
    for (const description of descriptions) this.accept({ type: 'task.add', group, description });
    return this;
  }

  task(reference: string): Task {
    const task = this.plan.findTask(reference);
    if (!task) throw new Error(`there is no ${reference}`);
    return task;
  }

  /** `[title, 'task-1 pending one', …]` for each group, in list order. */
  list(): string[][] {
    return this.plan
      .groups()
      .map((group) => [
        group.title,
        ...this.plan.tasksOf(group.uid).map((task) => `${taskId(task)} ${task.status} ${task.description}`),
      ]);
  }

  /** Descriptions of all tasks in list order. */
  texts(): string[] {
    return [...this.plan.tasks()].map((task) => task.description);
  }
}

/** Codes of the advice, in order. */
export function nagCodes(record: ChangeRecord): NagCode[] {
  return record.nags.map((nag) => nag.code);
}

/** The only advice there is. */
export function onlyNag(record: ChangeRecord, code: NagCode): string {
  expect(record.nags.map((nag) => nag.code)).toEqual([code]);
  return record.nags[0]?.message ?? '';
}
