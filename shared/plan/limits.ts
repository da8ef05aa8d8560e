/**
 * Every bound of planroom in one place: its unit in the name, and the abuse it stops beside it.
 * The value itself is allowed, one more is refused.
 */
export const limits = {
  /** A plan that no client could draw, or hold in memory. */
  tasksPerRoomMax: 10_000,
  groupsPerRoomMax: 1_000,
  /** A task number that a loaded file asks for: a huge one would use up all numbers at once. */
  taskNumberMax: 1_000_000,
  /** A task used as a file store. */
  descriptionBytesMax: 4 * 1024,
  groupTitleBytesMax: 1024,
  evidenceBytesMax: 4 * 1024,
  /** The document body; the figure is docker-agent's. */
  contentBytesMax: 10 * 1024 * 1024,
  /** Title, author and status of the document: labels over 4 KiB are legal in docker-agent. */
  documentLabelBytesMax: 64 * 1024,
  /** Above this a body travels as its size in a broadcast; whoever needs it reads it. */
  broadcastBodyBytesMax: 64 * 1024,
  /** One task that names everything makes every dependency walk slow. */
  dependenciesPerTaskMax: 256,
  /** Of all tasks together: whoever walks the plan, and every Change of many tasks, pays for each. */
  dependenciesPerRoomMax: 100_000,
  /** Dependencies that one mutation states: a batch of edits may name as many as the room may hold, again and again. */
  dependenciesPerMutationMax: 50_000,
  /** A dependency is kept as written, so its length must be bounded too. */
  dependencyIdBytesMax: 128,
  labelsPerTaskMax: 32,
  labelBytesMax: 128,
  priorityBytesMax: 32,
  /** A batch is decided in one go and blocks the event loop meanwhile. */
  mutationsPerBatchMax: 1_000,
  /** Of those, the ones that look at the whole plan: full lists, cleans, loads, reverts. */
  wholePlanMutationsPerBatchMax: 2,
  /** Dependencies an edit follows to find a circular chain: in a plan where everything waits for everything, all of them. */
  dependenciesFollowedMax: 20_000,
  /**
   * Advice in one answer: a batch of adds that each name unknown tasks could ask for a quarter of a million notes, more
   * than an outbox holds. A task may name as many dependencies, so that each can have its note.
   */
  nagsPerMutationMax: 256,
  /** Ids that one message names; the rest are counted. */
  namesPerMessageMax: 50,
  /** Rows that the answer to a full-list write speaks of one by one, beside the notes on what it sent; the rest are counted. */
  mergeNagsPerWriteMax: 50,
  roomNameCharactersMax: 100,
  actorNameBytesMax: 128,
  mutationIdCharactersMax: 64,
  /** What actors last saw of one room: actor names cost nothing to make up. The oldest goes, and its actor's next full list only adds. */
  sightsPerRoomMax: 1_000,

  /** One WebSocket frame; larger documents go through HTTP. */
  frameBytesMax: 1024 * 1024,
  /** A message in many tiny fragments makes the receiver pay per fragment. */
  frameFragmentsMax: 64,
  /** Nesting of a JSON message: deep nesting exhausts stacks of whoever walks it. */
  jsonDepthMax: 16,
  /**
   * Values of a JSON text: millions of tiny ones fit a body, and each costs far more than its bytes. Ten thousand tasks
   * with every field and thirty dependencies each are half of it.
   */
  jsonValuesMax: 1_000_000,
  /** Messages of one frame. */
  messagesPerFrameMax: 1_000,
  /** A body over HTTP. */
  httpBodyBytesMax: 24 * 1024 * 1024,
  /** Request line and headers over HTTP. */
  httpHeaderBytesMax: 16 * 1024,
  /** Whole header must have arrived by then: a slow header holds a connection. */
  httpHeaderTimeoutMs: 10_000,
  httpRequestTimeoutMs: 60_000,
  /** A connection that never says hello. */
  helloTimeoutMs: 10_000,
  /** Rooms that one connection joins. */
  roomsPerSessionMax: 256,
  /** Mutations of one connection that wait for their commit. */
  mutationsInFlightPerSessionMax: 1_024,
  /** Mutations of one room that wait for their commit: past it writers are told to slow down. */
  mutationsInFlightPerRoomMax: 16_384,
  /** Tokens a second and at most of the bucket of one connection; a message costs one. */
  messagesPerSecond: 10_000,
  messagesBurst: 20_000,
  /** Faults (bad messages, rate) of one connection before it is closed. */
  faultsPerSessionMax: 20,
  /** What waits unsent for one slow reader, beside the largest thing on its way, before it is closed and told to resume. */
  outboxBytesMax: 8 * 1024 * 1024,
  /** Large answers of all connections that are made and have not left: each can be as large as a plan with its document. */
  largeAnswersMax: 16,
  /** A reader that holds one of them for longer, and so lets others wait, is cut off. */
  largeAnswerTimeoutMs: 15_000,
  /** Silence after which a connection is pinged; no answer within the same time closes it. */
  heartbeatIntervalMs: 15_000,
  /** Connections of the whole server. */
  sessionsMax: 10_000,
  /**
   * What one decision looks at of the past, so that a base from long ago, or a room of large documents, costs others
   * neither memory nor time: Changes, what is kept of them, and what is read to get there. Past it the caller re-reads.
   */
  historyChangesPerDecisionMax: 10_000,
  historyKeptBytesPerDecisionMax: 16 * 1024 * 1024,
  historyReadBytesPerDecisionMax: 128 * 1024 * 1024,
  /** Changes in one answer to a read. */
  changesPerReadMax: 1_000,
  /** JSON of those Changes and their undo: each may have a document of megabytes. One that has more comes alone. */
  historyReadCharactersMax: 8 * 1024 * 1024,
  /** Such reads from disk at once, for the whole server: each may hold the bound and one Change more, several times over. */
  historyReadsMax: 2,
  historyReadsWaitingMax: 1_024,
  /** Rooms in memory without a subscriber are let go after this. */
  roomIdleTimeoutMs: 5 * 60_000,
  /** Recent Changes a room keeps in memory for clients that come back. */
  recentChangesPerRoomMax: 4_096,
  recentChangesBytesPerRoomMax: 8 * 1024 * 1024,
} as const;

const encoder = new TextEncoder();

/** UTF-8 length in bytes, without encoding when the text is surely short enough. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

/** Whether the text has at most `max` UTF-8 bytes; cheap for short texts. */
export function fitsBytes(text: string, max: number): boolean {
  if (text.length * 3 <= max) return true;
  if (text.length > max) return false;
  return utf8Bytes(text) <= max;
}
