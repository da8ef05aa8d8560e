import type { Mutation, SingleMutation } from '../../../shared/plan/mutation.ts';
import type { Plan } from '../../../shared/plan/plan.ts';

/** Numbers in [0, 1) that a seed fixes: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const titles = ['Build', 'Test', 'Ship'];

/** Some mutation of what the plan holds: usually one that goes through, now and then one that cannot. */
export function randomMutation(plan: Plan, random: () => number): Mutation {
  if (random() < 0.1) {
    return { type: 'batch', mutations: [randomSingle(plan, random), randomSingle(plan, random)] };
  }
  return randomSingle(plan, random);
}

function randomSingle(plan: Plan, random: () => number): SingleMutation {
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const number = Math.floor(random() * 1_000_000);
  const task = pick([...plan.tasks()])?.uid ?? 'task-404';
  const other = pick([...plan.tasks()])?.uid ?? 'task-404';
  // A group that came into being with a task has a uid of the server's own making: until it is confirmed only its title is sure.
  const found = pick(plan.groups());
  const group = found?.uid.startsWith('group-uid-') ? found.uid : (found?.title ?? 'Build');
  const title = pick(titles) ?? 'Build';
  const makers: (() => SingleMutation)[] = [
    () => ({ type: 'task.add', description: `task ${number}`, group: title, uid: `task-uid-${number}` }),
    () => ({ type: 'task.add', description: `task ${number}`, dependsOn: [task], uid: `task-uid-${number}` }),
    () => ({ type: 'task.edit', task, description: `edited ${number}`, labels: [`l${number % 3}`] }),
    () => ({ type: 'task.edit', task, group: title, priority: null }),
    () => ({ type: 'task.move', task, before: other }),
    () => ({ type: 'task.start', task }),
    () => ({ type: 'task.complete', task }),
    () => ({ type: 'task.cancel', task }),
    () => ({ type: 'task.reopen', task }),
    () => ({ type: 'task.remove', task }),
    () => ({ type: 'group.add', title: `group ${number % 7}`, uid: `group-uid-${number}` }),
    () => ({ type: 'group.edit', group, title: `group ${number % 7}` }),
    () => ({ type: 'group.move', group }),
    () => ({ type: 'group.remove', group, withTasks: number % 2 === 0 }),
    () => ({ type: 'group.verify', group, evidence: `run ${number}` }),
    () => ({ type: 'document.write', content: `body ${number}`, title: number % 2 === 0 ? 'Title' : '' }),
    () => ({ type: 'document.status', status: `status ${number % 3}` }),
    () => ({ type: 'plan.policy', strictTerminal: number % 2 === 0 }),
    () => ({ type: 'tasks.clean', keepPending: number % 4 !== 0 }),
  ];
  // Adding is what keeps a plan alive.
  const maker = random() < 0.3 ? makers[0] : pick(makers);
  return maker ? maker() : { type: 'task.add', description: `task ${number}` };
}
