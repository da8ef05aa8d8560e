import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type ErrorBody, errorKinds } from '../../../shared/protocol/error-code.ts';

/**
 * What stops a request before MCP is spoken, as MCP states an error, for that is what its client reads; what the HTTP
 * endpoint would say is the data of it.
 */
export function failure(
  { message, ...facts }: ErrorBody,
  headers: Readonly<Record<string, string>> = {},
  id: Id | null = null,
): Response {
  const { httpStatus, retryable } = errorKinds[facts.code];
  return rpcFailure(httpStatus, rpcCode(httpStatus), message, id, headers, { ...facts, retryable });
}

function rpcCode(httpStatus: number): number {
  if (httpStatus === 500) return ProtocolErrorCode.InternalError;
  return httpStatus < 500 && httpStatus !== 429 ? ProtocolErrorCode.InvalidRequest : serverErrorCode;
}

export type Id = string | number;

/** Of a request; null for what has none. */
export function idOf(message: unknown): Id | null {
  const { id } = typeof message === 'object' && message !== null ? (message as { readonly id?: unknown }) : {};
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** An error as MCP states it, for a message that has no id, or none that could be read. */
export function rpcFailure(
  status: number,
  code: number,
  message: string,
  id: Id | null = null,
  headers: Readonly<Record<string, string>> = {},
  data?: object,
): Response {
  return json(status, { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }, headers);
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
