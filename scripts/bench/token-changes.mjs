/** How each dialect changes the status of one task: the arguments, made from the plan as the dialect sees it. */

const at = 24;
const swap = (list, change) => list.map((entry, index) => (index === at ? { ...entry, ...change } : entry));
const pick =
  (...keys) =>
  (entry) =>
    Object.fromEntries(keys.map((key) => [key, entry[key]]));

/** A full-list write: first unchanged, so that the actor has seen the list, then with one status changed. */
const list = (tool, field, of, keys, change, more = {}) => ({
  tool,
  prepare: (view) => ({ ...more, [field]: of(view).map(pick(...keys)) }),
  args: (view) => ({ ...more, [field]: swap(of(view).map(pick(...keys)), change) }),
});

const changes = {
  planroom: [{ tool: 'plan_update', args: () => ({ ops: [{ op: 'done', id: 'task-25' }] }) }],
  'cosh-grouped': [{ tool: 'plan_todo_cross_off', args: () => ({ action: { type: 'Complete', id: 'task-25' } }) }],
  cosh: [list('plan_todo_write', 'todos', (view) => view.items, ['description', 'status'], { status: 'completed' })],
  car: [
    {
      ...list('todo_write', 'items', (view) => view.items, ['text', 'status'], { status: 'done' }),
      count: 40,
      label: 'todo_write (40 tasks)',
    },
  ],
  'docker-agent': [{ tool: 'set_plan_status', args: () => ({ name: 'main', status: 'done' }) }],
  sagents: [
    {
      tool: 'write_todos',
      label: 'write_todos, merging',
      prepare: (view) => ({ merge: false, todos: view.todos }),
      args: (view) => ({ merge: true, todos: [{ ...view.todos[at], status: 'completed' }] }),
    },
  ],
  'claude-code': [
    { tool: 'TaskUpdate', args: () => ({ taskId: '25', status: 'completed' }) },
    list('TodoWrite', 'todos', (view) => view.todos, ['content', 'status', 'activeForm'], { status: 'completed' }),
  ],
  codex: [list('update_plan', 'plan', (view) => view.plan, ['step', 'status'], { status: 'completed' })],
  deepagents: [list('write_todos', 'todos', (view) => view.todos, ['content', 'status'], { status: 'completed' })],
  opencode: [
    list('todowrite', 'todos', (view) => view.todos, ['content', 'status', 'priority'], { status: 'completed' }),
  ],
  gemini: [list('write_todos', 'todos', (view) => view.todos, ['description', 'status'], { status: 'completed' })],
  cursor: [
    {
      tool: 'todo_write',
      label: 'todo_write, merging',
      prepare: (view) => ({ merge: false, todos: view.todos.map(pick('id', 'content', 'status')) }),
      args: () => ({ merge: true, todos: [{ id: 'task-25', status: 'completed' }] }),
    },
  ],
  vscode: [
    list('manage_todo_list', 'todoList', (view) => view.todoList, ['id', 'title', 'status'], { status: 'completed' }),
  ],
  microsoft: [{ tool: 'todos_complete', args: () => ({ items: [{ id: 25, reason: 'finished and checked' }] }) }],
};

export function changeOf(dialect) {
  return changes[dialect] ?? [];
}
