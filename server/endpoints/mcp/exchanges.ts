import type { ServerResponse } from 'node:http';

/** The answers under way, so that the end of the server can wait for them: for calls first, then for all. */
export class Exchanges {
  private readonly calls = new Set<ServerResponse>();
  private readonly streams = new Set<ServerResponse>();
  private wake: () => void = () => undefined;

  get count(): number {
    return this.calls.size + this.streams.size;
  }

  begin(outgoing: ServerResponse): void {
    this.calls.add(outgoing);
  }

  /** It waits for what may come, not for an answer: nobody waits for its end. */
  becomesStream(outgoing: ServerResponse): void {
    this.calls.delete(outgoing);
    this.streams.add(outgoing);
    this.wake();
  }

  end(outgoing: ServerResponse): void {
    this.calls.delete(outgoing);
    this.streams.delete(outgoing);
    this.wake();
  }

  callsAnswered(patienceMs: number): Promise<void> {
    return this.until(() => this.calls.size === 0, patienceMs);
  }

  allEnded(patienceMs: number): Promise<void> {
    return this.until(() => this.count === 0, patienceMs);
  }

  cutOff(): void {
    for (const outgoing of [...this.calls, ...this.streams]) outgoing.destroy();
  }

  /** For one who waits at a time. */
  private async until(isSo: () => boolean, patienceMs: number): Promise<void> {
    let isOver = false;
    const patience = setTimeout(() => {
      isOver = true;
      this.wake();
    }, patienceMs);
    while (!isSo() && !isOver) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    clearTimeout(patience);
  }
}
