import { type Task, taskId } from '../plan/model.ts';
import type { SingleMutation } from '../plan/mutation.ts';
import type { Plan } from '../plan/plan.ts';
import type { RejectionCode } from '../plan/rejection.ts';
import type { View } from './read.ts';
import { type Refusal, refusal } from './refusals.ts';
import { keyOf, type MirrorMark, type Scalar } from './schema.ts';

/**
 * The order in which an edit is taken in, whatever the order it was made in, for a doc does not tell. Rows are made before
 * anything names them, a group is emptied before it goes, and what ends a task comes before what starts another, so that
 * the policy of the room sees them in the order that pleases it. A new task gets its number before a removed one gives
 * its own back.
 */
const phases = [
  'policy',
  'document',
  'group.add',
  'task.add',
  'group.edit',
  'task.edit',
  'group.move',
  'task.move',
  'task.end',
  'task.remove',
  'group.remove',
  'task.start',
] as const;
export type Phase = (typeof phases)[number];

/** One thing that a client wants, as mutations that name every row by its uid. */
export interface Step {
  /** The key a refusal speaks of. Refused or not, every key of the update is brought to the plan's value afterwards. */
  readonly key: string;
  readonly value: Scalar | undefined;
  /** The first one whose rows are all there is decided; the later ones are for when others refuse to go along. */
  readonly tries: readonly SingleMutation[];
  /** For a new row that was refused nothing more needs to be said. */
  readonly isQuiet?: boolean;
}

/** What a client wrote under a key of the server's. It may happen to be right in the end. */
export interface Claim {
  readonly key: string;
  readonly value: Scalar | undefined;
}

/** What an update wants of the plan: steps in order, and what no mutation can say. */
export interface Difference {
  readonly steps: readonly Step[];
  readonly refusals: readonly Refusal[];
  readonly claims: readonly Claim[];
}

/** What there is to compare. */
export interface Comparison {
  readonly plan: Plan;
  readonly mark: MirrorMark;
  readonly view: View;
  /** Keys written without having seen what the plan says. */
  readonly concurrent: ReadonlySet<string>;
  readonly actor: string;
}

/** Collects a difference. */
export class Collector {
  readonly refusals: Refusal[] = [];
  readonly claims: Claim[] = [];
  private readonly view: View;
  private readonly steps = new Map<Phase, Step[]>(phases.map((phase) => [phase, []]));

  constructor(view: View) {
    this.view = view;
  }

  step(phase: Phase, key: string, ...tries: readonly SingleMutation[]): void {
    this.steps.get(phase)?.push({ key, value: this.view.get(key), tries });
  }

  quietStep(phase: Phase, key: string, ...tries: readonly SingleMutation[]): void {
    this.steps.get(phase)?.push({ key, value: this.view.get(key), tries, isQuiet: true });
  }

  refuse(code: RejectionCode, key: string, message: string): void {
    this.refusals.push(refusal(code, key, this.view.get(key), message));
  }

  claim(key: string): void {
    this.claims.push({ key, value: this.view.get(key) });
  }

  finish(): Difference {
    const { refusals, claims } = this;
    return { steps: phases.flatMap((phase) => this.steps.get(phase) ?? []), refusals, claims };
  }
}

/** Text of a field; anything else is refused. */
export function textOf(found: Collector, view: View, uid: string, field: string): string | undefined {
  const key = keyOf(uid, field);
  const value = view.get(key);
  if (typeof value === 'string') return value;
  found.refuse('invalid', key, `'${field}' must be text.`);
  return undefined;
}

export function nameOf(task: Task): string {
  return `Task '${taskId(task)}'`;
}
