/** Work that waits for the end of the present tick. An object rather than a callback: thousands wait in a tick. */
export interface TickTask {
  endOfTick(): void;
}

/** Has the task called at the end of the present turn of the event loop. */
export type AtEndOfTick = (task: TickTask) => void;
