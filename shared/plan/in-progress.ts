import { limits } from './limits.ts';
import { isTerminal, type Policy, type Status, type Task, taskId } from './model.ts';
import type { Plan } from './plan.ts';
import { type Rejection, rejection } from './rejection.ts';

/** A task that a mutation puts in progress, whichever way: a start, a list, a file, a revert. */
export interface Start {
  readonly uid: string;
  readonly number: number;
  /** Who has it in progress then. */
  readonly actor: string;
  /** What it is now; undefined for a task that is not there yet. */
  readonly from: Status | undefined;
}

/** Why the policy of a room does not let tasks be in progress. */
export type StartClash =
  /** A finished task is reopened before it is started. */
  | { readonly type: 'terminal'; readonly start: Start; readonly status: Status }
  /** More of them at a time than an actor, or the plan, may have. */
  | { readonly type: 'busy'; readonly starts: readonly Start[]; readonly others: readonly Task[] };

/**
 * The policy of a room, for all that puts tasks in progress. It holds for what is started and what stays in progress beside
 * it (`ends` says what does not); nobody is asked to end what an earlier policy allowed.
 */
export function startClash(
  plan: Plan,
  policy: Policy,
  starts: readonly Start[],
  ends: (task: Task) => boolean = () => false,
): StartClash | undefined {
  for (const start of starts) {
    const status = start.from;
    if (policy.strictTerminal && status && isTerminal(status)) return { type: 'terminal', start, status };
  }
  const [first] = starts;
  if (policy.inProgress === 'any' || !first) return undefined;
  const perPlan = policy.inProgress === 'one-per-plan';
  const holderOf = (actor: string | undefined): string => (perPlan ? '' : (actor ?? ''));
  const byHolder = new Map<string, Start[]>();
  for (const start of starts) {
    const mine = byHolder.get(holderOf(start.actor));
    if (mine) mine.push(start);
    else byHolder.set(holderOf(start.actor), [start]);
  }
  const uids = new Set(starts.map((start) => start.uid));
  const present = plan
    .inProgress(perPlan || byHolder.size > 1 ? undefined : first.actor)
    .filter((task) => !uids.has(task.uid) && !ends(task));
  for (const [holder, mine] of byHolder) {
    const others = present.filter((task) => holderOf(task.startedBy) === holder);
    if (mine.length + others.length > 1) return { type: 'busy', starts: mine, others };
  }
  return undefined;
}

/** A finished task is not started before it is reopened. */
export function refuseTerminal(start: Start, status: Status) {
  const id = taskId(start);
  const message = `Task '${id}' is ${status} already. Reopen it (task.reopen) before you start it.`;
  return rejection('terminal', message, { task: id, status });
}

/** Ids of everything that would be in progress, by number. */
export function busyIds({ starts, others }: Extract<StartClash, { type: 'busy' }>): readonly string[] {
  const numbers = [...starts, ...others].map(({ number }) => number);
  return numbers.sort((a, b) => a - b).map((number) => taskId({ number }));
}

export function refuseBusy(
  message: string,
  ids: readonly string[],
  policy: Policy,
  more: NonNullable<Rejection['facts']> = {},
) {
  return rejection('busy', message, {
    ...more,
    busy: ids.slice(0, limits.namesPerMessageMax),
    policy: policy.inProgress,
  });
}
