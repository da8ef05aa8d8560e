import type { Failure } from '../../shared/dialects/dialect.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import type { RoomRegistry } from '../room/registry.ts';
import type { Subscription } from '../room/subscriber.ts';
import { storeErrorBody } from './errors.ts';

/** Settles at the first Change after `revision`, at the end of the room, or when the time is over; gives the revision then. */
export async function waitForChange(
  rooms: RoomRegistry,
  name: string,
  revision: number,
  timeoutMs: number,
): Promise<Result<number, Failure>> {
  const opened = await rooms.open(name);
  if (!opened.ok) return err(storeErrorBody(opened.error));
  let subscription: Subscription | undefined;
  let settle: (revision: number) => void = () => undefined;
  const changed = new Promise<number>((resolve) => {
    settle = resolve;
  });
  const subscribed = await rooms.subscribe(
    name,
    {
      onSubscribed: (begun) => {
        subscription = begun;
        if (begun.position.revision > revision) settle(begun.position.revision);
      },
      onChanges: (_room, _epoch, records) => {
        const last = records.at(-1)?.change.revision ?? 0;
        if (last > revision) settle(last);
      },
      onDeleted: () => settle(0),
    },
    opened.value.position,
  );
  if (!subscribed.ok) return err(storeErrorBody(subscribed.error));
  const timer = setTimeout(() => settle(subscription?.room.position.revision ?? revision), timeoutMs);
  const last = await changed;
  clearTimeout(timer);
  subscription?.unsubscribe();
  return ok(last);
}
