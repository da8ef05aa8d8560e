import type { Change, Group, Patch, Plan, Task } from '../sdk/index.ts';
import { taskId } from '../sdk/index.ts';
import { firstLine, oneLine } from './terminal-text.ts';

/** Rows named in a line; a larger Change says how many more there are. */
export const namedMax = 5;
export const descriptionCharactersMax = 60;

type NamedTask = Pick<Task, 'number' | 'description' | 'status'>;
type NamedGroup = Pick<Group, 'title'>;
type TaskRow = NonNullable<Patch['tasks']>[number];
type GroupRow = NonNullable<Patch['groups']>[number];

/**
 * What a watcher remembers of rows, to name those of a Change. A Change says only what it changed, and the plan may be
 * further on by the time it is told: several Changes can come at once, and a later one may have taken the row away.
 */
export class RowNames {
  private readonly tasks = new Map<string, NamedTask>();
  private readonly groups = new Map<string, NamedGroup>();

  constructor(plan: Plan) {
    this.learn(plan);
  }

  /** Everything is known anew, after a snapshot. */
  learn(plan: Plan): void {
    this.tasks.clear();
    this.groups.clear();
    for (const { uid, title } of plan.groups()) this.groups.set(uid, { title });
    for (const { uid, number, description, status } of plan.tasks()) {
      this.tasks.set(uid, { number, description, status });
    }
  }

  /** One line for the Change that follows on those described before: `12 ann task.start task-3 Write the parser`. */
  describe(change: Change): string {
    const { document, policy, groups = [], tasks = [] } = change.patch;
    const named = [
      ...(document ? ['document'] : []),
      ...(policy ? [`policy ${oneLine(JSON.stringify(policy))}`] : []),
      ...groups.map((row) => this.groupOf(row)),
      ...tasks.map((row) => this.taskOf(row)),
    ];
    const more = named.length > namedMax ? ` and ${named.length - namedMax} more` : '';
    const rows = named.slice(0, namedMax).join(', ');
    return `${change.revision} ${change.at} ${oneLine(change.actor)} ${oneLine(change.action)} ${rows}${more}`;
  }

  private groupOf(row: GroupRow): string {
    const known = this.groups.get(row.uid);
    if (row.removed) {
      this.groups.delete(row.uid);
      return `${sign(true, false)}${known ? groupName(known) : oneLine(row.uid)}`;
    }
    const group = { title: row.title ?? known?.title ?? '' };
    this.groups.set(row.uid, group);
    return `${sign(row.removed, !known)}${groupName(group)}`;
  }

  private taskOf(row: TaskRow): string {
    const known = this.tasks.get(row.uid);
    if (row.removed) {
      this.tasks.delete(row.uid);
      return `${sign(true, false)}${known ? taskName(known) : oneLine(row.uid)}`;
    }
    const task = {
      number: row.number ?? known?.number ?? 0,
      description: row.description ?? known?.description ?? '',
      status: row.status ?? known?.status ?? 'pending',
    };
    this.tasks.set(row.uid, task);
    return `${sign(row.removed, !known)}${taskName(task)}`;
  }
}

/** How a row is marked that a Change made, or took away. */
export function sign(removed: boolean | undefined, isNew: boolean): string {
  if (removed) return '-';
  return isNew ? '+' : '';
}

function taskName(task: NamedTask): string {
  return `${taskId(task)} '${firstLine(task.description, descriptionCharactersMax)}' ${task.status}`;
}

function groupName({ title }: NamedGroup): string {
  return `group '${oneLine(title)}'`;
}
