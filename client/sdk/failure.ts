import { type ErrorBody, type ErrorCode, errorKinds } from '../../shared/protocol/error-code.ts';

/** Why something asked of the client did not come about: what the server says, or what happened on the way to it. */
export type FailureCode =
  | ErrorCode
  /** No connection could be made, and the client gave up or its time was over. What was asked for had no effect. */
  | 'unreachable'
  /**
   * The mutation was sent, and the client gave up before an answer came: it may have taken effect or not. `facts.reason`
   * is the code of what made it give up, where there is one.
   */
  | 'unanswered'
  /** The connection went while a call was under way: it may have taken effect or not. Mutations never get this. */
  | 'connection_lost'
  /** The client or the view was closed before the answer came: it may have taken effect or not. */
  | 'closed';

/** An expected failure, as a value. */
export interface ClientFailure {
  readonly code: FailureCode;
  /** Says what is wrong and what is allowed. */
  readonly message: string;
  readonly facts?: { readonly [name: string]: unknown };
  /** Whether asking the very same again can succeed. */
  readonly retryable: boolean;
}

const localRetryable: Readonly<Record<Exclude<FailureCode, ErrorCode>, boolean>> = {
  unreachable: true,
  // Asked for again it is a new mutation, and would have effect beside the first one: look at the plan before.
  unanswered: false,
  connection_lost: true,
  closed: false,
};

export function failure(code: FailureCode, message: string, facts?: ClientFailure['facts']): ClientFailure {
  const retryable = code in localRetryable ? localRetryable[code as 'closed'] : errorKinds[code as ErrorCode].retryable;
  return { code, message, retryable, ...(facts && { facts }) };
}

/** What the server says, without the fields of the message that carried it. */
export function failureOf(body: ErrorBody & { readonly retryable?: boolean }): ClientFailure {
  const { code, message, facts } = body;
  // A newer server may know codes that this client does not.
  const retryable = body.retryable ?? errorKinds[code]?.retryable ?? false;
  return { code, message, retryable, ...(facts && { facts }) };
}
