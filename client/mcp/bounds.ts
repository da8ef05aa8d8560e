/** Bounds of the bridge, beside those of all in `shared/plan/limits.ts`. */
export const bounds = {
  /** Requests without an answer yet, open streams included: a client that never waits. */
  requestsMax: 1_024,
  /** What waits for a client that does not read: above this nothing more is read from it. */
  unreadBytesMax: 8 * 1024 * 1024,
  /** Above this the client is given up. Many large answers asked for at once reach it, and nothing else does. */
  unreadBytesEnd: 256 * 1024 * 1024,
  /** A server that is away gets so long to come back before requests are told; requests after that try once. */
  awayPatienceMs: 5_000,
  /** A server started in the background has to be ready by then. */
  startPatienceMs: 30_000,
  /** How long to wait for an answer to the question whether a server is ready. */
  probeTimeoutMs: 3_000,
  /** When stdin ends: how long answers under way are waited for. */
  endPatienceMs: 60_000,
  /** After SIGTERM: clients kill a second or two later. */
  terminatePatienceMs: 700,
  /** The log of a server started in the background is put aside at the next start when it is larger. */
  logBytesMax: 1024 * 1024,
} as const;

/** Waits between two tries to reach the server. */
export const backOff = { firstDelayMsMax: 100, delayMsMax: 3_000, attemptsMax: Number.POSITIVE_INFINITY } as const;
