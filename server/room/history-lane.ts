import { failed } from './answers.ts';
import type { Request } from './commit-queue.ts';
import type { DecisionPast } from './decision-past.ts';
import type { Gate } from './gate.ts';

/** What the lane asks of its room. */
export interface LaneHost {
  readonly gate: Gate;
  /** What the request needs of the past, as the plan stands; undefined: nothing. */
  readonly pastFor: (request: Request) => DecisionPast | undefined;
  readonly decide: (request: Request, past: DecisionPast | undefined) => void;
  readonly onFault: (error: unknown) => void;
}

/**
 * Requests that wait for history from the store, one after another, so that one at most holds some of it. Other requests
 * are decided meanwhile; only what the same actor sends after such a one waits behind it, so that the mutations of an
 * actor keep their order.
 */
export class HistoryLane {
  private readonly host: LaneHost;
  private waiting: Request[] = [];
  /** actor -> how many of the waiting are its */
  private readonly counts = new Map<string, number>();
  private running = false;

  constructor(host: LaneHost) {
    this.host = host;
  }

  /** Whether something of this actor waits here. */
  holds(actor: string): boolean {
    return this.counts.has(actor);
  }

  add(request: Request): void {
    this.waiting.push(request);
    this.count(request, 1);
    this.start();
  }

  /** These came before all that wait. */
  addFirst(requests: readonly Request[]): void {
    this.waiting.unshift(...requests);
    for (const request of requests) this.count(request, 1);
    this.start();
  }

  private start(): void {
    if (!this.running && this.waiting.length > 0) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    for (let first = this.waiting[0]; first; first = this.waiting[0]) {
      try {
        await this.decideFirst(first);
      } catch (error) {
        this.remove(first);
        first.answer({ type: 'fault' });
        this.host.onFault(error);
      }
    }
    this.running = false;
  }

  /** Decides the request once what it needs is there; not if others came before it meanwhile. */
  private async decideFirst(request: Request): Promise<void> {
    const { gate, pastFor, decide } = this.host;
    while (gate.opening) await gate.opening;
    const past = pastFor(request);
    while (this.waiting[0] === request) {
      if (!past || past.takeHeld()) {
        this.remove(request);
        decide(request, past);
        return;
      }
      const error = await past.readMore();
      if (error) {
        this.remove(request);
        request.answer(failed(error));
        return;
      }
      while (gate.opening) await gate.opening;
    }
  }

  private remove(request: Request): void {
    const index = this.waiting.indexOf(request);
    if (index < 0) return;
    this.waiting.splice(index, 1);
    this.count(request, -1);
  }

  private count({ submission: { actor } }: Request, by: number): void {
    const count = (this.counts.get(actor) ?? 0) + by;
    if (count > 0) this.counts.set(actor, count);
    else this.counts.delete(actor);
  }
}
