import type { Decision } from './draft.ts';
import { limits } from './limits.ts';
import type { Mutation, SingleMutation } from './mutation.ts';
import type { Plan } from './plan.ts';
import { type Rejection, rejection } from './rejection.ts';
import { ok, type Result } from './result.ts';

/** Bounds of the whole dependency graph, beside that of one task: walks over it must end soon. */

/** What one mutation states, in all its steps or items. */
export function requireFewDependencies(mutation: Mutation): Result<void, Rejection> {
  const { dependenciesPerMutationMax } = limits;
  const steps = mutation.type === 'batch' ? mutation.mutations : [mutation];
  const dependencies = steps.reduce((sum, step) => sum + statedBy(step), 0);
  if (dependencies <= dependenciesPerMutationMax) return ok(undefined);
  const message = `The mutation states ${dependencies} dependencies in all; at most ${dependenciesPerMutationMax} are allowed. Send it in parts.`;
  return rejection('too_long', message, { dependencies, dependenciesPerMutationMax });
}

function statedBy(mutation: SingleMutation): number {
  if (mutation.type === 'tasks.replace') {
    return mutation.items.reduce((sum, item) => sum + (item.dependsOn?.length ?? 0), 0);
  }
  return 'dependsOn' in mutation ? (mutation.dependsOn?.length ?? 0) : 0;
}

/** What the room would hold afterwards; a mutation that does not add to it is let through. */
export function requireRoomForDependencies(plan: Plan, { patch }: Decision): Result<void, Rejection> {
  let more = 0;
  for (const row of patch.tasks ?? []) {
    const before = plan.task(row.uid)?.dependsOn.length ?? 0;
    if (row.removed) more -= before;
    else if (row.dependsOn) more += row.dependsOn.length - before;
  }
  const dependencies = plan.dependencyCount + more;
  const { dependenciesPerRoomMax } = limits;
  if (more <= 0 || dependencies <= dependenciesPerRoomMax) return ok(undefined);
  const message = `The tasks of the room would have ${dependencies} dependencies in all; at most ${dependenciesPerRoomMax} are allowed.`;
  return rejection('limit_reached', message, { dependencies, dependenciesPerRoomMax });
}
