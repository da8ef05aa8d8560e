import type { RejectionCode } from '../plan/rejection.ts';

/** What each code means for a caller on any endpoint. */
export interface ErrorKind {
  /** When it happens. */
  readonly when: string;
  /** Its status over HTTP. */
  readonly httpStatus: number;
  /** Whether sending the very same again can succeed. */
  readonly retryable: boolean;
}

const invalid = (when: string): ErrorKind => ({ when, httpStatus: 400, retryable: false });
const missing = (when: string): ErrorKind => ({ when, httpStatus: 404, retryable: false });
const conflict = (when: string): ErrorKind => ({ when, httpStatus: 409, retryable: false });
const refused = (when: string): ErrorKind => ({ when, httpStatus: 422, retryable: false });
const unavailable = (when: string): ErrorKind => ({ when, httpStatus: 503, retryable: true });

/** Refusals by the rules of the plan (`shared/plan/rejection.ts`). */
const rejections: Record<RejectionCode, ErrorKind> = {
  invalid: invalid('The mutation does not have the shape it must have.'),
  blank_text: refused('A text that must say something is blank.'),
  too_long: refused('A text or list is over its limit.'),
  limit_reached: refused('The room holds as many tasks or groups as it may.'),
  task_not_found: missing('No task has this id.'),
  group_not_found: missing('No group has this title or uid.'),
  document_not_found: missing('The plan has no document yet.'),
  room_not_found: missing('There is no such room.'),
  busy: refused('Another task is in progress, and the policy allows one.'),
  taken: refused('Another actor has this task in progress.'),
  terminal: refused('The task is completed or cancelled already.'),
  not_terminal: refused('The task is pending already.'),
  group_not_empty: refused('The group still holds tasks.'),
  uid_taken: refused('A row has the uid already.'),
  duplicate_key: refused('Two items of one list carry the same key.'),
  conflict: conflict('What the mutation touches changed after its base revision.'),
  stale_task: conflict('The id named a different task at the base revision.'),
  unknown_revision: conflict('The revision has not been yet, or its history is not there.'),
  cannot_revert: conflict('Later Changes touched the same fields.'),
  epoch_changed: conflict('The room was deleted and made anew since the caller last saw it.'),
  mutation_id_reused: conflict('The mutationId was used before for something else.'),
  overloaded: { when: 'Too many mutations wait for their commit.', httpStatus: 503, retryable: true },
};

/** Failures of the store (`server/store/store.ts`). */
const storeErrors = {
  store_corrupt: { when: 'Stored data of the room is damaged.', httpStatus: 500, retryable: false },
  store_full: unavailable('The disk of the server is full.'),
  store_read_only: unavailable('The file system of the server refuses writes.'),
  store_unavailable: unavailable('The server cannot read or write its data just now.'),
  store_closed: unavailable('The server is shutting down.'),
} satisfies Record<string, ErrorKind>;

/** Faults of what was sent, before any plan is asked. */
const protocolErrors = {
  bad_frame: invalid('The frame or body is not JSON text.'),
  bad_message: invalid('The message does not have the shape the protocol asks for.'),
  too_large: { when: 'A frame or body is over its limit.', httpStatus: 413, retryable: false },
  too_deep: invalid('JSON is nested deeper than allowed.'),
  bad_room_name: invalid('The room name breaks the rule for names.'),
  hello_required: invalid('The first message must be hello.'),
  hello_repeated: invalid('hello comes once.'),
  unsupported_version: invalid('The server does not speak this version of the protocol.'),
  not_joined: invalid('The connection has not joined the room.'),
  too_many_rooms: refused('The connection has joined as many rooms as it may.'),
  unknown_operation: missing('There is no such operation, or not at this place.'),
  method_not_allowed: { when: 'The HTTP method is not one of this path.', httpStatus: 405, retryable: false },
  rate_limited: { when: 'Messages come faster than allowed.', httpStatus: 429, retryable: true },
  forbidden: { when: 'The Host or Origin header is not one of this server.', httpStatus: 403, retryable: false },
  too_many_sessions: unavailable('The server has as many connections as it may.'),
  shutting_down: unavailable('The server is shutting down.'),
  internal: { when: 'A fault of the server; it is logged there.', httpStatus: 500, retryable: false },
} satisfies Record<string, ErrorKind>;

export const errorKinds = { ...rejections, ...storeErrors, ...protocolErrors };

/** Every code that any endpoint answers with. Closed. */
export type ErrorCode = keyof typeof errorKinds;

/** An error as every endpoint states it. */
export interface ErrorBody {
  readonly code: ErrorCode;
  /** Says what is wrong and what is allowed. */
  readonly message: string;
  readonly facts?: { readonly [name: string]: unknown };
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorKinds, code);
}
