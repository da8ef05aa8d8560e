import type { TaskPatch } from './change.ts';
import type { Task } from './model.ts';
import type { Plan } from './plan.ts';
import type { Stamp } from './stamp.ts';

/**
 * The tasks as they were at an earlier revision, in list order: the present rows with the Changes since taken back, newest
 * first. Costs the Changes since, not copies of the plan. Undefined when a Change is missing from history.
 */
export function tasksAt(plan: Plan, revision: number, history: Stamp['history']): readonly Task[] | undefined {
  if (revision === plan.revision) return [...plan.tasks()];
  /** Rows that were different then; undefined: not there then. */
  const then = new Map<string, Task | undefined>();
  for (let past = plan.revision; past > revision; past -= 1) {
    const change = history?.(past);
    if (!change) return undefined;
    for (const row of change.undo.tasks ?? []) {
      const now = then.has(row.uid) ? then.get(row.uid) : plan.task(row.uid);
      then.set(row.uid, takeBack(now, row));
    }
  }
  const tasks = [...plan.tasks()].flatMap((task) => (then.has(task.uid) ? (then.get(task.uid) ?? []) : [task]));
  for (const [uid, task] of then) if (task && !plan.task(uid)) tasks.push(task);
  return tasks.sort((a, b) => plan.compareTasks(a, b));
}

function takeBack(now: Task | undefined, undo: TaskPatch): Task | undefined {
  if (undo.removed) return undefined;
  const kept = Object.entries({ ...now, ...undo }).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as unknown as Task;
}
