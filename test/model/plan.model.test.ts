import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apply, markOf } from '../../shared/plan/apply.ts';
import type { ChangeRecord } from '../../shared/plan/change.ts';
import { type Mutation, mutationSchema, mutationTypes } from '../../shared/plan/mutation.ts';
import { Plan } from '../../shared/plan/plan.ts';
import { type Intent, intents, toMutation } from '../support/mutation-generator.ts';
import { PlanHarness } from '../support/plan-harness.ts';
import { expectSound, keepsPolicy } from '../support/plan-invariants.ts';
import { runs, testSeed } from '../support/random.ts';

const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

/** Accepted and refused mutations by type: the proof that a run did work. */
class Tally {
  readonly accepted = new Map<string, number>();
  readonly refused = new Map<string, number>();

  count(type: string, wasAccepted: boolean): void {
    const counts = wasAccepted ? this.accepted : this.refused;
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }

  toString(): string {
    return mutationTypes
      .map((type) => `${type} ${this.accepted.get(type) ?? 0}/${this.refused.get(type) ?? 0}`)
      .join(', ');
  }
}

test(
  'random mutations of every type keep every promise of the core',
  () => {
    const seed = testSeed('plan model');
    const tally = new Tally();
    fc.assert(
      fc.property(fc.array(intents, { minLength: 1, maxLength: 40, size: 'max' }), (steps) => {
        const room = new PlanHarness();
        for (const intent of steps) takeStep(room, intent, tally);
        expectReplayable(room);
      }),
      { numRuns: runs(250, 5_000), seed },
    );
    console.log(`plan model, accepted/refused: ${tally}`);
    for (const type of mutationTypes) {
      expect(tally.accepted.get(type) ?? 0, `${type} was accepted at least once`).toBeGreaterThan(0);
      if (type !== 'group.add')
        expect(tally.refused.get(type) ?? 0, `${type} was refused at least once`).toBeGreaterThan(0);
    }
  },
  runs(60_000, 900_000),
);

function takeStep(room: PlanHarness, intent: Intent, tally: Tally): void {
  const { plan } = room;
  const mutation = toMutation(intent, plan);
  expect(mutationSchema.safeParse(mutation).success, JSON.stringify(mutation)).toBe(true);
  const before = plan.toSnapshot();
  const text = JSON.stringify(before);
  const kept = keepsPolicy(plan);
  const mark = markOf(plan);
  const result = room.submit(mutation, intent.actor);
  tally.count(mutation.type, result.ok);
  if (!result.ok) {
    expect(JSON.stringify(plan.toSnapshot()), 'a refusal changes nothing').toBe(text);
    expectSound(plan);
    return;
  }
  expect(plan.revision).toBe(before.revision + 1);
  expectSound(plan);
  if (kept && !mayLeavePolicy(mutation) && before.policy.inProgress === plan.policy.inProgress) {
    expect(keepsPolicy(plan), 'nothing is started against the policy').toBe(true);
  }
  const after = plan.toSnapshot();
  apply(plan, result.value.undo, mark);
  expect(plan.toSnapshot(), 'undo restores the plan exactly').toEqual(before);
  expectSound(plan);
  apply(plan, result.value.change.patch, result.value.change);
  expect(plan.toSnapshot(), 'and the patch does it again').toEqual(after);
}

/** A policy holds for what is started under it. */
function mayLeavePolicy(mutation: Mutation): boolean {
  if (mutation.type === 'batch') return mutation.mutations.some(mayLeavePolicy);
  return mutation.type === 'plan.policy';
}

/** The stored records alone make the same plan again, and take it back to nothing. */
function expectReplayable(room: PlanHarness): void {
  const records: readonly ChangeRecord[] = throughJson(room.records);
  const replayed = new Plan('room', 'epoch');
  const marks = records.map(({ change }) => {
    const mark = markOf(replayed);
    apply(replayed, change.patch, change);
    return mark;
  });
  expect(replayed.toSnapshot()).toEqual(room.plan.toSnapshot());
  expectSound(replayed);
  for (const { undo } of [...records].reverse()) apply(replayed, undo, marks.pop() ?? markOf(replayed));
  expect(replayed.toSnapshot()).toEqual(new Plan('room', 'epoch').toSnapshot());
}
