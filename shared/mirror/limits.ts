import { limits } from '../plan/limits.ts';

/**
 * Bounds of the mirror, each with the abuse it stops (measured: `mirror.md` 1.1). The value itself is allowed, one more is
 * not. Those of the first part decide what an update may be before it is merged; an honest client stays far below them.
 */
export const mirrorLimits = {
  /** An answer to SyncStep1: all that a client did offline. */
  syncBytesMax: 1024 * 1024,
  /** A single update. */
  updateBytesMax: 256 * 1024,
  /** A struct costs far more than its bytes to merge, and is kept for ever. */
  structsPerUpdateMax: 20_000,
  /** What an update adds to all clocks together: a long deleted struct takes few bytes and poisons a clock. */
  clockAdvancePerUpdateMax: 20_000,
  clockMax: 2 ** 31 - 1,
  /** Yjs 13 makes its ids of 32 bits. */
  clientIdMax: 2 ** 32 - 1,
  /** Every id stays in each state vector for ever. */
  newClientsPerUpdateMax: 64,
  /** Values that were there and are not any more. What was deleted before does not count: every sync names it again. */
  deletesPerUpdateMax: 10_000,
  /** Writes beside a value that has a successor already: Yjs walks the whole past of the key for each. */
  forksPerKeyMax: 8,
  forksPerUpdateMax: 4_096,
  /** The values that Yjs goes through for all of them together, a third of a microsecond each. */
  forkStepsPerUpdateMax: 300_000,
  /** Each is compared with the plan, may be a mutation, and may have to be corrected: all in one turn of the event loop. */
  keysPerUpdateMax: 4_096,
  /** Steps of one update, the rest is refused: as many as one batch holds, so that an update is one Change. */
  stepsPerUpdateMax: limits.mutationsPerBatchMax,
  /** A move goes through its whole list, so what counts is the rows that all moves of an update go through. */
  movedPastPerUpdateMax: 300_000,
  /** Why an update was not merged; a close frame has no room for more. */
  reasonBytesMax: 123,

  /** A body larger than this is mirrored as its size. */
  contentBytesMax: 256 * 1024,
  /** JSON text of a list. All that a plan allows fits, escapes included. */
  listCharactersMax: 256 * 1024,
  /** Clients put rows in order by keys; a longer one is written anew. */
  orderKeyCharactersMax: 50,
  /** Refusals that the doc holds; a new one takes the place of the oldest. */
  refusalsMax: 50,
  /** Refusals of one update; the last one counts the rest. */
  refusalsPerUpdateMax: 20,
  refusedValueCharactersMax: 1_000,
  refusalMessageCharactersMax: 500,
} as const;
