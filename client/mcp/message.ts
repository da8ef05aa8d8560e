import {
  CLIENT_INFO_META_KEY,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
} from '@modelcontextprotocol/client';

/** JSON-RPC messages, looked at no closer than forwarding needs: what is in them is between the client and the server. */

export type Id = string | number;
type Fields = { readonly [name: string]: unknown };

export type Incoming =
  | { readonly kind: 'request'; readonly message: JSONRPCRequest }
  | { readonly kind: 'notification'; readonly message: JSONRPCNotification }
  | { readonly kind: 'response'; readonly message: JSONRPCResponse }
  | { readonly kind: 'invalid'; readonly id: Id | null };

export function readIncoming(value: unknown): Incoming {
  const fields = fieldsOf(value);
  const id = isId(fields.id) ? fields.id : null;
  if (fields.jsonrpc !== '2.0') return { kind: 'invalid', id };
  if (typeof fields.method === 'string') {
    if (fields.id === undefined) return { kind: 'notification', message: value as JSONRPCNotification };
    return id === null ? { kind: 'invalid', id } : { kind: 'request', message: value as JSONRPCRequest };
  }
  const isAnswer = id !== null && ('result' in fields || 'error' in fields);
  return isAnswer ? { kind: 'response', message: value as JSONRPCResponse } : { kind: 'invalid', id };
}

/** Whether the message is of the newest revision, whose messages say so themselves; the older ones have a session. */
export function isModern(message: JSONRPCRequest | JSONRPCNotification): boolean {
  return typeof metaOf(message)[PROTOCOL_VERSION_META_KEY] === 'string';
}

/** The name of the client's program, where the message states it. */
export function clientNameOf(message: JSONRPCRequest): string | undefined {
  const stated = isModern(message) ? metaOf(message)[CLIENT_INFO_META_KEY] : fieldsOf(message.params).clientInfo;
  const { name } = fieldsOf(stated);
  return typeof name === 'string' ? name : undefined;
}

/** The request that a notification takes back. */
export function cancelledBy(message: JSONRPCNotification): Id | undefined {
  if (message.method !== 'notifications/cancelled') return undefined;
  const { requestId } = fieldsOf(message.params);
  return isId(requestId) ? requestId : undefined;
}

export function uriOf(message: JSONRPCRequest): string | undefined {
  const { uri } = fieldsOf(message.params);
  return typeof uri === 'string' ? uri : undefined;
}

export function metaOf(message: { readonly params?: unknown }): Fields {
  return fieldsOf(fieldsOf(message.params)._meta);
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Where a caller that may send a call again puts an id of its own making, so that it has effect once. */
const operationIdKey = 'planroom/operationId';

/** A call of a tool with such an id, unless it has one: the server may go away before its answer comes. */
export function repeatable(message: JSONRPCRequest, newId: () => string): JSONRPCRequest {
  if (message.method !== 'tools/call' || metaOf(message)[operationIdKey] !== undefined) return message;
  const meta = { ...metaOf(message), [operationIdKey]: newId() };
  return { ...message, params: { ...message.params, _meta: meta } };
}

/** What MCP has no better word for. */
export const serverErrorCode = -32_000;
export const parseErrorCode = ProtocolErrorCode.ParseError;
export const invalidRequestCode = ProtocolErrorCode.InvalidRequest;

/** `id` null: it could not be read. */
export function errorAnswer(id: Id | null, code: number, message: string, data?: unknown): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}
