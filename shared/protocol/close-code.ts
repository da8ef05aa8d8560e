/** Why the server closes a WebSocket, and what the client should do about it. */
export const closeCodes = {
  /** The server shuts down, orderly. Reconnect with back-off. */
  goingAway: 1001,
  /** What came is not the WebSocket protocol. Do not reconnect without a change. */
  brokenWebSocket: 1002,
  /** A text frame is not UTF-8. Do not reconnect without a change. */
  badText: 1007,
  /** A message in more fragments than allowed. Do not reconnect without a change. */
  tooManyFragments: 1008,
  /** A frame over the limit. Do not send it again; larger documents go through HTTP. */
  tooLarge: 1009,
  /** The client broke the protocol again and again, or at its first message. Do not reconnect without a change. */
  protocolFault: 4400,
  /** Host or Origin, or the version, is refused. Do not reconnect without a change. */
  refused: 4403,
  /** No hello in time, or no answer to a ping. Reconnect. */
  timeout: 4408,
  /** The client read too slowly and its outbox is full. Reconnect and resume from the last revision. */
  resume: 4409,
  /** Messages came too fast in spite of warnings. Reconnect with back-off. */
  rateLimited: 4429,
  /** A fault of the server. Reconnect with back-off. */
  internal: 4500,
} as const;

/** Whether a client should come back after this code: everything but its own lasting faults. */
export function shouldReconnect(code: number): boolean {
  return !lasting.has(code);
}

const lasting: ReadonlySet<number> = new Set([
  closeCodes.brokenWebSocket,
  closeCodes.badText,
  closeCodes.tooManyFragments,
  closeCodes.tooLarge,
  closeCodes.protocolFault,
  closeCodes.refused,
]);
