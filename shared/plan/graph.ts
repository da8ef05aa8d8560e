import { limits } from './limits.ts';
import { isTerminal, type Task, taskId } from './model.ts';
import type { Plan } from './plan.ts';

/** Derived, never stored: what is ready, what is blocked and by what, and which tasks wait for each other. */

/** How many dependencies one mutation may still follow; all steps of a batch share it. */
export interface WalkBudget {
  left: number;
}

export function newWalkBudget(): WalkBudget {
  return { left: limits.dependenciesFollowedMax };
}

/**
 * uids of the task and of those that wait for it, directly or through others. One walk, however many are asked about; when
 * the budget is used up it may not have found all.
 */
export function waitingFor(plan: Plan, task: Task, budget: WalkBudget = newWalkBudget()): ReadonlySet<string> {
  const seen = new Set([task.uid]);
  const open = [task];
  for (let next = open.pop(); next && budget.left > 0; next = open.pop()) {
    for (const other of plan.dependents(taskId(next), next.uid)) {
      budget.left -= 1;
      if (seen.has(other.uid)) continue;
      seen.add(other.uid);
      open.push(other);
    }
  }
  return seen;
}

/** Dependencies that keep the task from being ready: every entry whose task is there and not completed. */
export function blockers(plan: Plan, task: Task): readonly Task[] {
  const found = new Map<string, Task>();
  for (const dependency of task.dependsOn) {
    const other = plan.findTask(dependency);
    if (other && other.uid !== task.uid && other.status !== 'completed') found.set(other.uid, other);
  }
  return [...found.values()];
}

/** Pending tasks that wait for nothing, in list order. */
export function readyTasks(plan: Plan): readonly Task[] {
  return [...plan.tasks()].filter((task) => task.status === 'pending' && blockers(plan, task).length === 0);
}

/** Open tasks that wait for others, in list order. */
export function blockedTasks(plan: Plan): readonly { readonly task: Task; readonly by: readonly Task[] }[] {
  return [...plan.tasks()]
    .filter((task) => !isTerminal(task.status))
    .map((task) => ({ task, by: blockers(plan, task) }))
    .filter(({ by }) => by.length > 0);
}

/**
 * Groups of tasks that wait for each other: one per strongly connected set (a task that names itself is one), members
 * in list order, sets by their first member. Tarjan's walk, without recursion, so that a long chain cannot overflow.
 */
export function cycles(plan: Plan): readonly (readonly Task[])[] {
  const tasks = [...plan.tasks()];
  const position = new Map(tasks.map((task, index) => [task.uid, index]));
  const edges = tasks.map((task) =>
    task.dependsOn.flatMap((dependency) => position.get(plan.findTask(dependency)?.uid ?? '') ?? []),
  );
  return stronglyConnected(edges)
    .filter((members) => members.length > 1 || members.some((index) => edges[index]?.includes(index)))
    .map((members) => members.sort((a, b) => a - b))
    .sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))
    .map((members) => members.flatMap((index) => tasks[index] ?? []));
}

function stronglyConnected(edges: readonly (readonly number[])[]): number[][] {
  const order: number[] = new Array(edges.length).fill(-1);
  const low: number[] = new Array(edges.length).fill(0);
  const onStack: boolean[] = new Array(edges.length).fill(false);
  const stack: number[] = [];
  const components: number[][] = [];
  let counter = 0;
  const enter = (node: number, walk: { node: number; next: number }[]): void => {
    order[node] = counter;
    low[node] = counter;
    counter += 1;
    stack.push(node);
    onStack[node] = true;
    walk.push({ node, next: 0 });
  };
  const leave = (node: number): void => {
    if (low[node] !== order[node]) return;
    const members: number[] = [];
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      onStack[member] = false;
      members.push(member);
      if (member === node) break;
    }
    components.push(members);
  };
  for (let root = 0; root < edges.length; root += 1) {
    if (order[root] !== -1) continue;
    const walk: { node: number; next: number }[] = [];
    enter(root, walk);
    for (let frame = walk[walk.length - 1]; frame; frame = walk[walk.length - 1]) {
      const next = edges[frame.node]?.[frame.next];
      frame.next += 1;
      if (next === undefined) {
        walk.pop();
        const parent = walk[walk.length - 1];
        if (parent) low[parent.node] = Math.min(low[parent.node] ?? 0, low[frame.node] ?? 0);
        leave(frame.node);
      } else if (order[next] === -1) enter(next, walk);
      else if (onStack[next]) low[frame.node] = Math.min(low[frame.node] ?? 0, order[next] ?? 0);
    }
  }
  return components;
}
