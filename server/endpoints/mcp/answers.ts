import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type ErrorBody, errorKinds } from '../../../shared/protocol/error-code.ts';

/** An error as the HTTP endpoint states it: what stops a request before MCP is spoken. */
export function failure(body: ErrorBody, headers: Readonly<Record<string, string>> = {}): Response {
  const { httpStatus, retryable } = errorKinds[body.code];
  return json(httpStatus, { error: { ...body, retryable } }, headers);
}

/** An error as MCP states it, for a message that has no id, or none that could be read. */
export function rpcFailure(
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return json(status, { jsonrpc: '2.0', id, error: { code, message } }, headers);
}

/** What MCP has no better word for; the reference servers use it so. */
export const serverErrorCode = -32_000;

export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

export function internalError(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}

function json(status: number, value: unknown, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
