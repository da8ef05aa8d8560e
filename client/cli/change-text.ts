import type { Change, Plan, Task } from '../sdk/index.ts';
import { taskId } from '../sdk/index.ts';
import { oneLine } from './terminal-text.ts';

/** Rows named in a line; a larger Change says how many more there are. */
const namedMax = 5;

/** What a watcher remembers of rows, so that it can name those that a Change took away. */
export class RowNames {
  private readonly names = new Map<string, string>();

  constructor(plan: Plan) {
    this.learn(plan);
  }

  /** Everything is known anew, after a snapshot. */
  learn(plan: Plan): void {
    this.names.clear();
    for (const group of plan.groups()) this.names.set(group.uid, groupName(group.title));
    for (const task of plan.tasks()) this.names.set(task.uid, taskName(task));
  }

  /** One line for a Change that was just applied to the plan: `12 ann task.start task-3 Write the parser`. */
  describe(change: Change, plan: Plan): string {
    const { document, policy, groups = [], tasks = [] } = change.patch;
    const named = [
      ...(document ? ['document'] : []),
      ...(policy ? [`policy ${oneLine(JSON.stringify(policy))}`] : []),
      ...groups.map((row) => this.nameOf(row, plan)),
      ...tasks.map((row) => this.nameOf(row, plan)),
    ];
    const more = named.length > namedMax ? ` and ${named.length - namedMax} more` : '';
    const rows = named.slice(0, namedMax).join(', ');
    return `${change.revision} ${change.at} ${oneLine(change.actor)} ${oneLine(change.action)} ${rows}${more}`;
  }

  private nameOf(row: { readonly uid: string; readonly removed?: boolean }, plan: Plan): string {
    if (row.removed) {
      const name = this.names.get(row.uid) ?? oneLine(row.uid);
      this.names.delete(row.uid);
      return `-${name}`;
    }
    const task = plan.task(row.uid);
    const name = task ? taskName(task) : groupName(plan.group(row.uid)?.title ?? '');
    this.names.set(row.uid, name);
    return name;
  }
}

function taskName(task: Task): string {
  return `${taskId(task)} '${oneLine(task.description).slice(0, 60)}' ${task.status}`;
}

function groupName(title: string): string {
  return `group '${oneLine(title)}'`;
}
