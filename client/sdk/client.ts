import type { Change } from '../../shared/plan/change.ts';
import type { PlanDocument, Snapshot } from '../../shared/plan/model.ts';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import { isRoomName, roomNameRule } from '../../shared/protocol/names.ts';
import type { Rooms, ServerMessage, Welcome } from '../../shared/protocol/server-message.ts';
import { Emitter } from './emitter.ts';
import type { Environment } from './environment.ts';
import { type ClientFailure, type FailureCode, failure, failureOf } from './failure.ts';
import { mutateOverHttp } from './http-mutation.ts';
import { Link, type LinkOptions, type LinkStatus } from './link.ts';
import { MutationIds } from './mutation-ids.ts';
import { MutationSender } from './mutation-sender.ts';
import { Requests } from './requests.ts';
import { RoomView } from './room-view.ts';
import { type RoomsEvent, RoomsWatch } from './rooms-watch.ts';
import type { JoinOptions } from './view-events.ts';
import type { ViewHost } from './view-host.ts';

export interface ClientEvents {
  /** The connection: `failure` says why it is not open, where that is known. */
  readonly status: { readonly status: LinkStatus; readonly failure: ClientFailure | undefined };
  /** The server complained about something that nobody waits for. */
  readonly complaint: ClientFailure;
}

export interface ClientOptions {
  readonly link: LinkOptions;
  readonly httpUrl: string;
  readonly environment: Environment;
}

export type ClientResult<T> = Promise<Result<T, ClientFailure>>;

/** Changes after a revision, oldest first. */
export interface ChangesRead {
  readonly room: string;
  readonly epoch: string;
  /** Where the room stands. */
  readonly revision: number;
  readonly changes: readonly Change[];
  /** There are further ones to ask for. */
  readonly more: boolean;
}

/** The server could not read a whole frame: a client and a server that do not understand each other. */
const misunderstandings: ReadonlySet<FailureCode> = new Set(['bad_frame', 'bad_message', 'too_large', 'too_deep']);

/**
 * One client of one server, over one connection that is made anew when it goes. Nothing here throws for what a server
 * or a network does: it is told in a Result, and everything that waits is answered at the latest by `close`.
 */
export class PlanroomClient {
  private readonly options: ClientOptions;
  private readonly emitter = new Emitter<ClientEvents>();
  private readonly link: Link;
  private readonly sender: MutationSender;
  private readonly requests: Requests;
  private readonly roomsWatch: RoomsWatch;
  private readonly views = new Map<string, RoomView>();
  private readonly host: Omit<ViewHost, 'onOver'>;
  private readonly firstTry: ClientResult<Welcome>;
  private settleFirstTry: (result: Result<Welcome, ClientFailure>) => void = () => undefined;
  private welcome: Welcome | undefined;
  private sequence = 0;
  private over: ClientFailure | undefined;

  /** @internal Clients are made by `connect`. */
  constructor(options: ClientOptions) {
    this.options = options;
    const { environment, link } = options;
    this.firstTry = new Promise((resolve) => {
      this.settleFirstTry = resolve;
    });
    this.link = new Link(link, {
      onStatus: (status, reason) => this.onStatus(status, reason),
      onWelcome: (welcome) => this.onWelcome(welcome),
      onMessages: (messages) => this.onMessages(messages),
      onLost: () => this.onLost(),
    });
    this.sender = new MutationSender({
      sources: () => this.views.values(),
      isOpen: () => this.link.status === 'open',
      sendText: (text) => this.link.sendText(text),
      sendOverHttp: (pending) => mutateOverHttp(options.httpUrl, this.actor, pending, environment),
      environment,
    });
    this.requests = new Requests((message) => {
      this.link.send(message);
      return this.link.status === 'open';
    });
    this.roomsWatch = new RoomsWatch((message) => this.link.send(message));
    this.host = {
      environment,
      ids: new MutationIds(environment.newIdPrefix()),
      actor: () => this.actor ?? '',
      nextSequence: () => {
        this.sequence += 1;
        return this.sequence;
      },
      send: (message) => this.link.send(message),
      isOpen: () => this.link.status === 'open',
      wake: () => this.sender.wake(),
      forget: (mutationId) => this.sender.forget(mutationId),
    };
  }

  /** Name by which the server knows this client; what was asked for until the server said it. */
  get actor(): string | undefined {
    return this.welcome?.actor ?? this.options.link.introduction.actor;
  }

  get status(): LinkStatus {
    return this.link.status;
  }

  /** Calls back at each such event until the function it returns is called. */
  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void {
    return this.emitter.on(name, listener);
  }

  /** How the first try to connect went. After a failure the client goes on trying, as its back-off says. */
  opened(): ClientResult<Welcome> {
    return this.firstTry;
  }

  /**
   * The view of a room, once it is up to date for the first time; waits for a connection if need be. A room is joined
   * once: asked again, the same view comes, whatever the options. A name that was never used is an empty room.
   */
  join(room: string, options: JoinOptions = {}): ClientResult<RoomView> {
    const known = this.views.get(room);
    if (known) return known.whenJoined();
    if (this.over) return Promise.resolve(err(this.over));
    if (!isRoomName(room)) return Promise.resolve(err(failure('bad_room_name', `'${room}': ${roomNameRule}.`)));
    const view = new RoomView(room, options, { ...this.host, onOver: () => this.forgetView(view) });
    this.views.set(room, view);
    view.connected();
    return view.whenJoined();
  }

  /** All rooms, and warnings about those that cannot be read. */
  rooms(): ClientResult<Pick<Rooms, 'rooms' | 'warnings'>> {
    return this.ask('read', 'rooms.list', {});
  }

  /** Tells the list of rooms at once, after each reconnect, and each room that appears, changes or goes. */
  watchRooms(listener: (event: RoomsEvent) => void): () => void {
    return this.roomsWatch.add(listener);
  }

  /** The whole plan as the server has it, document body included. `room_not_found` when nothing was ever written. */
  snapshot(room: string): ClientResult<Snapshot> {
    return this.ask('read', 'room.snapshot', { room });
  }

  /** The document with its whole body. Its revision is 0 while the plan has none. */
  async document(room: string): ClientResult<PlanDocument> {
    const read = await this.snapshot(room);
    return read.ok ? ok(read.value.document) : read;
  }

  changes(room: string, since: number, limit?: number): ClientResult<ChangesRead> {
    return this.ask('read', 'room.changes', { room, since, ...(limit !== undefined && { limit }) });
  }

  /** Deletes the room with its history; with `revision` only if it stands there (`conflict` else). */
  deleteRoom(
    room: string,
    revision?: number,
  ): ClientResult<{ readonly deleted: string; readonly epoch: string; readonly revision: number }> {
    return this.ask('call', 'room.delete', { room, ...(revision !== undefined && { revision }) });
  }

  /** Ends the client. Everything without an answer ends with the failure `closed`: it may have taken effect or not. */
  close(): void {
    this.link.close(failure('closed', 'The client was closed before the answer came.'));
  }

  private async ask<T>(type: 'read' | 'call', operation: string, input: Record<string, unknown>): ClientResult<T> {
    if (this.over) return err(this.over);
    const result = await this.requests.ask(type, operation, input);
    return result as Result<T, ClientFailure>;
  }

  private onStatus(status: LinkStatus, reason: ClientFailure | undefined): void {
    if (reason) this.settleFirstTry(err(reason));
    if (status === 'over' && reason) {
      this.over = reason;
      this.sender.stop();
      this.requests.end(reason);
      for (const view of [...this.views.values()]) view.end(reason);
    }
    this.emitter.emit('status', { status, failure: reason });
  }

  private onWelcome(welcome: Welcome): void {
    this.welcome = welcome;
    this.settleFirstTry(ok(welcome));
    this.requests.connected();
    this.roomsWatch.connected();
    for (const view of this.views.values()) view.connected();
    this.sender.connected(welcome.limits);
  }

  private onLost(): void {
    this.requests.connectionLost();
    for (const view of this.views.values()) view.connectionLost();
    this.sender.connectionLost();
  }

  private onMessages(messages: readonly ServerMessage[]): void {
    for (const message of messages) this.onMessage(message);
  }

  private onMessage(message: ServerMessage): void {
    switch (message.type) {
      case 'joined':
      case 'changes':
      case 'notice':
      case 'deleted':
      case 'presence':
        this.views.get(message.room)?.receive(message);
        break;
      case 'snapshot':
        this.views.get(message.plan.room)?.receive(message);
        break;
      case 'ack': {
        const { room, id, epoch, revision, nags = [], created = [], repeated = false } = message;
        this.sender.answer(id, ok({ room, epoch, revision, nags, created, repeated }));
        break;
      }
      case 'reject':
        this.sender.answer(message.id, err(failureOf(message)));
        break;
      case 'rooms':
      case 'room':
        this.roomsWatch.receive(message);
        break;
      case 'result':
        this.requests.answer(message);
        break;
      case 'error':
        if (!this.requests.answer(message)) this.onComplaint(failureOf(message));
        break;
      default:
      // `left`, and whatever a newer server may say.
    }
  }

  /** A join that failed names its room; the rest is about the connection. */
  private onComplaint(complaint: ClientFailure): void {
    if (misunderstandings.has(complaint.code)) {
      // Which requests were in the frame nobody can tell, so none of them may wait for an answer.
      this.link.close(complaint);
      return;
    }
    const room = complaint.facts?.room;
    if (complaint.code === 'rate_limited') {
      for (const view of [...this.views.values()]) view.joinFailed(complaint);
    } else if (typeof room === 'string' && complaint.code !== 'not_joined') {
      this.views.get(room)?.joinFailed(complaint);
    }
    this.emitter.emit('complaint', complaint);
  }

  private forgetView(view: RoomView): void {
    if (this.views.get(view.room) === view) this.views.delete(view.room);
  }
}
