import { apply, applyStep, markOf } from '../apply.ts';
import type { Nag } from '../change.ts';
import type { Decision } from '../draft.ts';
import { cycles } from '../graph.ts';
import { limits } from '../limits.ts';
import { type Status, type Task, taskId } from '../model.ts';
import { NagList } from '../nag-list.ts';
import type { Plan } from '../plan.ts';
import type { Stamp } from '../stamp.ts';
import { collapse, joinNames } from '../text.ts';
import type { Placed } from './list-item.ts';

/** Advice for the writer of a full list: first on what it sent [S1], then on what was kept or merged. */
export class ListNags {
  private readonly plan: Plan;
  private readonly onList = new NagList();
  private readonly onMerge: Nag[] = [];
  /** Tasks that the writer sends as they are without having seen them. */
  private readonly known: Task[] = [];
  private untold = 0;

  constructor(plan: Plan) {
    this.plan = plan;
  }

  /** One row that was kept or merged. Past a bound they are only counted: an answer must not eat a context window. */
  merged(message: string): void {
    if (this.onMerge.length < limits.mergeNagsPerWriteMax) this.onMerge.push({ code: 'merged', message });
    else this.untold += 1;
  }

  removed(task: Task): void {
    this.merged(`${named(task)} was removed by others since you last saw it, and stays removed.`);
  }

  keptChanged(task: Task): void {
    this.merged(
      `${named(task)} is not in your list, but '${task.updatedBy}' changed it since you last saw it (it is ${task.status} now); it stays.`,
    );
  }

  keptBusy(task: Task): void {
    this.merged(`${named(task)} is not in your list, but '${task.startedBy}' has it in progress; it stays.`);
  }

  /** A task that the writer sends without having seen it: it is taken for the one that is there, and left as it is. */
  unseen(task: Task, sent: Status | undefined): void {
    if (sent === undefined || sent === task.status) this.known.push(task);
    else {
      this.merged(
        `${named(task)} was there before you saw it; it is not added again. It is ${task.status}, and stays so; you sent ${sent}.`,
      );
    }
  }

  /** Rows that the writer cannot have dropped because it does not know them, in one sentence. */
  keptUnknown(tasks: readonly Task[], sawPlan: boolean): void {
    if (tasks.length === 0) return;
    const [were, stay] = tasks.length === 1 ? ['was', 'stays'] : ['were', 'stay'];
    const since = sawPlan ? 'added by others since you last saw the plan' : 'there before you saw the plan';
    const some = tasks.slice(0, limits.mergeNagsPerWriteMax).map((task) => named(task));
    const more = tasks.length > some.length ? ` and ${tasks.length - some.length} more` : '';
    this.merged(`${some.join(', ')}${more} ${were} ${since}, and ${stay}.`);
  }

  reused(id: string, dependency: string): void {
    this.onList.add(
      'unknown_dependency',
      `Dependency '${dependency}' of '${id}' was another task when you last saw it, and that does not exist any more; it is left out.`,
    );
  }

  /** What can only be seen on the plan as it will be: it is applied for a look, and taken back. */
  lookAhead(decision: Decision, stamp: Stamp, placed: readonly Placed[], started: readonly string[]): void {
    const stated = placed.filter((each) => each.item.dependsOn !== undefined).map((each) => each.uid);
    if (stated.length === 0 && started.length === 0) return;
    const before = markOf(this.plan);
    applyStep(this.plan, decision.patch, stamp);
    try {
      for (const uid of stated) this.unknownDependencies(uid);
      if (stated.length > 0) this.cycles(new Set(placed.map((each) => each.uid)));
      for (const uid of started) this.openDependencies(uid);
    } finally {
      apply(this.plan, decision.undo, before);
    }
  }

  finish(): readonly Nag[] {
    const known: Nag[] = this.known.length > 0 ? [{ code: 'merged', message: knownSentence(this.known) }] : [];
    const rest = `${this.untold} more rows were kept or merged. Re-read the plan to see them.`;
    const untold: Nag[] = this.untold > 0 ? [{ code: 'merged', message: rest }] : [];
    return [...this.onList.all(), ...known, ...this.onMerge, ...untold];
  }

  private unknownDependencies(uid: string): void {
    const task = this.plan.task(uid);
    for (const dependency of task?.dependsOn ?? []) {
      if (!task || this.plan.findTask(dependency)) continue;
      this.onList.add(
        'unknown_dependency',
        `Dependency '${dependency}' of '${taskId(task)}' is neither the key of an item nor the id of a task; it is kept as written.`,
      );
    }
  }

  /** One for each set that an item of the list is in. */
  private cycles(listed: ReadonlySet<string>): void {
    for (const members of cycles(this.plan)) {
      const [first, ...others] = members;
      if (!first || !members.some((task) => listed.has(task.uid))) continue;
      const some = others.slice(0, 10).map(taskId);
      const more = others.length > some.length ? ` and ${others.length - some.length} more` : '';
      const chain = others.length > 0 ? `with ${joinNames(some)}${more}` : 'on itself';
      const message = `'${taskId(first)}' is part of a circular chain of dependencies ${chain}.`;
      this.onList.add('dependency_cycle', message);
    }
  }

  private openDependencies(uid: string): void {
    const task = this.plan.task(uid);
    for (const dependency of task?.dependsOn ?? []) {
      const other = this.plan.findTask(dependency);
      if (!task || !other || other.status === 'completed') continue;
      const message = `'${taskId(task)}' is in progress but depends on '${dependency}', which is ${other.status}.`;
      this.onList.add('dependency_open', message);
    }
  }
}

function knownSentence(tasks: readonly Task[]): string {
  const [only, ...others] = tasks;
  if (only && others.length === 0) return `${named(only)} was there before you saw it; it is not added again.`;
  return `${joinNames(tasks.map(taskId))} were there before you saw them; they are not added again.`;
}

/** Id and beginning of the text, cut between characters. */
function named(task: Task): string {
  const text = collapse(task.description);
  const short = text.length > 60 ? `${text.slice(0, 60).replace(/[\ud800-\udbff]$/, '')}…` : text;
  return `'${taskId(task)}' ("${short}")`;
}
