import type { Result } from '../../../shared/plan/result.ts';
import { type ErrorBody, errorKinds } from '../../../shared/protocol/error-code.ts';

/** What an operation gave, as a response. */
export function answer(result: Result<unknown, ErrorBody>): Response {
  return result.ok ? json(200, result.value) : failure(result.error);
}

/**
 * An error as every HTTP answer states it: `{error: {code, message, facts?, retryable}}` with the status of its code, or
 * with one that says more where HTTP has a word of its own for it.
 */
export function failure(
  body: ErrorBody,
  headers: Readonly<Record<string, string>> = {},
  status: number = errorKinds[body.code].httpStatus,
): Response {
  return json(status, { error: { ...body, retryable: errorKinds[body.code].retryable } }, headers);
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
