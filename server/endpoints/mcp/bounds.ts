/** Bounds that only this endpoint has, as `shared/plan/limits.ts` has those of all: the abuse each stops beside it. */
export const bounds = {
  /** Sessions of clients of the older revisions; a client that forgets to end its session leaves one behind. */
  sessionsMax: 1_000,
  /** A session without any request and without a stream for so long is closed; its client is told to begin anew. */
  sessionIdleMs: 60 * 60_000,
  /** Resources that one session, or one stream of the newest revision, follows: each Change looks through them. */
  subscriptionsMax: 256,
  /** Open streams of clients of the newest revision. */
  listenStreamsMax: 1_024,
  /** Rooms of one page of a list of resources; each gives two resources. */
  roomsPerPage: 50,
  /** How long the end of the server waits for calls under way, and after that for answers to leave. */
  closePatienceMs: 1_000,
} as const;
