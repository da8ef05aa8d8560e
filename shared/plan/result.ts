/** An expected outcome as a value: what a person, a peer or a disk can cause is returned, only bugs throw. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}

/** Ends every switch over a closed union; reaching it is a bug. */
export function assertNever(value: never): never {
  throw new Error(`unexpected case: ${JSON.stringify(value)}`);
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`);
}
