import { apply } from '../../../shared/plan/apply.ts';
import type { Change } from '../../../shared/plan/change.ts';
import { decide } from '../../../shared/plan/decide.ts';
import type { Mutation } from '../../../shared/plan/mutation.ts';
import { Plan } from '../../../shared/plan/plan.ts';

/** What a server does to a plan, without a server: decides, applies, numbers. */
export class PlainRoom {
  readonly plan: Plan;
  readonly changes: Change[] = [];
  private uids = 0;

  constructor(room = 'room', epoch = 'epoch-1') {
    this.plan = new Plan(room, epoch);
  }

  /** The Change, or undefined when the mutation was refused or changed nothing. */
  submit(mutationId: string, mutation: Mutation, actor = 'ann'): Change | undefined {
    const revision = this.plan.revision + 1;
    const at = new Date(Date.UTC(2030, 0, 1) + revision * 1000).toISOString();
    const newUid = (): string => {
      this.uids += 1;
      return `server-uid-${this.uids}`;
    };
    const decision = decide(this.plan, mutation, { at, actor, newUid, history: () => undefined });
    if (!decision.ok || Object.keys(decision.value.patch).length === 0) return undefined;
    const change = { revision, at, actor, mutationId, action: mutation.type, patch: decision.value.patch };
    apply(this.plan, change.patch, change);
    this.changes.push(change);
    return change;
  }
}
