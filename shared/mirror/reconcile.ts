import { apply, applyStep, markOf } from '../plan/apply.ts';
import type { Patch } from '../plan/change.ts';
import { decide } from '../plan/decide.ts';
import { type Mutation, type SingleMutation, singleMutationSchema } from '../plan/mutation.ts';
import { defaultGroupTitle } from '../plan/mutations/task.ts';
import type { Plan } from '../plan/plan.ts';
import { type Rejection, rejection } from '../plan/rejection.ts';
import type { Result } from '../plan/result.ts';
import type { Stamp } from '../plan/stamp.ts';
import { diff } from './diff.ts';
import type { Step } from './difference.ts';
import { mirrorLimits } from './limits.ts';
import type { Merged } from './merge.ts';
import { type Refusal, refusal, writeRefusals } from './refusals.ts';
import { keyOf, partsOf, plannedValue } from './schema.ts';
import { keysOfPatch, type Mirror, settle } from './write.ts';

/** Where mutations go: the room, seen from the actor whose update it is. */
export interface Desk {
  /** The plan that the doc mirrors. It is tried on and left as it was; `submit` changes it. */
  readonly plan: Plan;
  /**
   * Decides a mutation like any other. When it is accepted the plan has it applied at once, and the doc may not be written
   * to by anything else before this returns.
   */
  submit(mutation: Mutation): Result<Patch, Rejection>;
}

export interface Outcome {
  /** What was submitted and accepted: one mutation or one batch, thus one Change. */
  readonly accepted: Mutation | undefined;
  readonly refusals: readonly Refusal[];
  /** Keys of the update that say something else now than the client wrote: a client that fights is known by these. */
  readonly corrected: readonly string[];
}

/**
 * Takes a merged update into the plan and brings the doc to the plan. What the plan's rules let through, field by field,
 * becomes one Change; the rest is set back and the reason written into the doc, bounded. All of it in transactions of the
 * server that come after the client's, so they win over it.
 */
export function reconcile(mirror: Mirror, merged: Merged, desk: Desk, stamp: Stamp): Outcome {
  const { plan } = desk;
  const { view, concurrent, keys } = merged;
  const wanted = diff({ plan, mark: mirror, view, concurrent, actor: stamp.actor }, keys);
  const refusals = [...wanted.refusals];
  const steps = tryOut(plan, wanted.steps, stamp, refusals);
  const mutation = asOne(steps.map((each) => each.mutation));
  const result = mutation && desk.submit(mutation);
  const touched = new Set(keys);
  if (result?.ok) for (const key of keysOfPatch(plan, result.value)) touched.add(key);
  else if (result) for (const { step } of steps) refusals.push(refuseStep(step, result.error));
  for (const { key, value } of wanted.claims) {
    if (plannedValue(plan, mirror, partsOf(key)) === value) continue;
    refusals.push(refusal('invalid', key, value, `Only the server writes '${partsOf(key).field}'.`));
  }
  const corrected = settle(mirror, plan, touched).filter((key) => keys.has(key));
  writeRefusals(mirror, refusals, stamp);
  return { accepted: result?.ok ? mutation : undefined, refusals, corrected };
}

interface Accepted {
  readonly step: Step;
  readonly mutation: SingleMutation;
}

/**
 * The steps that the plan's rules let through, each after those before it. They are applied to find that out and taken back,
 * as a batch does it, so a batch of just these is let through as well.
 */
function tryOut(plan: Plan, steps: readonly Step[], stamp: Stamp, refusals: Refusal[]): readonly Accepted[] {
  const accepted: Accepted[] = [];
  const undos: Patch[] = [];
  const before = markOf(plan);
  try {
    for (const step of bounded(plan, steps, refusals)) {
      const mutation = step.tries.find((each) => isPossible(plan, each));
      if (mutation === undefined) {
        if (!step.isQuiet && isTargetThere(plan, step)) refusals.push(refuseStep(step, noSuchPlace));
        continue;
      }
      const decision = decideChecked(plan, mutation, stamp);
      if (!decision.ok) {
        refusals.push(refuseStep(step, decision.error));
        continue;
      }
      if (Object.keys(decision.value.patch).length === 0) continue;
      applyStep(plan, decision.value.patch, stamp);
      undos.push(decision.value.undo);
      accepted.push({ step, mutation });
      if (mutation !== step.tries[0] && mutation.type === 'task.add') refusals.push(tellNewPlace(step));
    }
  } finally {
    for (const undo of undos.reverse()) apply(plan, undo, before);
  }
  return accepted;
}

/** As many steps as one turn of the event loop may take; the rest is refused. */
function bounded(plan: Plan, steps: readonly Step[], refusals: Refusal[]): readonly Step[] {
  const { stepsPerUpdateMax, movedPastPerUpdateMax } = mirrorLimits;
  let passed = 0;
  return steps.filter((step, index) => {
    const [first] = step.tries;
    if (first?.type === 'group.move') passed += plan.groupCount;
    if (first?.type === 'task.move') passed += plan.tasksOf(first.group ?? '').length;
    if (index < stepsPerUpdateMax && passed <= movedPastPerUpdateMax) return true;
    refusals.push(refuseStep(step, tooMuch));
    return false;
  });
}

const tooMuch: Rejection = {
  code: 'too_long',
  message: 'More was changed or moved at once than is taken in at a time. Make this change again.',
};

/** The shape is checked as it is of mutations from a socket; the rules are the plan's. */
function decideChecked(plan: Plan, mutation: SingleMutation, stamp: Stamp) {
  const parsed = singleMutationSchema.safeParse(mutation);
  if (parsed.success) return decide(plan, parsed.data, stamp);
  return rejection('invalid', parsed.error.issues[0]?.message ?? 'The value is not allowed.');
}

/** Whether every row that the mutation names is there: a title would find a row, or make one, where the uid is gone. */
function isPossible(plan: Plan, mutation: SingleMutation): boolean {
  switch (mutation.type) {
    case 'task.add':
      return mutation.group === undefined || plan.group(mutation.group) !== undefined;
    case 'task.move': {
      const { task, group, after, before } = mutation;
      const anchor = after ?? before;
      const isThere = plan.task(task) !== undefined && plan.group(group ?? '') !== undefined;
      return isThere && (anchor === undefined || plan.task(anchor)?.group === group);
    }
    case 'group.move': {
      const anchor = mutation.after ?? mutation.before;
      return plan.group(mutation.group) !== undefined && (anchor === undefined || plan.group(anchor) !== undefined);
    }
    default:
      if ('task' in mutation) return plan.task(mutation.task) !== undefined;
      return mutation.type === 'group.add' || !('group' in mutation) || plan.group(mutation.group) !== undefined;
  }
}

/** A step on a new row that was refused has been spoken of. */
function isTargetThere(plan: Plan, step: Step): boolean {
  const { item } = partsOf(step.key);
  return plan.task(item) !== undefined || plan.group(item) !== undefined;
}

const noSuchPlace: Rejection = { code: 'group_not_found', message: 'The group it was to go to is not there.' };

function refuseStep({ key, value }: Step, { code, message }: Rejection): Refusal {
  return refusal(code, key, value, message);
}

function tellNewPlace({ key, tries }: Step): Refusal {
  const [first] = tries;
  const message = `The group of this new task is not there; the task was put into '${defaultGroupTitle}'.`;
  return refusal(
    'group_not_found',
    keyOf(partsOf(key).item, 'group'),
    first && 'group' in first ? first.group : undefined,
    message,
  );
}

function asOne([first, ...more]: readonly SingleMutation[]): Mutation | undefined {
  return first && more.length > 0 ? { type: 'batch', mutations: [first, ...more] } : first;
}
