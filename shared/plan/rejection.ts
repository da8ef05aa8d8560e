/** Why a mutation was refused. Closed: a caller can rely on handling each of these. */
export const rejectionCodes = {
  invalid: 'The mutation does not have the shape the protocol asks for.',
  blank_text: 'A text that must say something is empty or only white space.',
  too_long: 'A text or list is over its limit.',
  limit_reached: 'The room holds as many tasks or groups as it may.',
  task_not_found: 'No task has this id.',
  group_not_found: 'No group has this title or uid.',
  document_not_found: 'The plan has no document yet.',
  room_not_found: 'There is no such room.',
  busy: 'Another task is in progress, and the policy of the room allows one.',
  taken: 'Another actor has this task in progress.',
  terminal: 'The task is completed or cancelled already.',
  not_terminal: 'The task is neither completed nor cancelled, so there is nothing to reopen.',
  group_not_empty: 'The group still holds tasks.',
  uid_taken: 'A row of this plan has the uid already.',
  duplicate_key: 'Two items of one list carry the same key.',
  conflict: 'What the mutation touches changed after the base revision it names.',
  stale_task: 'The id named a different task at the base revision.',
  unknown_revision: 'The revision lies in the future, or its history is not there.',
  cannot_revert: 'The Change cannot be undone because later Changes touched the same fields.',
  epoch_changed: 'The room was deleted and made anew since the caller last saw it.',
  mutation_id_reused: 'The mutationId was used before for something else.',
  overloaded: 'Too many mutations wait for their commit; send again a little later.',
} as const;

export type RejectionCode = keyof typeof rejectionCodes;

/** A refusal: nothing changed. `message` is written so that a model can correct its next call from it. */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message: string;
  /** Ids, limits and valid values the message speaks of. */
  readonly facts?: { readonly [name: string]: unknown };
}

export function rejection(
  code: RejectionCode,
  message: string,
  facts?: { readonly [name: string]: unknown },
): { readonly ok: false; readonly error: Rejection } {
  return { ok: false, error: facts ? { code, message, facts } : { code, message } };
}
