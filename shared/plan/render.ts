import { type Status, type Task, taskId } from './model.ts';
import type { Plan } from './plan.ts';
import { collapse } from './text.ts';

export interface RenderOptions {
  /** Put `(task-7)` behind each description. */
  readonly ids?: boolean;
  /** Put `(tests verified)` behind the title of a verified group. */
  readonly verified?: boolean;
  /** Names of the tools the reader can update the list with. */
  readonly tools?: readonly string[];
}

const marks: Readonly<Record<Status, string>> = { pending: ' ', in_progress: '*', completed: 'x', cancelled: '-' };
const seedTools = ['plan_todo_write', 'plan_todo_edit', 'plan_todo_cross_off'];

/**
 * The block that keeps the plan before a model's eyes [S0.5], without a line end after it; null when no task is pending
 * or in progress. Empty groups are left out, finished tasks of the others stay. One line per task and title: line
 * breaks inside a text become blanks, so that no text can pose as another line of the block.
 */
export function renderContext(plan: Plan, options: RenderOptions = {}): string | null {
  const { pending, in_progress } = plan.countByStatus();
  if (pending + in_progress === 0) return null;
  const lines = contextHeading(options.tools ?? seedTools);
  for (const group of plan.groups()) {
    const tasks = plan.tasksOf(group.uid);
    if (tasks.length === 0) continue;
    const verified = options.verified === true && group.testsVerified ? ' (tests verified)' : '';
    const told = tasks.map((task) => renderTask({ ...task, ...(options.ids === true && { id: taskId(task) }) }));
    lines.push('', `### ${oneLine(group.title)}${verified}`, ...told);
  }
  return lines.join('\n');
}

/** The heading of the block and the line that names the tools which update the list. */
export function contextHeading(tools: readonly string[]): string[] {
  return ['## Tool TODOs', `This is the plan you work by; update it with ${namesOf(tools)}.`];
}

/** One line of the block. */
export function renderTask(
  task: Pick<Task, 'status' | 'description' | 'dependsOn'> & { readonly id?: string },
): string {
  const id = task.id === undefined ? '' : ` (${task.id})`;
  const depends = task.dependsOn.length > 0 ? `  (depends: ${task.dependsOn.map(oneLine).join(', ')})` : '';
  return `- [${marks[task.status]}] ${oneLine(task.description)}${id}${depends}`;
}

/** The text on one line, so that no text can pose as another line of a block. */
export function oneLine(text: string): string {
  return /[\n\v\f\r\u0085\u2028\u2029]/.test(text) ? collapse(text) : text;
}

function namesOf(tools: readonly string[]): string {
  if (tools.length < 2) return tools.join('');
  return `${tools.slice(0, -1).join(', ')} and ${tools[tools.length - 1]}`;
}
