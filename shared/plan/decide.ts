import { apply, applyStep, markOf } from './apply.ts';
import { BatchKeys } from './batch-keys.ts';
import type { Patch } from './change.ts';
import { compose } from './compose.ts';
import { requireFewDependencies, requireRoomForDependencies } from './dependency-bounds.ts';
import type { Decision } from './draft.ts';
import { newWalkBudget } from './graph.ts';
import { limits } from './limits.ts';
import type { Batch, Mutation, SingleMutation } from './mutation.ts';
import { decideDocument } from './mutations/document.ts';
import { decideGroup } from './mutations/group.ts';
import { decidePlan } from './mutations/plan.ts';
import { decideReplace } from './mutations/replace.ts';
import { decideTask } from './mutations/task.ts';
import { decideTaskStatus } from './mutations/task-status.ts';
import { decideClean } from './mutations/tasks.ts';
import { NagList } from './nag-list.ts';
import type { Plan } from './plan.ts';
import { type Rejection, rejection } from './rejection.ts';
import { assertNever, ok, type Result } from './result.ts';
import type { Stamp } from './stamp.ts';

/**
 * Whether the plan's rules let the mutation through, and what it does. Pure: the plan is the same before and after,
 * and the same plan, mutation and stamp give the same answer.
 */
export function decide(plan: Plan, mutation: Mutation, stamp: Stamp): Result<Decision, Rejection> {
  const bounded = requireFewDependencies(mutation);
  if (!bounded.ok) return bounded;
  const decision = mutation.type === 'batch' ? decideBatch(plan, mutation, stamp) : decideSingle(plan, mutation, stamp);
  if (!decision.ok) return decision;
  const fits = requireRoomForDependencies(plan, decision.value);
  return fits.ok ? decision : fits;
}

function decideSingle(plan: Plan, mutation: SingleMutation, stamp: Stamp): Result<Decision, Rejection> {
  switch (mutation.type) {
    case 'document.write':
    case 'document.status':
      return decideDocument(plan, mutation);
    case 'group.add':
    case 'group.edit':
    case 'group.move':
    case 'group.remove':
    case 'group.verify':
      return decideGroup(plan, mutation, stamp);
    case 'task.add':
    case 'task.edit':
    case 'task.move':
    case 'task.remove':
      return decideTask(plan, mutation, stamp);
    case 'task.start':
    case 'task.complete':
    case 'task.cancel':
    case 'task.reopen':
      return decideTaskStatus(plan, mutation, stamp);
    case 'tasks.clean':
      return decideClean(plan, mutation);
    case 'tasks.replace':
      return decideReplace(plan, mutation, stamp);
    case 'plan.load':
    case 'plan.policy':
    case 'plan.revert':
      return decidePlan(plan, mutation, stamp);
    default:
      return assertNever(mutation);
  }
}

/** Each mutation is decided on the plan as the ones before it leave it: they are applied, and all taken back at the end. */
function decideBatch(plan: Plan, batch: Batch, stamp: Stamp): Result<Decision, Rejection> {
  const bounded = requireFewWholePlan(batch);
  if (!bounded.ok) return bounded;
  const done: Decision[] = [];
  const nags = new NagList();
  const keys = new BatchKeys();
  const before = markOf(plan);
  const stepStamp: Stamp = { ...stamp, walk: newWalkBudget(), stepUndos: () => undosInReverse(done) };
  try {
    for (const [index, mutation] of batch.mutations.entries()) {
      const named = keys.resolve(mutation);
      const decision = named.ok ? decideSingle(plan, named.value, stepStamp) : named;
      if (!decision.ok) return { ok: false, error: atIndex(decision.error, index, batch.mutations.length) };
      applyStep(plan, decision.value.patch, stamp);
      done.push(decision.value);
      keys.learn(mutation, decision.value.patch);
      for (const { code, message } of decision.value.nags) nags.add(code, message);
    }
  } finally {
    for (const undo of undosInReverse(done)) apply(plan, undo, before);
  }
  const birth = { createdBy: stamp.actor, createdRevision: plan.revision + 1 };
  return ok({ ...compose(done, birth), nags: nags.all() });
}

function undosInReverse(done: readonly Decision[]): Patch[] {
  return done.map((decision) => decision.undo).reverse();
}

const wholePlan: ReadonlySet<string> = new Set(['tasks.replace', 'tasks.clean', 'plan.load', 'plan.revert']);

/** Each of these costs as much as the plan is large; a batch of a thousand would keep everyone waiting. */
function requireFewWholePlan({ mutations }: Batch): Result<void, Rejection> {
  const { wholePlanMutationsPerBatchMax } = limits;
  const count = mutations.filter((mutation) => wholePlan.has(mutation.type)).length;
  if (count <= wholePlanMutationsPerBatchMax) return ok(undefined);
  const names = [...wholePlan].join(', ');
  const message = `A batch may hold ${wholePlanMutationsPerBatchMax} mutations of the whole plan (${names}); this one holds ${count}. Send them one by one.`;
  return rejection('too_long', message, { count, wholePlanMutationsPerBatchMax });
}

function atIndex(refusal: Rejection, index: number, count: number): Rejection {
  return {
    ...refusal,
    message: `Mutation ${index + 1} of ${count} was refused, so none took effect. ${refusal.message}`,
    facts: { ...refusal.facts, index },
  };
}

/** The part of history that `decide` asks its stamp for. */
export interface HistoryNeeded {
  /** Changes to revert: each whole, and nothing between them. */
  readonly revisions: readonly number[];
  /** The oldest base of a full-list write: what was done to rows after it. */
  readonly undosSince: number | undefined;
}

/** Undefined when the mutation is decided without history. */
export function historyNeeded(plan: Plan, mutation: Mutation): HistoryNeeded | undefined {
  if (mutation.type !== 'batch') {
    if (mutation.type !== 'plan.revert' && mutation.type !== 'tasks.replace') return undefined;
    return neededBy(plan, [mutation], plan.policy.fullListWrites === 'replace');
  }
  // What is refused anyhow needs nothing. A step before it may change whether full lists replace, so what that says now
  // does not count.
  return requireFewWholePlan(mutation).ok ? neededBy(plan, mutation.mutations, false) : undefined;
}

function neededBy(plan: Plan, mutations: readonly SingleMutation[], listsReplace: boolean): HistoryNeeded | undefined {
  const revisions = new Set<number>();
  let undosSince: number | undefined;
  for (const mutation of mutations) {
    if (mutation.type === 'plan.revert' && mutation.revision <= plan.revision) revisions.add(mutation.revision);
    if (mutation.type !== 'tasks.replace' || listsReplace) continue;
    const { base = plan.revision } = mutation;
    if (base < plan.revision) undosSince = Math.min(undosSince ?? base, base);
  }
  return revisions.size > 0 || undosSince !== undefined ? { revisions: [...revisions], undosSince } : undefined;
}
