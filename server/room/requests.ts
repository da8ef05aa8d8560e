import { limits } from '../../shared/plan/limits.ts';
import { rejected } from './answers.ts';
import type { Request } from './commit-queue.ts';
import type { Outcome, Submission } from './outcome.ts';

/** The requests of one room that have no answer yet, by mutationId: a retry joins the first one. */
export class Requests {
  private readonly room: string;
  private readonly unanswered = new Map<string, Request>();

  constructor(room: string) {
    this.room = room;
  }

  get count(): number {
    return this.unanswered.size;
  }

  /** The answer, whenever it comes. A request that is new and within the bound is handed to `enter`. */
  submit(submission: Submission, enter: (request: Request) => void): Promise<Outcome> {
    const first = this.unanswered.get(submission.mutationId);
    if (first) return joinFirst(first, submission, () => this.submit(submission, enter));
    if (this.unanswered.size >= limits.mutationsInFlightPerRoomMax) {
      const message = `Too many mutations of room '${this.room}' wait for their commit.`;
      return Promise.resolve(rejected('overloaded', message));
    }
    let settle: (outcome: Outcome) => void = () => undefined;
    const promise = new Promise<Outcome>((resolve) => {
      settle = resolve;
    });
    const answer = (outcome: Outcome): void => {
      // Once answered, the id may be that of another request.
      if (this.unanswered.get(submission.mutationId) === request) this.unanswered.delete(submission.mutationId);
      settle(outcome);
    };
    const request: Request = { submission, answer, promise };
    this.unanswered.set(submission.mutationId, request);
    enter(request);
    return promise;
  }
}

/**
 * A retry of a request that is still under way gets the same answer, as a repeated one. What only bears its id is asked for
 * itself once that is answered: if it was refused the id is free, and else what is stored says why not.
 */
async function joinFirst(first: Request, submission: Submission, submitAnew: () => Promise<Outcome>): Promise<Outcome> {
  const outcome = await first.promise;
  const { actor, mutation, epoch } = first.submission;
  const same = actor === submission.actor && mutation.type === submission.mutation.type && epoch === submission.epoch;
  if (!same) return submitAnew();
  return outcome.type === 'ack' ? { type: 'ack', ack: { ...outcome.ack, repeated: true } } : outcome;
}
