import type { Mutation, MutationType, SingleMutation } from '../../shared/plan/mutation.ts';
import type { MutationResult } from './pending-mutations.ts';

/** The fields of a mutation, without its type and without those that the helper takes by themselves. */
export type Fields<Type extends MutationType, Taken extends string = never> = Omit<
  Extract<Mutation, { type: Type }>,
  'type' | Taken
>;

/** A revision the caller last saw: the mutation is refused (`conflict`) when what it touches changed after it. */
export interface Guard {
  readonly base?: number;
}

/**
 * One method for each mutation. Each answers when the mutation is on the server's disk, with an Ack, or with why it is
 * not. Tasks are addressed by uid or by id (`task-7`), groups by uid or by title.
 */
export abstract class PlanMutations {
  /** Asks the server for this mutation. Never throws and never rejects. */
  abstract mutate(mutation: Mutation): Promise<MutationResult>;

  addTask(description: string, fields: Fields<'task.add', 'description'> = {}): Promise<MutationResult> {
    return this.mutate({ ...fields, type: 'task.add', description });
  }
  editTask(task: string, fields: Fields<'task.edit', 'task'>): Promise<MutationResult> {
    return this.mutate({ ...fields, type: 'task.edit', task });
  }
  /** Without `before` and `after` to the end of its group, or of the one named. */
  moveTask(task: string, place: Fields<'task.move', 'task'> = {}): Promise<MutationResult> {
    return this.mutate({ ...place, type: 'task.move', task });
  }
  startTask(task: string, guard: Guard = {}): Promise<MutationResult> {
    return this.mutate({ ...guard, type: 'task.start', task });
  }
  completeTask(task: string, guard: Guard = {}): Promise<MutationResult> {
    return this.mutate({ ...guard, type: 'task.complete', task });
  }
  cancelTask(task: string, guard: Guard = {}): Promise<MutationResult> {
    return this.mutate({ ...guard, type: 'task.cancel', task });
  }
  /** Back to pending. */
  reopenTask(task: string, guard: Guard = {}): Promise<MutationResult> {
    return this.mutate({ ...guard, type: 'task.reopen', task });
  }
  removeTask(task: string, guard: Guard = {}): Promise<MutationResult> {
    return this.mutate({ ...guard, type: 'task.remove', task });
  }

  addGroup(title: string, fields: Fields<'group.add', 'title'> = {}): Promise<MutationResult> {
    return this.mutate({ ...fields, type: 'group.add', title });
  }
  renameGroup(group: string, title: string, guard: Guard = {}): Promise<MutationResult> {
    return this.mutate({ ...guard, type: 'group.edit', group, title });
  }
  /** Without `before` and `after` to the end. */
  moveGroup(group: string, place: Fields<'group.move', 'group'> = {}): Promise<MutationResult> {
    return this.mutate({ ...place, type: 'group.move', group });
  }
  /** A group that holds tasks goes only with `withTasks: true`. */
  removeGroup(group: string, fields: Fields<'group.remove', 'group'> = {}): Promise<MutationResult> {
    return this.mutate({ ...fields, type: 'group.remove', group });
  }
  /** Records that the tests of the group pass; `verified: false` takes it back. */
  verifyGroup(group: string, fields: Fields<'group.verify', 'group'> = {}): Promise<MutationResult> {
    return this.mutate({ ...fields, type: 'group.verify', group });
  }

  /** Replaces the body and the labels that are given; an empty label clears it. */
  writeDocument(fields: Fields<'document.write'>): Promise<MutationResult> {
    return this.mutate({ ...fields, type: 'document.write' });
  }
  setDocumentStatus(status: string, guard: Guard = {}): Promise<MutationResult> {
    return this.mutate({ ...guard, type: 'document.status', status });
  }

  /** Takes finished tasks away, pending ones too unless kept, and groups that are empty then. */
  clean(fields: Fields<'tasks.clean'>): Promise<MutationResult> {
    return this.mutate({ ...fields, type: 'tasks.clean' });
  }
  /**
   * Writes a whole list, to be merged with what others did since. `base` must be the confirmed revision that the writer
   * saw (`view.confirmed.revision` when it read the plan), not the revision at the time of writing.
   */
  replaceTasks(fields: Fields<'tasks.replace'>): Promise<MutationResult> {
    return this.mutate({ ...fields, type: 'tasks.replace' });
  }
  /** Replaces groups and tasks by those of a Markdown task list. */
  load(markdown: string, guard: Guard = {}): Promise<MutationResult> {
    return this.mutate({ ...guard, type: 'plan.load', markdown });
  }
  setPolicy(fields: Fields<'plan.policy'>): Promise<MutationResult> {
    return this.mutate({ ...fields, type: 'plan.policy' });
  }
  /** Undoes the Change of a revision, as far as nobody changed the same fields since. */
  revert(revision: number): Promise<MutationResult> {
    return this.mutate({ type: 'plan.revert', revision });
  }
  /** All or nothing, as one Change; later ones see what earlier ones did. */
  batch(mutations: readonly SingleMutation[]): Promise<MutationResult> {
    return this.mutate({ type: 'batch', mutations: [...mutations] });
  }
}
