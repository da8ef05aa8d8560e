import type { Plan } from '../plan/plan.ts';
import { taskCreate, taskGet, taskList } from './claude-code-tasks.ts';
import { todosOf, todoWrite } from './claude-code-todos.ts';
import { taskUpdate } from './claude-code-update.ts';
import { listedTasks } from './claude-code-view.ts';
import type { Dialect } from './dialect.ts';

/** Claude Code: the task tools, and the todo list of before. Deleted is cancelled here, and not shown. */
export const claudeCode: Dialect = {
  name: 'claude-code',
  title: 'Claude Code: task tools and TodoWrite',
  instructions:
    'Keep the shared list current: TaskList first, TaskUpdate to in_progress when you begin a task (one at a time) and to ' +
    'completed when it is done, TaskCreate for what comes up. The list is shared with other agents: what they add stays, and ' +
    'a task that another has in progress is theirs. TodoWrite writes the whole list at once: carry the items of others ' +
    'along. Active forms and metadata are not kept.',
  tools: [taskCreate, taskUpdate, taskGet, taskList, todoWrite],
  view: (plan: Plan) => ({ tasks: listedTasks(plan), todos: todosOf(plan) }),
  render: () => null,
};
