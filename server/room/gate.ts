/** Work that decisions must not run beside. Whoever wants to decide meanwhile waits until it is open again. */
export class Gate {
  private closed: Promise<void> | undefined;

  /** Settles when the work that is under way is done; undefined while none is. More may be under way by then. */
  get opening(): Promise<void> | undefined {
    return this.closed;
  }

  /** Runs the work once what came before it is done. The gate is closed from this very call on, and opens even if the work fails. */
  exclusive(work: () => Promise<void>): Promise<void> {
    const done = (this.closed ?? Promise.resolve()).then(work);
    const opening = done
      .catch(() => undefined)
      .then(() => {
        if (this.closed === opening) this.closed = undefined;
      });
    this.closed = opening;
    return done;
  }
}
