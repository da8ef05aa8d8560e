import type { Change, Patch, Plan } from '../sdk/index.ts';
import { taskId } from '../sdk/index.ts';
import { descriptionCharactersMax, namedMax, sign } from './change-text.ts';
import { firstLine, oneLine } from './terminal-text.ts';

type TaskRow = NonNullable<Patch['tasks']>[number];
type GroupRow = NonNullable<Patch['groups']>[number];

/**
 * Changes of the past, one line each: `12  2031-…  ann  task.start  task-3 'Write the parser' in_progress`. Rows are named
 * from what these and earlier Changes say, and else from the plan as it is now.
 */
export function historyLines(plan: Plan, earlier: readonly Change[], changes: readonly Change[]): readonly string[] {
  const rows = new PastRows(plan, [...earlier, ...changes]);
  for (const change of earlier) rows.learn(change);
  return changes.map((change) => {
    const { document, policy, groups = [], tasks = [] } = change.patch;
    const named = [
      ...(document ? ['document'] : []),
      ...(policy ? [`policy ${oneLine(JSON.stringify(policy))}`] : []),
      ...groups.map((row) => rows.group(row)),
      ...tasks.map((row) => rows.task(row)),
    ];
    const more = named.length > namedMax ? ` and ${named.length - namedMax} more` : '';
    const what = `${named.slice(0, namedMax).join(', ')}${more}`;
    return [String(change.revision), change.at, oneLine(change.actor), oneLine(change.action), what].join('  ');
  });
}

/** Names of rows by uid, as they were said last. */
class PastRows {
  private readonly tasks = new Map<string, { id: string; description: string }>();
  private readonly groups = new Map<string, string>();

  /** A row that is gone by now is known from any Change that states it. */
  constructor(plan: Plan, changes: readonly Change[]) {
    for (const { uid, title } of plan.groups()) this.groups.set(uid, title);
    for (const task of plan.tasks()) this.tasks.set(task.uid, { id: taskId(task), description: task.description });
    for (const change of [...changes].reverse()) this.learn(change);
  }

  learn({ patch }: Change): void {
    for (const row of patch.groups ?? []) if (!row.removed) this.learnGroup(row);
    for (const row of patch.tasks ?? []) if (!row.removed) this.learnTask(row);
  }

  group(row: GroupRow): string {
    const isNew = !row.removed && typeof row.order === 'string' && typeof row.title === 'string';
    if (!row.removed) this.learnGroup(row);
    const title = this.groups.get(row.uid);
    const name = title === undefined ? 'a group' : `group '${oneLine(title)}'`;
    return `${sign(row.removed, isNew)}${name}`;
  }

  task(row: TaskRow): string {
    const isNew = !row.removed && typeof row.number === 'number';
    if (!row.removed) this.learnTask(row);
    const known = this.tasks.get(row.uid);
    const text = known && firstLine(known.description, descriptionCharactersMax);
    const status = row.removed || !row.status ? '' : ` ${row.status}`;
    return `${sign(row.removed, isNew)}${known ? `${known.id} '${text}'` : 'a task'}${status}`;
  }

  private learnGroup({ uid, title }: Exclude<GroupRow, { removed: true }>): void {
    if (typeof title === 'string') this.groups.set(uid, title);
  }

  private learnTask({ uid, number, description }: Exclude<TaskRow, { removed: true }>): void {
    const known = this.tasks.get(uid);
    const id = typeof number === 'number' ? taskId({ number }) : known?.id;
    const text = description ?? known?.description;
    if (id !== undefined && text !== undefined) this.tasks.set(uid, { id, description: text });
  }
}
