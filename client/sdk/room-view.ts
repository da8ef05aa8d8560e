import { defaultPolicy, emptyDocument, type Snapshot } from '../../shared/plan/model.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { assertNever, err, ok, type Result } from '../../shared/plan/result.ts';
import type {
  Changes,
  Deleted,
  Joined,
  Notice,
  PresenceMessage,
  SnapshotMessage,
} from '../../shared/protocol/server-message.ts';
import { acceptMutation } from './accept-mutation.ts';
import { backOffDelayMs } from './back-off.ts';
import { Emitter } from './emitter.ts';
import { type ClientFailure, failure } from './failure.ts';
import type { MutationSource } from './mutation-sender.ts';
import { OptimisticPlan, type Position } from './optimistic-plan.ts';
import { type MutationResult, type PendingMutation, PendingMutations } from './pending-mutations.ts';
import { PlanMutations } from './plan-mutations.ts';
import type { JoinOptions, ViewEvents } from './view-events.ts';
import type { ViewHost } from './view-host.ts';

export type RoomMessage = Joined | SnapshotMessage | Changes | Notice | Deleted | PresenceMessage;

/** Mutations of one room that wait for their answer; more are refused with `overloaded`. Each is replayed per Change. */
export const pendingPerRoomMax = 10_000;

/**
 * `away`: without connection, or waiting to ask again. `joining`: asked. `catching-up`: what is missing is on its way.
 * `live`: up to date. `over`: left, deleted or closed.
 */
type Phase = 'away' | 'joining' | 'catching-up' | 'live' | 'over';

/**
 * One room as this client sees it: the confirmed plan with this client's pending mutations on top. It outlives
 * connections: after a reconnect only what was missed is fetched, and what is pending is sent again under its old id,
 * so that each mutation takes effect exactly once.
 */
export class RoomView extends PlanMutations implements MutationSource {
  readonly room: string;
  readonly mode: 'delta' | 'notice';
  private readonly host: ViewHost;
  private readonly wantsPresence: boolean;
  private readonly emitter = new Emitter<ViewEvents>();
  private readonly optimistic: OptimisticPlan;
  private readonly pending = new PendingMutations();
  private readonly joined: Promise<Result<RoomView, ClientFailure>>;
  private settleJoined: (result: Result<RoomView, ClientFailure>) => void = () => undefined;
  private phase: Phase = 'away';
  private position: Position | undefined;
  private joinsInVain = 0;
  private cancelRetry: () => void = () => undefined;
  private at: string | null = null;
  private ending: ClientFailure | undefined;

  /** @internal Views are made by `client.join`. */
  constructor(room: string, { mode = 'delta', presence = false }: JoinOptions, host: ViewHost) {
    super();
    this.room = room;
    this.mode = mode;
    this.wantsPresence = presence;
    this.host = host;
    this.optimistic = new OptimisticPlan(emptySnapshot(room, ''), host.environment.newUid);
    this.joined = new Promise((resolve) => {
      this.settleJoined = resolve;
    });
  }

  /**
   * The plan as it will be if everything pending is accepted. Read it, never write to it. The object stays the same until
   * a `change` with the cause `snapshot`. Its revision counts pending mutations; a `base` is `confirmed.revision`. A
   * document over the broadcast limit is here as its size only: `client.document` reads it. Empty in notice mode.
   */
  get plan(): Plan {
    return this.optimistic.plan;
  }

  /** How far the server's plan is known. */
  get confirmed(): Position {
    return this.position ?? this.optimistic.confirmed;
  }

  /** Mutations without an answer. */
  get pendingCount(): number {
    return this.pending.count;
  }

  get isLive(): boolean {
    return this.phase === 'live';
  }

  /** Calls back at each such event until the function it returns is called. */
  on<Name extends keyof ViewEvents>(name: Name, listener: (event: ViewEvents[Name]) => void): () => void {
    return this.emitter.on(name, listener);
  }

  /**
   * Shows the mutation in `plan` at once, if the rules let it through, and asks the server for it. The answer is an Ack
   * when it is on the server's disk, else why it is not: a Rejection, a failure of the store, or `closed` when the view
   * or the client ended first. While the server is too busy it is asked again; a lost connection only takes time.
   */
  mutate(mutation: Mutation): Promise<MutationResult> {
    if (this.ending) return Promise.resolve(err(this.ending));
    if (this.pending.count >= pendingPerRoomMax) {
      return Promise.resolve(err(failure('overloaded', `${pendingPerRoomMax} mutations of this room wait already.`)));
    }
    const { environment, ids, nextSequence, actor } = this.host;
    const accepted = acceptMutation(mutation, environment.newUid);
    if (!accepted.ok) return Promise.resolve(accepted);
    return new Promise((settle) => {
      const id = ids.next();
      this.pending.add({
        id,
        sequence: nextSequence(),
        room: this.room,
        mutation: accepted.value,
        refusals: 0,
        settle,
        ...this.currentEpoch(),
      });
      if (this.mode === 'delta') {
        const at = new Date(environment.nowMs()).toISOString();
        this.optimistic.add({ mutationId: id, mutation: accepted.value, at, actor: actor() });
        this.emitter.emit('change', { cause: 'mutation', changes: [] });
      }
      this.host.wake();
    });
  }

  /** Says what this client is at, such as a task id, to those who listen for presence. Kept over reconnects. */
  setPresence(on: string | null): void {
    this.at = on;
    if (this.phase === 'live') this.sendPresence();
  }

  /** Ends the view. Mutations without an answer end with the failure `closed`. */
  leave(): void {
    if (this.phase === 'joining' || this.phase === 'catching-up' || this.phase === 'live') {
      this.host.send({ type: 'leave', room: this.room });
    }
    this.end(failure('closed', `Room '${this.room}' was left before the answer came.`));
  }

  /** @internal The answer of `client.join`: the view, when it is live for the first time. */
  whenJoined(): Promise<Result<RoomView, ClientFailure>> {
    return this.joined;
  }

  /** @internal Asks to join, from where this view stands. */
  connected(): void {
    if (this.phase === 'over' || !this.host.isOpen()) return;
    this.setPhase('joining');
    const { position } = this;
    // A position that led into a gap more than once is not worth another try: without it the snapshot comes.
    const since = position && this.joinsInVain < 2 ? position : undefined;
    this.host.send({
      type: 'join',
      room: this.room,
      mode: this.mode,
      ...(this.wantsPresence && { presence: true }),
      ...(since && { since }),
    });
  }

  /** @internal */
  connectionLost(): void {
    if (this.phase !== 'over') this.setPhase('away');
  }

  /** @internal */
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
        this.emitter.emit('presence', { present: message.present, more: message.more });
        break;
      default:
        assertNever(message);
    }
  }

  /** @internal The server refused to join, or could not. */
  joinFailed(reason: ClientFailure): void {
    if (this.phase !== 'joining') return;
    if (this.position === undefined && reason.code !== 'rate_limited') {
      this.end(reason);
      return;
    }
    this.setPhase('away');
    this.cancelRetry();
    const { environment } = this.host;
    this.joinsInVain += 1;
    const delayMs = backOffDelayMs(this.joinsInVain, environment.random);
    this.cancelRetry = environment.setTimer(() => this.connected(), delayMs);
  }

  /** @internal */
  nextMutation(): PendingMutation | undefined {
    if (this.phase !== 'live') return undefined;
    const pending = this.pending.takeUnsent();
    // Once the room has a history the mutation is for that one, and not for another of the same name.
    if (pending && pending.epoch === undefined) Object.assign(pending, this.currentEpoch());
    return pending;
  }

  /** @internal */
  putBack(again: readonly PendingMutation[]): void {
    this.pending.putBack(again);
  }

  /** @internal */
  settle({ id }: PendingMutation, result: MutationResult): void {
    const pending = this.pending.remove(id);
    if (!pending) return;
    const changed = result.ok
      ? this.optimistic.acknowledge(id, result.value.revision)
      : this.optimistic.drop(new Set([id]));
    pending.settle(result);
    if (!result.ok) this.emitter.emit('rejected', { mutation: pending.mutation, failure: result.error });
    if (changed) this.emitter.emit('change', { cause: 'withdrawn', changes: [] });
  }

  /** @internal Ends the view; whatever waits is answered with the reason. */
  end(reason: ClientFailure): void {
    if (this.phase === 'over') return;
    this.setPhase('over');
    this.ending = reason;
    this.cancelRetry();
    this.host.onOver();
    this.settleJoined(err(reason));
    this.giveUp(() => true, reason);
  }

  private onJoined(message: Joined): void {
    if (this.phase !== 'joining') return;
    const { epoch, revision, resume } = message;
    if (this.mode === 'notice') {
      const missed = this.position !== undefined && resume !== 'current';
      this.moveTo({ epoch, revision });
      this.becomeLive();
      if (missed) this.emitter.emit('notice', { action: 'resume', revision });
    } else if (resume === 'current') {
      this.becomeLive();
    } else {
      this.setPhase('catching-up');
    }
  }

  private onSnapshot({ plan }: SnapshotMessage): void {
    if (this.phase !== 'catching-up' && this.phase !== 'live') return;
    this.optimistic.reset(plan);
    this.moveTo({ epoch: plan.epoch, revision: plan.revision });
    this.emitter.emit('change', { cause: 'snapshot', changes: [] });
    this.becomeLive();
  }

  private onChanges({ epoch, changes }: Changes): void {
    if (this.phase !== 'catching-up' && this.phase !== 'live') return;
    const confirmed = this.optimistic.confirm(epoch, changes);
    if (!confirmed.ok) {
      this.joinsInVain += 1;
      this.connected();
      return;
    }
    this.position = this.optimistic.confirmed;
    if (confirmed.value.length > 0) this.emitter.emit('change', { cause: 'confirmed', changes: confirmed.value });
    this.becomeLive();
  }

  private onNotice({ action, revision }: Notice): void {
    if (this.position && revision > this.position.revision) this.position = { ...this.position, revision };
    this.emitter.emit('notice', { action, revision });
  }

  private onDeleted({ epoch, revision }: Deleted): void {
    this.end(failure('epoch_changed', `Room '${this.room}' was deleted. Join it again to begin anew.`));
    this.emitter.emit('deleted', { epoch, revision });
  }

  private becomeLive(): void {
    if (this.phase === 'live' || this.phase === 'over') return;
    this.joinsInVain = 0;
    this.setPhase('live');
    if (this.at !== null) this.sendPresence();
    this.settleJoined(ok(this));
    this.host.wake();
  }

  /** Takes over a position; what was made for another history of the room can take no effect any more. */
  private moveTo(to: Position): void {
    const from = this.position;
    this.position = to;
    if (!from || from.epoch === to.epoch || from.revision === 0) return;
    this.emitter.emit('reset', { from, to });
    const message = `Room '${this.room}' was deleted and made anew while you were away.`;
    this.giveUp(
      ({ epoch }) => epoch !== undefined && epoch !== to.epoch,
      failure('epoch_changed', message, { current: to }),
    );
  }

  private giveUp(matches: (pending: PendingMutation) => boolean, reason: ClientFailure): void {
    const given = this.pending.removeWhere(matches);
    if (given.length === 0) return;
    const changed = this.optimistic.drop(new Set(given.map(({ id }) => id)));
    if (changed) this.emitter.emit('change', { cause: 'withdrawn', changes: [] });
    for (const pending of given) {
      this.host.forget(pending.id);
      pending.settle(err(reason));
      this.emitter.emit('rejected', { mutation: pending.mutation, failure: reason });
    }
  }

  private currentEpoch(): { readonly epoch?: string } {
    const { epoch, revision } = this.confirmed;
    return revision > 0 ? { epoch } : {};
  }

  private sendPresence(): void {
    this.host.send({ type: 'presence', room: this.room, on: this.at });
  }

  private setPhase(phase: Phase): void {
    const wasLive = this.phase === 'live';
    this.phase = phase;
    if (wasLive !== (phase === 'live')) this.emitter.emit('live', phase === 'live');
  }
}

function emptySnapshot(room: string, epoch: string): Snapshot {
  return {
    room,
    epoch,
    revision: 0,
    updatedAt: '',
    policy: defaultPolicy,
    document: emptyDocument,
    groups: [],
    tasks: [],
  };
}
