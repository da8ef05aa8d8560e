import { limits } from '../../shared/plan/limits.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { RoomPosition } from '../store/store.ts';
import type { RecentChanges } from './recent-changes.ts';
import type { CatchUp } from './subscriber.ts';

/** Below this the Changes are sent without asking whether a snapshot were smaller. */
const surelySmallCharacters = 16 * 1024;

/** Characters of a row in a snapshot beside its description: uid, order, actors, times. */
const taskRowCharacters = 260;
const groupRowCharacters = 110;

/**
 * What brings a subscriber from `since` to the plan as it is. A position of another epoch, or from a future that was
 * never made durable, gets the snapshot: never a gap, never a guess.
 */
export function chooseCatchUp(plan: Plan, recent: RecentChanges, since: RoomPosition | undefined): CatchUp {
  if (!since || since.epoch !== plan.epoch || since.revision > plan.revision) return { type: 'snapshot' };
  if (since.revision === plan.revision) return { type: 'current' };
  const records = recent.after(since.revision);
  if (!records) return { type: 'snapshot' };
  let characters = 0;
  for (const record of records) characters += record.changeText.length;
  if (characters <= surelySmallCharacters || characters <= snapshotCharacters(plan))
    return { type: 'changes', records };
  return { type: 'snapshot' };
}

/** About how long the snapshot is; a body that is too large to broadcast is not in it. */
function snapshotCharacters(plan: Plan): number {
  const body = plan.document.content.length;
  let characters = body > limits.broadcastBodyBytesMax ? 0 : body;
  characters += plan.groupCount * groupRowCharacters + plan.taskCount * taskRowCharacters;
  for (const task of plan.tasks()) characters += task.description.length;
  return characters;
}
