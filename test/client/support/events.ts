import type { RoomView, ViewEvents } from '../../../client/sdk/index.ts';

/** Resolves as soon as the condition holds, which is looked at now and after each change of the view. */
export function until(view: RoomView, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stops: (() => void)[] = [];
    const look = (): void => {
      if (!condition()) return;
      for (const stop of stops) stop();
      resolve();
    };
    stops.push(view.on('change', look), view.on('live', look));
    look();
  });
}

/** The next event of this name. */
export function next<Name extends keyof ViewEvents>(view: RoomView, name: Name): Promise<ViewEvents[Name]> {
  return new Promise((resolve) => {
    const stop = view.on(name, (event) => {
      stop();
      resolve(event);
    });
  });
}

/** The value of a Result that must be one. */
export function value<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(`unexpected failure: ${JSON.stringify(result.error)}`);
  return result.value;
}
