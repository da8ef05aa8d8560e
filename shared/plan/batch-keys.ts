import type { Patch } from './change.ts';
import { taskId } from './model.ts';
import type { SingleMutation } from './mutation.ts';
import { type Rejection, rejection } from './rejection.ts';
import { ok, type Result } from './result.ts';

/** What the adds of one batch are called in it, so that later mutations of the batch can name tasks that have no id yet. */
export class BatchKeys {
  private readonly ids = new Map<string, string>();

  /** The mutation with ids in place of keys. A key wins over a task whose id or uid it happens to be. */
  resolve(mutation: SingleMutation): Result<SingleMutation, Rejection> {
    if (mutation.type === 'task.add' && mutation.key !== undefined && this.ids.has(mutation.key)) {
      const { key } = mutation;
      return rejection('duplicate_key', `Duplicate key '${key}'; keys must be unique in a batch.`, { key });
    }
    if (this.ids.size === 0) return ok(mutation);
    const changed: Record<string, unknown> = {};
    for (const field of ['task', 'before', 'after'] as const) {
      const named = field in mutation ? (mutation as unknown as Record<string, unknown>)[field] : undefined;
      if (typeof named === 'string' && this.ids.has(named)) changed[field] = this.ids.get(named);
    }
    if ('dependsOn' in mutation && mutation.dependsOn) {
      changed.dependsOn = mutation.dependsOn.map((name) => this.ids.get(name) ?? name);
    }
    return ok({ ...mutation, ...changed } as SingleMutation);
  }

  /** Keeps the key of an add that was let through. */
  learn(mutation: SingleMutation, patch: Patch): void {
    if (mutation.type !== 'task.add' || mutation.key === undefined) return;
    const made = patch.tasks?.find((row) => !row.removed && typeof row.number === 'number');
    if (made && !made.removed && typeof made.number === 'number') {
      this.ids.set(mutation.key, taskId({ number: made.number }));
    }
  }
}
