import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { idOf, rpcFailure } from './answers.ts';
import { bounds } from './bounds.ts';

/** Whether the message asks for the stream on which clients of the newest revision hear of changes. */
export function isListen(message: unknown): boolean {
  return fieldsOf(message).method === 'subscriptions/listen';
}

/**
 * The answer to a request for a stream that follows more resources than it may: each Change looks through all of them,
 * and the SDK sets no bound. Undefined: let through.
 */
export function refusalOfListen(message: unknown): Response | undefined {
  const request = fieldsOf(message);
  const followed = fieldsOf(fieldsOf(request.params).notifications).resourceSubscriptions;
  if (!Array.isArray(followed) || followed.length <= bounds.subscriptionsMax) return undefined;
  const what = `A stream may follow ${bounds.subscriptionsMax} resources.`;
  return rpcFailure(200, ProtocolErrorCode.InvalidParams, what, idOf(request));
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [name: string]: unknown }) : {};
}
