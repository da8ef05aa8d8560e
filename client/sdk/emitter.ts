/** Typed listeners by event name. */
export class Emitter<Events extends object> {
  private readonly listeners = new Map<keyof Events, Set<(event: never) => void>>();

  /** Calls back at each such event until the function it returns is called. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    // Each subscription is its own, also when one function subscribes twice.
    const subscription = (event: Events[Name]): void => listener(event);
    const subscriptions = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, subscriptions.add(subscription));
    return () => subscriptions.delete(subscription);
  }

  /** Tells every listener. */
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const subscription of [...(this.listeners.get(name) ?? [])]) {
      tell(subscription as (event: Events[Name]) => void, event);
    }
  }
}

/** Calls the listener back; what it throws neither keeps others from hearing nor gets lost. */
export function tell<Event>(listener: (event: Event) => void, event: Event): void {
  try {
    listener(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
