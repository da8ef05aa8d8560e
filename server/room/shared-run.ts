/**
 * A read that all who ask for it meanwhile share: one run at a time, and nobody gets one that began before they asked,
 * which may have passed by what they know of.
 */
export class SharedRun<T> {
  private readonly work: () => Promise<T>;
  private running: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(work: () => Promise<T>) {
    this.work = work;
  }

  ask(): Promise<T> {
    if (!this.running) return this.start();
    const afterIt = (): Promise<T> => {
      this.next = undefined;
      return this.start();
    };
    this.next ??= this.running.then(afterIt, afterIt);
    return this.next;
  }

  private start(): Promise<T> {
    const run = this.work();
    this.running = run;
    const end = (): void => {
      if (this.running === run && !this.next) this.running = undefined;
    };
    run.then(end, end);
    return run;
  }
}
