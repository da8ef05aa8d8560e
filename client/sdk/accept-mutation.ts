import { type Mutation, mutationSchema, type SingleMutation } from '../../shared/plan/mutation.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import { isWellFormed } from '../../shared/plan/text.ts';
import { explainIssues } from '../../shared/protocol/codec.ts';
import { type ClientFailure, failure } from './failure.ts';

/**
 * A copy of the mutation that the server will understand, so that a mistake is the caller's `invalid` here and not a
 * fault of the connection there. New rows get a uid, so that the row shown at once and the confirmed one are the same.
 */
export function acceptMutation(mutation: Mutation, newUid: () => string): Result<Mutation, ClientFailure> {
  const parsed = mutationSchema.safeParse(mutation);
  if (!parsed.success) {
    return err(failure('invalid', `The mutation is not understood. ${explainIssues(parsed.error)}`));
  }
  if (!everyTextIsWellFormed(parsed.data)) {
    return err(failure('invalid', 'A text holds half of a surrogate pair; send well-formed Unicode.'));
  }
  const { data } = parsed;
  if (data.type !== 'batch') return ok(withUid(data, newUid));
  return ok({ ...data, mutations: data.mutations.map((each) => withUid(each, newUid)) });
}

function withUid(mutation: SingleMutation, newUid: () => string): SingleMutation {
  if (mutation.type !== 'task.add' && mutation.type !== 'group.add') return mutation;
  return mutation.uid === undefined ? { ...mutation, uid: newUid() } : mutation;
}

/** The schema bounds the depth. */
function everyTextIsWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(everyTextIsWellFormed);
}
