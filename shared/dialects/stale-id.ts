import { taskNumber } from '../plan/model.ts';
import type { Call, Failure } from './dialect.ts';

/**
 * Refuses an id such as `task-7` that named another task when the actor last saw the room: the number of a removed task
 * comes back, and the call would hit one that its caller never saw. An id it cannot have known is let through.
 */
export async function sameTask(call: Call, reference: string): Promise<Failure | undefined> {
  const number = taskNumber(reference);
  if (number === undefined) return undefined;
  const look = await call.look();
  if (!look.ok) return look.error;
  const task = look.value.plan.taskByNumber(number);
  const { sight } = look.value;
  if (!task || !sight || task.createdRevision <= sight.revision) return undefined;
  const back = await call.lookBack();
  if (!back.ok) return back.error;
  const then = back.value.base?.tasks.find((row) => row.number === number);
  if (!then || then.uid === back.value.plan.taskByNumber(number)?.uid) return undefined;
  return {
    code: 'stale_task',
    message: `'${reference}' is another task now than when you last saw the plan: that one was removed and its number given anew. Re-read the plan (List) and retry.`,
  };
}
