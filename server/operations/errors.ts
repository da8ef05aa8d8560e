import type { Result } from '../../shared/plan/result.ts';
import { assertNever, err, ok } from '../../shared/plan/result.ts';
import type { ErrorBody } from '../../shared/protocol/error-code.ts';
import type { Ack, Outcome } from '../room/outcome.ts';
import type { StoreError } from '../store/store.ts';

/** A failure of the store in the words of the protocol. */
export function storeErrorBody(error: StoreError): ErrorBody {
  const { code, message, room } = error;
  return room === undefined ? { code, message } : { code, message, facts: { room } };
}

export function outcomeResult(outcome: Outcome): Result<Ack, ErrorBody> {
  switch (outcome.type) {
    case 'ack':
      return ok(outcome.ack);
    case 'reject':
      return err(outcome.rejection);
    case 'error':
      return err(storeErrorBody(outcome.error));
    case 'fault':
      return err({ code: 'internal', message: 'A fault of the server; it is logged there. Nothing changed.' });
    default:
      return assertNever(outcome);
  }
}
