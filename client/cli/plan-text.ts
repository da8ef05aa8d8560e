import { utf8Bytes } from '../../shared/plan/limits.ts';
import {
  blockedTasks,
  blockers,
  isTerminal,
  type Plan,
  readyTasks,
  type Status,
  type Task,
  taskId,
} from '../sdk/index.ts';
import type { Paint } from './output.ts';
import { firstLine, oneLine } from './terminal-text.ts';

/** Which tasks to show; all of these must hold. */
export interface TaskFilter {
  readonly ready?: boolean;
  readonly blocked?: boolean;
  readonly status?: Status;
  /** uid of a group. */
  readonly group?: string;
}

const markers: Readonly<Record<Status, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[-]',
};

export function matches(plan: Plan, task: Task, filter: TaskFilter): boolean {
  if (filter.status !== undefined && task.status !== filter.status) return false;
  if (filter.group !== undefined && task.group !== filter.group) return false;
  const waits = blockers(plan, task).length > 0;
  if (filter.ready && (task.status !== 'pending' || waits)) return false;
  return !filter.blocked || (!isTerminal(task.status) && waits);
}

/** The plan as lines for people: head, document, then group by group. */
export function planLines(plan: Plan, filter: TaskFilter, paint: Paint): readonly string[] {
  const isFiltered = Object.keys(filter).length > 0;
  const lines = [headLine(plan, paint), countsLine(plan), ...documentLines(plan)];
  let shown = 0;
  for (const group of plan.groups()) {
    const tasks = plan.tasksOf(group.uid).filter((task) => matches(plan, task, filter));
    if (isFiltered && tasks.length === 0) continue;
    shown += tasks.length;
    const verified = group.testsVerified ? paint('green', ' [tests verified]') : '';
    const evidence = group.evidence === undefined ? '' : paint('dim', ` ${oneLine(group.evidence)}`);
    lines.push('', `${paint('bold', oneLine(group.title) || '(untitled)')}${verified}${evidence}`);
    lines.push(...tasks.map((task) => taskLine(plan, task, paint)));
    if (tasks.length === 0) lines.push(paint('dim', '  (no tasks)'));
  }
  if (isFiltered && shown === 0) lines.push('', 'No task matches.');
  return lines;
}

function headLine(plan: Plan, paint: Paint): string {
  return `${paint('bold', plan.room)}  revision ${plan.revision}, changed ${plan.updatedAt}`;
}

function countsLine(plan: Plan): string {
  const { pending, in_progress, completed, cancelled } = plan.countByStatus();
  const counts = [
    `${pending} pending`,
    `${in_progress} in progress`,
    `${completed} completed`,
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ];
  const derived = `${readyTasks(plan).length} ready, ${blockedTasks(plan).length} blocked`;
  return `${plan.taskCount} ${plan.taskCount === 1 ? 'task' : 'tasks'}: ${counts.join(', ')}; ${derived}`;
}

function documentLines({ document }: Plan): readonly string[] {
  if (document.revision === 0) return [];
  const bytes = document.contentBytes ?? utf8Bytes(document.content);
  const parts = [
    `Document: ${oneLine(document.title ?? '(untitled)')}`,
    ...(document.status === undefined ? [] : [`[${oneLine(document.status)}]`]),
    ...(document.author === undefined ? [] : [`by ${oneLine(document.author)}`]),
    `(${bytes} bytes, revision ${document.revision}; see it with: planroom doc)`,
  ];
  return [parts.join(' ')];
}

function taskLine(plan: Plan, task: Task, paint: Paint): string {
  const style = task.status === 'in_progress' ? 'yellow' : isTerminal(task.status) ? 'dim' : undefined;
  const text = `${markers[task.status]} ${taskId(task)} ${firstLine(task.description)}`;
  const marks = [
    ...(task.startedBy === undefined ? [] : [paint('yellow', `@${oneLine(task.startedBy)}`)]),
    ...(task.priority === undefined ? [] : [paint('red', `!${oneLine(task.priority)}`)]),
    ...(task.labels ?? []).map((label) => paint('cyan', `#${oneLine(label)}`)),
    ...dependencyMarks(plan, task),
  ];
  return `  ${[style ? paint(style, text) : text, ...marks].join(' ')}`;
}

function dependencyMarks(plan: Plan, task: Task): readonly string[] {
  if (task.dependsOn.length === 0) return [];
  const waiting = new Set(blockers(plan, task).map((other) => other.uid));
  const names = task.dependsOn.map((dependency) => {
    const other = plan.findTask(dependency);
    if (!other) return `${oneLine(dependency)}?`;
    return waiting.has(other.uid) && !isTerminal(task.status) ? `${taskId(other)}*` : taskId(other);
  });
  return [`(needs ${names.join(', ')})`];
}
