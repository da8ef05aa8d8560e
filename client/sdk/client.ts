import { err, ok, type Result } from '../../shared/plan/result.ts';
import type { ServerMessage, Welcome } from '../../shared/protocol/server-message.ts';
import { Emitter } from './emitter.ts';
import type { Environment } from './environment.ts';
import { type ClientFailure, type FailureCode, failure, failureOf } from './failure.ts';
import { mutateOverHttp } from './http-mutation.ts';
import { Link, type LinkOptions, type LinkStatus } from './link.ts';
import { MutationIds } from './mutation-ids.ts';
import { MutationSender } from './mutation-sender.ts';
import { type ClientResult, Operations } from './operations.ts';
import { Requests } from './requests.ts';
import type { RoomView } from './room-view.ts';
import { RoomViews } from './room-views.ts';
import { type RoomsEvent, RoomsWatch } from './rooms-watch.ts';
import type { JoinOptions } from './view-events.ts';

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

/** The server could not read a whole frame: a client and a server that do not understand each other. */
const misunderstandings: ReadonlySet<FailureCode> = new Set(['bad_frame', 'bad_message', 'too_large', 'too_deep']);

/**
 * One client of one server, over one connection that is made anew when it goes. Nothing here throws for what a server
 * or a network does: it is told in a Result, and everything that waits is answered at the latest by `close`.
 */
export class PlanroomClient extends Operations {
  private readonly options: ClientOptions;
  private readonly emitter = new Emitter<ClientEvents>();
  private readonly link: Link;
  private readonly sender: MutationSender;
  private readonly requests: Requests;
  private readonly roomsWatch: RoomsWatch;
  private readonly views: RoomViews;
  private readonly firstTry: ClientResult<Welcome>;
  private settleFirstTry: (result: Result<Welcome, ClientFailure>) => void = () => undefined;
  private welcome: Welcome | undefined;
  private sequence = 0;
  /** Why there is no connection. */
  private connectionFailure: ClientFailure | undefined;
  private over: ClientFailure | undefined;

  /** @internal Clients are made by `connect`. */
  constructor(options: ClientOptions) {
    super();
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
      sources: () => this.views.sources(),
      isOpen: () => this.link.status === 'open',
      sendText: (text) => this.link.sendText(text),
      sendOverHttp: (pending) => mutateOverHttp(options.httpUrl, this.actor, pending, environment),
      environment,
    });
    this.requests = new Requests((message) => {
      this.link.send(message);
      return this.link.status === 'open';
    });
    this.roomsWatch = new RoomsWatch((message) => this.link.send(message), environment);
    this.views = new RoomViews({
      environment,
      ids: new MutationIds(environment.newIdPrefix()),
      actor: () => this.actor ?? '',
      nextSequence: () => {
        this.sequence += 1;
        return this.sequence;
      },
      send: (message) => this.link.send(message),
      isOpen: () => this.link.status === 'open',
      connectionFailure: () => this.connectionFailure,
      wake: () => this.sender.wake(),
    });
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

  /**
   * How the first try to connect went; it takes ten seconds at most. After a failure the client goes on trying, as its
   * back-off says: by default for ever.
   */
  opened(): ClientResult<Welcome> {
    return this.firstTry;
  }

  /**
   * The view of a room, once it is up to date for the first time. By default this waits for a connection as long as the
   * client tries to make one, for ever while no server is there: `timeoutMs` bounds this one wait, `backOff.attemptsMax`
   * of `connect` all of them; either ends it with `unreachable`. A room is joined once: asked again, the same view
   * comes, whatever the other options. A name that was never used is an empty room.
   */
  join(room: string, options: JoinOptions = {}): ClientResult<RoomView> {
    return this.over ? Promise.resolve(err(this.over)) : this.views.join(room, options);
  }

  /** Tells the list of rooms at once, after each reconnect, and each room that appears, changes or goes. */
  watchRooms(listener: (event: RoomsEvent) => void): () => void {
    return this.roomsWatch.add(listener);
  }

  /** Ends the client. Everything without an answer ends with the failure `closed`: it may have taken effect or not. */
  close(): void {
    this.link.close(failure('closed', 'The client was closed before the answer came.'));
  }

  protected async ask<T>(type: 'read' | 'call', operation: string, input: Record<string, unknown>): ClientResult<T> {
    if (this.over) return err(this.over);
    const result = await this.requests.ask(type, operation, input);
    return result as Result<T, ClientFailure>;
  }

  private onStatus(status: LinkStatus, reason: ClientFailure | undefined): void {
    if (reason) this.settleFirstTry(err(reason));
    if (reason || status === 'open') this.connectionFailure = reason;
    if (status === 'over' && reason) {
      this.over = reason;
      this.sender.stop();
      // Of calls on their way nobody knows whether they had an effect; `closed` says so itself.
      if (reason.code !== 'closed') this.requests.connectionLost();
      this.requests.end(reason);
      this.roomsWatch.end();
      this.views.end(reason);
    }
    this.emitter.emit('status', { status, failure: reason });
  }

  private onWelcome(welcome: Welcome): void {
    this.welcome = welcome;
    this.settleFirstTry(ok(welcome));
    this.requests.connected();
    this.roomsWatch.connected();
    this.views.connected();
    this.sender.connected(welcome.limits);
  }

  private onLost(): void {
    this.requests.connectionLost();
    this.views.connectionLost();
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
        this.views.receive(message.room, message);
        break;
      case 'snapshot':
        this.views.receive(message.plan.room, message);
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

  /** What was refused without having an id says what it was: a join its room, a watch its type. */
  private onComplaint(complaint: ClientFailure): void {
    const { code, facts: { type, room } = {} } = complaint;
    if (misunderstandings.has(code)) {
      // Which requests were in the frame nobody can tell, so none of them may wait for an answer.
      this.link.close(complaint);
      return;
    }
    if (type === 'watch') {
      this.roomsWatch.refused();
    } else if (code === 'rate_limited') {
      this.roomsWatch.refused();
      this.views.joinFailed(complaint);
    } else if (typeof room === 'string' && code !== 'not_joined') {
      this.views.joinFailed(complaint, room);
    }
    this.emitter.emit('complaint', complaint);
  }
}
