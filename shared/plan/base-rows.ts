import type { GroupPatch, TaskPatch } from './change.ts';
import type { Group, Task } from './model.ts';
import { compareRows, type Plan } from './plan.ts';
import type { Stamp } from './stamp.ts';

/** Rows of a plan at one revision, in list order. */
export interface BaseRows {
  readonly groups: readonly Group[];
  readonly tasks: readonly Task[];
}

/**
 * The rows as they were at an earlier revision: the present ones with the Changes since taken back, newest first. Costs
 * the Changes since and one list, not a copy of the plan. Undefined when these are not to be had.
 */
export function rowsAt(
  plan: Plan,
  revision: number,
  { undosSince, stepUndos }: Pick<Stamp, 'undosSince' | 'stepUndos'>,
): BaseRows | undefined {
  const past = revision < plan.revision ? undosSince?.(revision) : [];
  if (!past) return undefined;
  const undos = [...(stepUndos?.() ?? []), ...past];
  if (undos.length === 0) return presentRows(plan);
  const groups = new Overlay<Group, GroupPatch>((uid) => plan.group(uid));
  const tasks = new Overlay<Task, TaskPatch>((uid) => plan.task(uid));
  for (const undo of undos) {
    for (const row of undo.groups ?? []) groups.takeBack(row);
    for (const row of undo.tasks ?? []) tasks.takeBack(row);
  }
  const groupsThen = groups.rows(plan.groups()).sort(compareRows);
  const place = new Map(groupsThen.map((group, index) => [group.uid, index]));
  const tasksThen = tasks.rows([...plan.tasks()]);
  tasksThen.sort((a, b) => (place.get(a.group) ?? 0) - (place.get(b.group) ?? 0) || compareRows(a, b));
  return { groups: groupsThen, tasks: tasksThen };
}

export function presentRows(plan: Plan): BaseRows {
  return { groups: plan.groups(), tasks: [...plan.tasks()] };
}

/** Rows that were different then, over the rows of the plan; undefined: not there then. */
class Overlay<
  Row extends { readonly uid: string },
  RowPatch extends { readonly uid: string; readonly removed?: true },
> {
  private readonly present: (uid: string) => Row | undefined;
  private readonly atBase = new Map<string, Row | undefined>();

  constructor(present: (uid: string) => Row | undefined) {
    this.present = present;
  }

  takeBack(undo: RowPatch): void {
    const { uid, removed } = undo;
    const now = this.atBase.has(uid) ? this.atBase.get(uid) : this.present(uid);
    const kept = Object.entries({ ...now, ...undo }).filter(([, value]) => value !== null && value !== undefined);
    this.atBase.set(uid, removed ? undefined : (Object.fromEntries(kept) as unknown as Row));
  }

  rows(present: readonly Row[]): Row[] {
    const rows = present.flatMap((row) => (this.atBase.has(row.uid) ? (this.atBase.get(row.uid) ?? []) : [row]));
    for (const [uid, row] of this.atBase) if (row && !this.present(uid)) rows.push(row);
    return rows;
  }
}
