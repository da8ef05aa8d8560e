import { blockers, readyTasks } from '../plan/graph.ts';
import { utf8Bytes } from '../plan/limits.ts';
import { type Status, type Task, taskId } from '../plan/model.ts';
import type { Plan } from '../plan/plan.ts';
import { oneLine } from '../plan/render.ts';
import { collapse } from '../plan/text.ts';

/** The plan in few words, for readers that pay for each. */

const marks: Readonly<Record<Status, string>> = {
  pending: '[ ]',
  in_progress: '[*]',
  completed: '[x]',
  cancelled: '[-]',
};
const textCharactersMax = 160;

/** `main r12: 3 open (1 ready), 1 in progress, 5 done`. */
export function headline(plan: Plan): string {
  const { pending, in_progress, completed, cancelled } = plan.countByStatus();
  const parts = [
    `${pending} open${pending > 0 ? ` (${readyTasks(plan).length} ready)` : ''}`,
    ...(in_progress > 0 ? [`${in_progress} in progress`] : []),
    ...(completed > 0 ? [`${completed} done`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ];
  return `${plan.room} r${plan.revision}: ${parts.join(', ')}`;
}

/** One line of a list; what is cut can be read by asking for the task. */
export function taskLine(plan: Plan, task: Task): string {
  const text = collapse(task.description);
  const short = text.length > textCharactersMax ? `${cut(text, textCharactersMax)}…` : text;
  const waits = task.status === 'pending' ? blockers(plan, task).map(taskId) : [];
  const facts = [
    ...(task.priority === undefined ? [] : [oneLine(task.priority)]),
    ...(task.startedBy === undefined ? [] : [`by ${task.startedBy}`]),
    ...(waits.length > 0 ? [`waits for ${listed(waits, 5)}`] : []),
  ];
  return `${taskId(task)} ${marks[task.status]} ${short}${facts.length > 0 ? ` (${facts.join('; ')})` : ''}`;
}

/** Everything about one task. */
export function taskDetails(plan: Plan, task: Task): string {
  const group = plan.group(task.group);
  const dependents = plan.dependents(taskId(task), task.uid).map(taskId);
  const lines = [
    `${taskId(task)} ${marks[task.status]} ${task.status}`,
    `group: ${oneLine(group?.title ?? '')}${group?.testsVerified ? ' (tests verified)' : ''}`,
    ...(task.startedBy === undefined ? [] : [`in progress by: ${task.startedBy}`]),
    ...(task.dependsOn.length > 0
      ? [
          `after: ${listed(
            task.dependsOn.map((id) => nameOf(plan, id)),
            50,
          )}`,
        ]
      : []),
    ...(dependents.length > 0 ? [`before: ${listed(dependents, 50)}`] : []),
    ...(task.priority === undefined ? [] : [`priority: ${oneLine(task.priority)}`]),
    ...(task.labels ? [`labels: ${task.labels.map(oneLine).join(', ')}`] : []),
    `changed: r${task.revision} by ${task.updatedBy}, ${task.updatedAt}`,
    '',
    task.description,
  ];
  return lines.join('\n');
}

function nameOf(plan: Plan, dependency: string): string {
  const other = plan.findTask(dependency);
  return other ? `${taskId(other)} ${marks[other.status]}` : `${dependency} (unknown)`;
}

export function listed(names: readonly string[], max: number): string {
  const rest = names.length - max;
  return names.slice(0, max).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** The beginning of a text, not cut within a character. */
export function cut(text: string, characters: number): string {
  return text.slice(0, characters).replace(/[\ud800-\udbff]$/, '');
}

/** Lines that fit a budget of UTF-8 bytes, and how many they are; at least one. */
export function fitting(lines: readonly string[], bytesMax: number): { readonly text: string; readonly count: number } {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += utf8Bytes(line) + 1;
    if (bytes > bytesMax && count > 0) break;
    count += 1;
  }
  return { text: lines.slice(0, count).join('\n'), count };
}
