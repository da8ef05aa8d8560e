import { utf8Bytes } from '../../shared/plan/limits.ts';
import { err } from '../../shared/plan/result.ts';
import { backOffDelayMs } from './back-off.ts';
import type { Environment } from './environment.ts';
import type { FailureCode } from './failure.ts';
import { bytesBound } from './frames.ts';
import { InFlight } from './in-flight.ts';
import { lastWord, type MutationResult, type MutationSource, type PendingMutation } from './pending-mutations.ts';
import { SendRate } from './send-rate.ts';

export interface SenderPort {
  readonly sources: () => Iterable<MutationSource>;
  readonly isOpen: () => boolean;
  readonly sendText: (text: string) => void;
  readonly sendOverHttp: (pending: PendingMutation) => Promise<MutationResult>;
  readonly environment: Environment;
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

/** After these the same mutation is sent again: the server was too busy for it, or did not answer over HTTP. */
const againAfter: ReadonlySet<FailureCode> = new Set(['overloaded', 'rate_limited', 'unanswered']);

/**
 * Sends mutations of all rooms: as many at once as the server allows, those of one room in the order they were made,
 * also when one is too large for a frame and goes over HTTP. What the server is too busy for is sent again after a
 * while; then, and only then, later ones may overtake it: those that were on their way already.
 */
export class MutationSender {
  private readonly port: SenderPort;
  private readonly rate: SendRate;
  private readonly inFlight = new InFlight();
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
    for (const [source, again] of this.inFlight.removeLost()) source.putBack(again);
  }

  /** The server's answer, to one that is in flight; others are none of its business any more. */
  answer(id: string, result: MutationResult): void {
    const sent = this.inFlight.remove(id);
    if (!sent) return;
    const { pending, source } = sent;
    if (result.ok || result.error.code !== 'unanswered') pending.unanswered -= 1;
    if (result.ok || !againAfter.has(result.error.code)) {
      source.settle(pending, result);
    } else if (pending.refusals >= refusalsMax) {
      source.settle(pending, err(lastWord(pending, result.error)));
    } else {
      source.putBack([pending]);
      this.pause(backOffDelayMs(pending.refusals, this.port.environment.random));
      pending.refusals += 1;
    }
    this.wake();
  }

  stop(): void {
    this.cancelPause();
    this.paused = true;
    this.inFlight.clear();
  }

  /** One of each room in turn, so that a busy room does not hold up the others. */
  private pump(): void {
    for (let found = true; found; ) {
      found = false;
      for (const source of this.port.sources()) {
        if (!this.maySendMore()) return;
        if (this.inFlight.isClosed(source.room)) continue;
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
    if (full || this.inFlight.bytes >= inFlightBytesMax) return false;
    if (!this.rate.isReady()) this.pause(rateDelayMs);
    return !this.paused;
  }

  private send(pending: PendingMutation, source: MutationSource): void {
    const { room, id, epoch, mutation } = pending;
    const text = JSON.stringify({ type: 'mutate', room, id, ...(epoch !== undefined && { epoch }), mutation });
    const bound = bytesBound(text);
    const bytes = bound > this.bounds.frameBytesMax ? utf8Bytes(text) : bound;
    const overHttp = bytes > this.bounds.frameBytesMax - frameOverheadBytes;
    if (!this.inFlight.add({ pending, source, bytes, overHttp })) {
      source.putBack([pending]);
      return;
    }
    pending.unanswered += 1;
    this.rate.spend();
    if (!overHttp) this.port.sendText(text);
    else void this.port.sendOverHttp(pending).then((result) => this.answer(id, result));
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
