import { utf8Bytes } from '../../shared/plan/limits.ts';
import { backOffDelayMs } from './back-off.ts';
import type { Environment } from './environment.ts';
import { bytesBound } from './frames.ts';
import type { MutationResult, PendingMutation } from './pending-mutations.ts';
import { SendRate } from './send-rate.ts';

/** A room with mutations to send. */
export interface MutationSource {
  /** The next one, or undefined while there is none or the room is not up to date. */
  nextMutation(): PendingMutation | undefined;
  /** These were not answered and have to be sent again. */
  putBack(again: readonly PendingMutation[]): void;
  /** The answer to one of its mutations. */
  settle(pending: PendingMutation, result: MutationResult): void;
}

export interface SenderPort {
  readonly sources: () => Iterable<MutationSource>;
  readonly isOpen: () => boolean;
  readonly sendText: (text: string) => void;
  readonly sendOverHttp: (pending: PendingMutation) => Promise<MutationResult>;
  readonly environment: Environment;
}

interface InFlight {
  readonly pending: PendingMutation;
  readonly source: MutationSource;
  readonly bytes: number;
  readonly overHttp: boolean;
}

export interface SenderBounds {
  readonly frameBytesMax: number;
  readonly mutationsInFlightPerSessionMax: number;
}

/** Bytes of unanswered mutations past which none are added, so that a large one does not hold up the heartbeat. */
const inFlightBytesMax = 4 * 1024 * 1024;
/** Frame bytes beside the one message in it. */
const frameOverheadBytes = 2;
/** Wait while the rate is used up. */
const rateDelayMs = 50;
/** Times in a row the server may be too busy for one mutation before its caller is told. */
const refusalsMax = 20;

/**
 * Sends mutations of all rooms: as many at once as the server allows, those of one room in the order they were made.
 * What the server is too busy for is sent again after a while; then, and only then, later ones may overtake it.
 */
export class MutationSender {
  private readonly port: SenderPort;
  private readonly rate: SendRate;
  private readonly inFlight = new Map<string, InFlight>();
  private inFlightBytes = 0;
  private bounds: SenderBounds = { frameBytesMax: 0, mutationsInFlightPerSessionMax: 0 };
  private scheduled = false;
  private paused = false;
  private cancelPause: () => void = () => undefined;

  constructor(port: SenderPort) {
    this.port = port;
    this.rate = new SendRate(port.environment.nowMs);
  }

  /** There may be something to send; all of a tick is sent together. */
  wake(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => {
      this.scheduled = false;
      this.pump();
    });
  }

  connected(bounds: SenderBounds): void {
    this.bounds = bounds;
    this.rate.renew();
    this.resume();
  }

  /** What was on its way has to go again; only HTTP requests are their own. */
  connectionLost(): void {
    const lost = new Map<MutationSource, PendingMutation[]>();
    for (const [id, { pending, source, overHttp }] of this.inFlight) {
      if (overHttp) continue;
      this.remove(id);
      lost.set(source, [...(lost.get(source) ?? []), pending]);
    }
    for (const [source, again] of lost) source.putBack(again);
  }

  /** The server's answer, to one that is in flight; others are none of its business any more. */
  answer(id: string, result: MutationResult): void {
    const entry = this.remove(id);
    if (!entry) return;
    const { pending, source } = entry;
    if (!result.ok && this.isTooBusy(result.error.code) && pending.refusals < refusalsMax) {
      source.putBack([pending]);
      this.pause(backOffDelayMs(pending.refusals, this.port.environment.random));
      pending.refusals += 1;
    } else {
      source.settle(pending, result);
    }
    this.wake();
  }

  /** Forgets one that its room gave up. */
  forget(id: string): void {
    if (this.remove(id)) this.wake();
  }

  stop(): void {
    this.cancelPause();
    this.paused = true;
    this.inFlight.clear();
  }

  private isTooBusy(code: string): boolean {
    return code === 'overloaded' || code === 'rate_limited' || code === 'unreachable';
  }

  /** One of each room in turn, so that a busy room does not hold up the others. */
  private pump(): void {
    for (let found = true; found; ) {
      found = false;
      for (const source of this.port.sources()) {
        if (!this.maySendMore()) return;
        const pending = source.nextMutation();
        if (!pending) continue;
        found = true;
        this.send(pending, source);
      }
    }
  }

  private maySendMore(): boolean {
    if (this.paused || !this.port.isOpen()) return false;
    const full = this.inFlight.size >= this.bounds.mutationsInFlightPerSessionMax;
    if (full || this.inFlightBytes >= inFlightBytesMax) return false;
    if (!this.rate.isReady()) this.pause(rateDelayMs);
    return !this.paused;
  }

  private send(pending: PendingMutation, source: MutationSource): void {
    const { room, id, epoch, mutation } = pending;
    const text = JSON.stringify({ type: 'mutate', room, id, ...(epoch !== undefined && { epoch }), mutation });
    const bound = bytesBound(text);
    const bytes = bound > this.bounds.frameBytesMax ? utf8Bytes(text) : bound;
    const overHttp = bytes > this.bounds.frameBytesMax - frameOverheadBytes;
    this.inFlight.set(id, { pending, source, bytes, overHttp });
    this.inFlightBytes += bytes;
    this.rate.spend();
    if (!overHttp) this.port.sendText(text);
    else void this.port.sendOverHttp(pending).then((result) => this.answer(id, result));
  }

  private remove(id: string): InFlight | undefined {
    const entry = this.inFlight.get(id);
    if (!entry) return undefined;
    this.inFlight.delete(id);
    this.inFlightBytes -= entry.bytes;
    return entry;
  }

  private pause(delayMs: number): void {
    if (this.paused) return;
    this.paused = true;
    this.cancelPause = this.port.environment.setTimer(() => this.resume(), delayMs);
  }

  private resume(): void {
    this.cancelPause();
    this.paused = false;
    this.wake();
  }
}
