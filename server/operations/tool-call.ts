/** One call of one tool of a dialect, in a room, for an actor. */
export interface ToolCall {
  readonly room: string;
  readonly dialect: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** Made by the caller so that a repeated call has effect once. */
  readonly operationId?: string | undefined;
}
