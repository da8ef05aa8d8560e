import type { Nag, NagCode } from './change.ts';
import { limits } from './limits.ts';

/**
 * Advice in the order it is given. Past `nagsPerMutationMax` it is left out, and one entry more says so: an answer must
 * neither eat a context window nor outgrow what a connection can carry.
 */
export class NagList {
  private readonly nags: Nag[] = [];

  add(code: NagCode, message: string): void {
    const { nagsPerMutationMax } = limits;
    if (this.nags.length < nagsPerMutationMax) this.nags.push({ code, message });
    else if (this.nags.length === nagsPerMutationMax) {
      const rest = `There is more to say than the ${nagsPerMutationMax} notes of one answer. Re-read the plan to see the rest.`;
      this.nags.push({ code, message: rest });
    }
  }

  all(): readonly Nag[] {
    return this.nags;
  }
}
