import { defaultPolicy, emptyDocument, type Snapshot } from '../../shared/plan/model.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import { Emitter } from './emitter.ts';
import { type ClientFailure, failure } from './failure.ts';
import { FirstJoin } from './first-join.ts';
import { OptimisticPlan, type Position } from './optimistic-plan.ts';
import type { MutationResult } from './pending-mutations.ts';
import { PlanMutations } from './plan-mutations.ts';
import { RoomMutations } from './room-mutations.ts';
import { RoomSync } from './room-sync.ts';
import type { JoinOptions, ViewEvents } from './view-events.ts';
import type { ViewHost } from './view-host.ts';

/**
 * One room as this client sees it: the confirmed plan with this client's pending mutations on top. It outlives
 * connections: after a reconnect only what was missed is fetched, and what is pending is sent again under its old id,
 * so that each mutation takes effect exactly once.
 */
export class RoomView extends PlanMutations {
  readonly room: string;
  readonly mode: 'delta' | 'notice';
  /** @internal */
  readonly sync: RoomSync;
  /** @internal */
  readonly mutations: RoomMutations;
  private readonly host: ViewHost;
  private readonly emitter = new Emitter<ViewEvents>();
  private readonly optimistic: OptimisticPlan;
  private readonly firstJoin: FirstJoin<RoomView>;
  private ending: ClientFailure | undefined;

  /** @internal Views are made by `client.join`. */
  constructor(room: string, { mode = 'delta', presence = false }: JoinOptions, host: ViewHost) {
    super();
    this.room = room;
    this.mode = mode;
    this.host = host;
    this.optimistic = new OptimisticPlan(emptySnapshot(room), host.environment.newUid);
    this.firstJoin = new FirstJoin(room, host, () => this.leave());
    const { emitter, optimistic } = this;
    this.mutations = new RoomMutations({
      room,
      host,
      emitter,
      optimistic: mode === 'delta' ? optimistic : undefined,
      epoch: () => (this.confirmed.revision > 0 ? { epoch: this.confirmed.epoch } : {}),
      isLive: () => this.isLive,
    });
    this.sync = new RoomSync({
      room,
      mode,
      wantsPresence: presence,
      host,
      emitter,
      optimistic,
      onLive: () => this.onLive(),
      onReset: (to) => this.onReset(to),
      onEnd: (reason) => this.end(reason),
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
    return this.sync.confirmed;
  }

  /** Mutations without an answer. */
  get pendingCount(): number {
    return this.mutations.count;
  }

  get isLive(): boolean {
    return this.sync.isLive;
  }

  /** Calls back at each such event until the function it returns is called. */
  on<Name extends keyof ViewEvents>(name: Name, listener: (event: ViewEvents[Name]) => void): () => void {
    return this.emitter.on(name, listener);
  }

  /**
   * Shows the mutation in `plan` at once, if the rules let it through, and asks the server for it. The answer is an Ack
   * when it is on the server's disk, else why it is not: a Rejection, a failure of the store, `closed` when the view or
   * the client was closed first, and when the client gave up, `unreachable` for what was never sent and `unanswered` for
   * what was. While the server is too busy it is asked again; a lost connection only takes time.
   */
  mutate(mutation: Mutation): Promise<MutationResult> {
    if (this.ending) return Promise.resolve(err(this.ending));
    return this.mutations.ask(mutation);
  }

  /** Says what this client is at, such as a task id, to those who listen for presence. Kept over reconnects. */
  setPresence(on: string | null): void {
    this.sync.setPresence(on);
  }

  /** Ends the view. Mutations without an answer end with the failure `closed`. */
  leave(): void {
    this.sync.leave();
    this.end(failure('closed', `Room '${this.room}' was left before the answer came.`));
  }

  /** @internal The answer of `client.join`: the view, when it is live for the first time. */
  whenJoined(timeoutMs?: number): Promise<Result<RoomView, ClientFailure>> {
    return this.firstJoin.wait(timeoutMs);
  }

  /** @internal Ends the view; whatever waits is answered with the reason. */
  end(reason: ClientFailure): void {
    if (!this.sync.end()) return;
    this.ending = reason;
    this.host.onOver();
    this.firstJoin.settle(err(reason));
    this.mutations.giveUp(() => true, reason);
  }

  private onLive(): void {
    this.firstJoin.settle(ok(this));
    this.host.wake();
  }

  private onReset(to: Position): void {
    const message = `Room '${this.room}' was deleted and made anew while you were away.`;
    const reason = failure('epoch_changed', message, { current: to });
    this.mutations.giveUp(({ epoch }) => epoch !== undefined && epoch !== to.epoch, reason);
  }
}

function emptySnapshot(room: string): Snapshot {
  return {
    room,
    epoch: '',
    revision: 0,
    updatedAt: '',
    policy: defaultPolicy,
    document: emptyDocument,
    groups: [],
    tasks: [],
  };
}
