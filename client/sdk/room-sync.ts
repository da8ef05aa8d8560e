import { assertNever } from '../../shared/plan/result.ts';
import type {
  Changes,
  Deleted,
  Joined,
  Notice,
  PresenceMessage,
  SnapshotMessage,
} from '../../shared/protocol/server-message.ts';
import { backOffDelayMs } from './back-off.ts';
import type { Emitter } from './emitter.ts';
import { type ClientFailure, failure } from './failure.ts';
import type { OptimisticPlan, Position } from './optimistic-plan.ts';
import type { ViewEvents } from './view-events.ts';
import type { ViewHost } from './view-host.ts';

export type RoomMessage = Joined | SnapshotMessage | Changes | Notice | Deleted | PresenceMessage;

/**
 * `away`: without connection, or waiting to ask again. `joining`: asked. `catching-up`: what is missing is on its way.
 * `live`: up to date. `over`: left, deleted or closed.
 */
type Phase = 'away' | 'joining' | 'catching-up' | 'live' | 'over';

/** What keeping a room up to date needs of its view. */
export interface SyncPort {
  readonly room: string;
  readonly mode: 'delta' | 'notice';
  readonly wantsPresence: boolean;
  readonly host: ViewHost;
  readonly emitter: Emitter<ViewEvents>;
  readonly optimistic: OptimisticPlan;
  readonly onLive: () => void;
  /** The room has another history now: what was made for the one before can take no effect any more. */
  readonly onReset: (to: Position) => void;
  /** The view has to end. */
  readonly onEnd: (reason: ClientFailure) => void;
}

/** Brings one view up to date and keeps it so: joins, and joins again from where it stands when a connection is new. */
export class RoomSync {
  private readonly port: SyncPort;
  private phase: Phase = 'away';
  private position: Position | undefined;
  private joinsInVain = 0;
  private cancelRetry: () => void = () => undefined;
  private at: string | null = null;

  constructor(port: SyncPort) {
    this.port = port;
  }

  get isLive(): boolean {
    return this.phase === 'live';
  }

  get confirmed(): Position {
    return this.position ?? this.port.optimistic.confirmed;
  }

  /** Asks to join, from where this view stands. */
  connected(): void {
    // The wait after a failed join may not be over yet: asked twice, the server would bring what is missing twice.
    this.cancelRetry();
    const { room, mode, wantsPresence, host } = this.port;
    if (this.phase === 'over' || !host.isOpen()) return;
    this.setPhase('joining');
    const { position } = this;
    // A position that led into a gap more than once is not worth another try: without it the snapshot comes.
    const since = position && this.joinsInVain < 2 ? position : undefined;
    host.send({ type: 'join', room, mode, ...(wantsPresence && { presence: true }), ...(since && { since }) });
  }

  connectionLost(): void {
    if (this.phase !== 'over') this.setPhase('away');
  }

  receive(message: RoomMessage): void {
    if (this.phase === 'over') return;
    switch (message.type) {
      case 'joined':
        this.onJoined(message);
        break;
      case 'snapshot':
        this.onSnapshot(message);
        break;
      case 'changes':
        this.onChanges(message);
        break;
      case 'notice':
        this.onNotice(message);
        break;
      case 'deleted':
        this.onDeleted(message);
        break;
      case 'presence':
        this.port.emitter.emit('presence', { present: message.present, more: message.more });
        break;
      default:
        assertNever(message);
    }
  }

  /** The server refused to join, or could not. */
  joinFailed(reason: ClientFailure): void {
    if (this.phase !== 'joining') return;
    if (this.position === undefined && reason.code !== 'rate_limited') {
      this.port.onEnd(reason);
      return;
    }
    this.setPhase('away');
    const { environment } = this.port.host;
    this.joinsInVain += 1;
    const delayMs = backOffDelayMs(this.joinsInVain, environment.random);
    this.cancelRetry();
    this.cancelRetry = environment.setTimer(() => this.connected(), delayMs);
  }

  setPresence(on: string | null): void {
    this.at = on;
    if (this.isLive) this.sendPresence();
  }

  /** Tells the server that nobody follows the room here any more. */
  leave(): void {
    const { room, host } = this.port;
    if (this.phase !== 'away' && this.phase !== 'over') host.send({ type: 'leave', room });
  }

  /** For good. Tells whether it was not over before. */
  end(): boolean {
    if (this.phase === 'over') return false;
    this.setPhase('over');
    this.cancelRetry();
    return true;
  }

  private onJoined({ epoch, revision, resume }: Joined): void {
    if (this.phase !== 'joining') return;
    if (this.port.mode === 'notice') {
      const missed = this.position !== undefined && resume !== 'current';
      this.moveTo({ epoch, revision });
      this.becomeLive();
      if (missed) this.port.emitter.emit('notice', { action: 'resume', revision });
    } else if (resume === 'current') {
      this.becomeLive();
    } else {
      this.setPhase('catching-up');
    }
  }

  private onSnapshot({ plan }: SnapshotMessage): void {
    if (this.phase !== 'catching-up' && this.phase !== 'live') return;
    this.port.optimistic.reset(plan);
    this.moveTo({ epoch: plan.epoch, revision: plan.revision });
    this.port.emitter.emit('change', { cause: 'snapshot', changes: [] });
    this.becomeLive();
  }

  private onChanges({ epoch, changes }: Changes): void {
    if (this.phase !== 'catching-up' && this.phase !== 'live') return;
    const { optimistic, emitter } = this.port;
    const confirmed = optimistic.confirm(epoch, changes);
    if (!confirmed.ok) {
      this.joinsInVain += 1;
      this.connected();
      return;
    }
    this.position = optimistic.confirmed;
    if (confirmed.value.length > 0) emitter.emit('change', { cause: 'confirmed', changes: confirmed.value });
    this.becomeLive();
  }

  private onNotice({ action, revision }: Notice): void {
    if (this.position && revision > this.position.revision) this.position = { ...this.position, revision };
    this.port.emitter.emit('notice', { action, revision });
  }

  private onDeleted({ room, epoch, revision }: Deleted): void {
    this.port.onEnd(failure('epoch_changed', `Room '${room}' was deleted. Join it again to begin anew.`));
    this.port.emitter.emit('deleted', { epoch, revision });
  }

  private becomeLive(): void {
    if (this.phase === 'live' || this.phase === 'over') return;
    this.joinsInVain = 0;
    this.setPhase('live');
    if (this.at !== null) this.sendPresence();
    this.port.onLive();
  }

  private moveTo(to: Position): void {
    const from = this.position;
    this.position = to;
    if (!from || from.epoch === to.epoch || from.revision === 0) return;
    this.port.emitter.emit('reset', { from, to });
    this.port.onReset(to);
  }

  private sendPresence(): void {
    const { room, host } = this.port;
    host.send({ type: 'presence', room, on: this.at });
  }

  private setPhase(phase: Phase): void {
    const wasLive = this.isLive;
    this.phase = phase;
    if (wasLive !== this.isLive) this.port.emitter.emit('live', this.isLive);
  }
}
