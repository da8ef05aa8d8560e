/**
 * Runs callbacks at the end of the present turn of the event loop, after all sockets that had data were read. What comes
 * in one tick is so handled together: one append, one frame.
 */
export class TickScheduler {
  private callbacks: (() => void)[] = [];
  private scheduled = false;

  readonly atEndOfTick = (callback: () => void): void => {
    this.callbacks.push(callback);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.run());
  };

  private run(): void {
    const callbacks = this.callbacks;
    this.callbacks = [];
    this.scheduled = false;
    for (const callback of callbacks) callback();
  }
}
