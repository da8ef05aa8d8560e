import { limits } from '../../shared/plan/limits.ts';
import { err, ok } from '../../shared/plan/result.ts';
import { type ErrorBody, isErrorCode } from '../../shared/protocol/error-code.ts';
import type { Environment } from './environment.ts';
import { failure, failureOf } from './failure.ts';
import type { Ack, MutationResult, PendingMutation } from './pending-mutations.ts';

const inDoubt = 'The mutation may have taken effect or not.';

/**
 * Sends one mutation over HTTP: the way of those that no WebSocket frame can hold. An answer that did not come, or not
 * from planroom, is the failure `unanswered`: the mutation may have taken effect, and may be sent again under its id.
 */
export async function mutateOverHttp(
  httpUrl: string,
  actor: string | undefined,
  pending: PendingMutation,
  environment: Environment,
): Promise<MutationResult> {
  const { room, id, epoch, mutation } = pending;
  const body = JSON.stringify({
    mutationId: id,
    ...(actor !== undefined && { actor }),
    ...(epoch !== undefined && { epoch }),
    mutation,
  });
  const url = `${httpUrl}/api/rooms/${encodeURIComponent(room)}/mutations`;
  const signal = AbortSignal.timeout(limits.httpRequestTimeoutMs);
  try {
    const response = await environment.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal,
    });
    return readAnswer(url, response.status, await response.text());
  } catch (error) {
    return err(failure('unanswered', `No answer from ${url}: ${(error as Error).message}. ${inDoubt}`));
  }
}

function readAnswer(url: string, status: number, text: string): MutationResult {
  let answer: { readonly ack?: Ack; readonly error?: ErrorBody } | null = null;
  try {
    answer = JSON.parse(text);
  } catch {
    // Not JSON: some proxy speaks, not planroom.
  }
  if (answer?.ack) return ok({ ...answer.ack, nags: answer.ack.nags ?? [], created: answer.ack.created ?? [] });
  if (answer?.error && isErrorCode(answer.error.code)) return err(failureOf(answer.error));
  return err(
    failure('unanswered', `${url} answered with HTTP status ${status} and nothing that planroom says. ${inDoubt}`),
  );
}
