import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limits } from '../../../shared/plan/limits.ts';
import { assertNever } from '../../../shared/plan/result.ts';
import type { ClientMessage, ClientMessageOf } from '../../../shared/protocol/client-message.ts';
import { closeCodes } from '../../../shared/protocol/close-code.ts';
import { type DecodedMessage, decodeFrame } from '../../../shared/protocol/codec.ts';
import { type ErrorBody, errorKinds } from '../../../shared/protocol/error-code.ts';
import { protocolVersion } from '../../../shared/protocol/version.ts';
import { storeErrorBody } from '../../operations/errors.ts';
import type { Operation } from '../../operations/operation.ts';
import { runOperation } from '../../operations/registry.ts';
import type { Outcome } from '../../room/outcome.ts';
import { Outbox } from './outbox.ts';
import { RoomLink } from './room-link.ts';
import type { SessionEnvironment } from './session-environment.ts';
import { TokenBucket } from './token-bucket.ts';

/** One connection of one actor. Lives from the upgrade to the close; knows its joins and what it still owes an answer. */
export class Session {
  readonly id: string;
  readonly openedAtMs: number;
  private readonly environment: SessionEnvironment;
  private readonly webSocket: WebSocket;
  private readonly socket: Duplex;
  private readonly outbox: Outbox;
  private readonly bucket: TokenBucket;
  private readonly links = new Map<string, RoomLink>();
  private presenceRooms: Map<string, (() => void) | undefined> | undefined;
  private stopWatching: (() => void) | undefined;
  /** Absent until hello. */
  private actor: string | undefined;
  private mutationsInFlight = 0;
  private faults = 0;
  private bytesReadAtSweep = 0;
  private silentSweeps = 0;

  constructor(environment: SessionEnvironment, webSocket: WebSocket, socket: Duplex) {
    this.environment = environment;
    this.webSocket = webSocket;
    this.socket = socket;
    this.id = environment.newId();
    this.openedAtMs = environment.nowMs();
    this.outbox = new Outbox(webSocket, socket, environment.atEndOfTick);
    this.bucket = new TokenBucket(limits.messagesPerSecond, limits.messagesBurst, this.openedAtMs);
  }

  /** One frame of the client. */
  receive(data: Buffer, isBinary: boolean): void {
    if (this.webSocket.readyState !== this.webSocket.OPEN) return;
    if (isBinary) {
      this.fault({ code: 'bad_frame', message: 'The protocol is JSON in text frames; this was a binary frame.' });
      return;
    }
    const decoded = decodeFrame(data.toString('utf8'));
    if (!decoded.ok) {
      this.fault(decoded.error);
      return;
    }
    if (!this.bucket.take(decoded.value.length, this.environment.nowMs())) {
      this.refuseRate(decoded.value);
      return;
    }
    for (const message of decoded.value) {
      if (message.ok) this.handle(message.value);
      else this.faultOf(message.error);
    }
  }

  /** Looks after the connection once a heartbeat: hello in time, and a sign of life. */
  sweep(nowMs: number): void {
    if (this.actor === undefined && nowMs - this.openedAtMs > this.environment.helloTimeoutMs) {
      this.outbox.close(closeCodes.timeout, 'Say hello first; none came in time.');
      return;
    }
    const bytesRead = (this.socket as Duplex & { readonly bytesRead?: number }).bytesRead ?? 0;
    if (bytesRead !== this.bytesReadAtSweep) {
      this.bytesReadAtSweep = bytesRead;
      this.silentSweeps = 0;
      return;
    }
    this.silentSweeps += 1;
    // The first silent sweep asks; if nothing at all came by the next one, the other side is gone.
    if (this.silentSweeps === 1) this.webSocket.ping();
    else if (this.silentSweeps > 2) this.webSocket.terminate();
  }

  close(code: number, reason: string): void {
    this.outbox.close(code, reason);
  }

  /** The connection is gone: ends every join. */
  end(): void {
    for (const link of this.links.values()) link.end();
    this.links.clear();
    for (const room of this.presenceRooms?.keys() ?? []) this.leavePresence(room);
    this.stopWatching?.();
  }

  private handle(message: ClientMessage): void {
    if (message.type === 'hello') {
      this.onHello(message);
      return;
    }
    if (this.actor === undefined) {
      this.fault({ code: 'hello_required', message: `Send {"type":"hello","protocol":${protocolVersion}} first.` });
      this.outbox.close(closeCodes.protocolFault, 'The first message must be hello.');
      return;
    }
    switch (message.type) {
      case 'mutate':
        this.onMutate(message, this.actor);
        break;
      case 'join':
        this.onJoin(message, this.actor);
        break;
      case 'leave':
        this.onLeave(message);
        break;
      case 'presence':
        this.onPresence(message);
        break;
      case 'watch':
        this.onWatch();
        break;
      case 'unwatch':
        this.onUnwatch();
        break;
      case 'read':
      case 'call':
        this.onOperation(message, message.type, this.actor);
        break;
      case 'ping':
        this.outbox.send({ type: 'pong' });
        break;
      default:
        assertNever(message);
    }
  }

  private onHello(message: ClientMessageOf<'hello'>): void {
    if (this.actor !== undefined) {
      this.fault({ code: 'hello_repeated', message: 'hello comes once, as the first message.' });
      return;
    }
    if (message.protocol !== protocolVersion) {
      const text = `This server speaks version ${protocolVersion} of the protocol, not ${message.protocol}.`;
      this.fault({ code: 'unsupported_version', message: text, facts: { supported: [protocolVersion] } });
      this.outbox.close(closeCodes.refused, text);
      return;
    }
    this.actor = message.actor ?? 'guest';
    const { frameBytesMax, messagesPerFrameMax, mutationsInFlightPerSessionMax } = limits;
    const { heartbeatIntervalMs, serverName } = this.environment;
    this.outbox.send({
      type: 'welcome',
      protocol: protocolVersion,
      server: serverName,
      session: this.id,
      actor: this.actor,
      limits: { frameBytesMax, messagesPerFrameMax, mutationsInFlightPerSessionMax, heartbeatIntervalMs },
    });
  }

  private onMutate(message: ClientMessageOf<'mutate'>, actor: string): void {
    const { room, id, epoch, mutation } = message;
    if (this.mutationsInFlight >= limits.mutationsInFlightPerSessionMax) {
      const text = `At most ${limits.mutationsInFlightPerSessionMax} mutations of one connection may wait for their commit.`;
      this.reject(room, id, { code: 'overloaded', message: text });
      return;
    }
    this.mutationsInFlight += 1;
    const submission = { mutationId: id, mutation, actor, epoch };
    const joined = this.links.get(room)?.room;
    const answered =
      joined?.state === 'open' ? joined.submit(submission) : this.environment.rooms.submit(room, submission);
    void answered.then((outcome) => {
      this.mutationsInFlight -= 1;
      this.answer(room, id, outcome);
    });
  }

  private answer(room: string, id: string, outcome: Outcome): void {
    if (outcome.type !== 'ack') {
      this.reject(room, id, outcome.type === 'reject' ? outcome.rejection : storeErrorBody(outcome.error));
      return;
    }
    const { epoch, revision, nags, created, repeated } = outcome.ack;
    this.outbox.send({
      type: 'ack',
      room,
      id,
      epoch,
      revision,
      ...(nags.length > 0 && { nags }),
      ...(created.length > 0 && { created }),
      ...(repeated && { repeated }),
    });
  }

  private onJoin(message: ClientMessageOf<'join'>, actor: string): void {
    const { room, mode = 'delta', since, presence = false } = message;
    this.links.get(room)?.end();
    if (!this.links.has(room) && this.links.size >= limits.roomsPerSessionMax) {
      const text = `A connection may join ${limits.roomsPerSessionMax} rooms; leave one first.`;
      this.fail({
        code: 'too_many_rooms',
        message: text,
        facts: { room, roomsPerSessionMax: limits.roomsPerSessionMax },
      });
      return;
    }
    const { rooms, frames } = this.environment;
    const link = new RoomLink(room, mode, this.outbox, frames, (ended) => this.forget(ended));
    this.links.set(room, link);
    this.enterPresence(room, actor, presence);
    void rooms.subscribe(room, link, since).then((subscribed) => {
      if (subscribed.ok) return;
      this.forget(link);
      const body = storeErrorBody(subscribed.error);
      this.fail({ ...body, facts: { ...body.facts, room } });
    });
  }

  private onLeave(message: ClientMessageOf<'leave'>): void {
    const { room } = message;
    const link = this.links.get(room);
    if (!link) {
      this.fail({ code: 'not_joined', message: `This connection has not joined room '${room}'.`, facts: { room } });
      return;
    }
    link.end();
    this.forget(link);
    this.outbox.send({ type: 'left', room });
  }

  private onPresence(message: ClientMessageOf<'presence'>): void {
    const { room, on } = message;
    if (this.links.has(room)) this.environment.presence.update(room, this.id, on);
    else
      this.fail({
        code: 'not_joined',
        message: `Join room '${room}' before you say what you are at.`,
        facts: { room },
      });
  }

  private onWatch(): void {
    this.stopWatching ??= this.environment.roomList.watch(this.outbox);
  }

  private onUnwatch(): void {
    this.stopWatching?.();
    this.stopWatching = undefined;
  }

  private onOperation(message: ClientMessageOf<'read' | 'call'>, kind: Operation['kind'], actor: string): void {
    const { rooms, newId } = this.environment;
    const { id, operation, input = {} } = message;
    void runOperation(operation, kind, input, { rooms, actor, newId }).then((result) => {
      if (result.ok) this.outbox.send({ type: 'result', id, value: result.value });
      else this.fail(result.error, id);
    });
  }

  private enterPresence(room: string, actor: string, listen: boolean): void {
    const { presence, now } = this.environment;
    if (this.presenceRooms?.has(room)) this.leavePresence(room);
    presence.enter(room, { session: this.id, actor, since: now(), on: null });
    this.presenceRooms ??= new Map();
    const stop = listen
      ? presence.subscribe(room, (_room, present, more) => this.outbox.send({ type: 'presence', room, present, more }))
      : undefined;
    this.presenceRooms.set(room, stop);
  }

  private leavePresence(room: string): void {
    this.presenceRooms?.get(room)?.();
    this.presenceRooms?.delete(room);
    this.environment.presence.leave(room, this.id);
  }

  /** A join that is over, unless a newer one of the same room took its place. */
  private forget(link: RoomLink): void {
    if (this.links.get(link.name) !== link) return;
    this.links.delete(link.name);
    this.leavePresence(link.name);
  }

  private refuseRate(messages: readonly DecodedMessage[]): void {
    const { messagesPerSecond, messagesBurst } = limits;
    const body: ErrorBody = {
      code: 'rate_limited',
      message: `At most ${messagesPerSecond} messages a second are taken, ${messagesBurst} at once. None of this frame was.`,
      facts: { messagesPerSecond, messagesBurst },
    };
    for (const message of messages) {
      if (message.ok && message.value.type === 'mutate') this.reject(message.value.room, message.value.id, body);
      else if (message.ok && 'id' in message.value) this.fail(body, message.value.id);
    }
    this.fault(body);
  }

  private faultOf(fault: ErrorBody & { readonly id?: string; readonly room?: string; readonly type?: string }): void {
    const { id, room, type, code, message } = fault;
    if (type === 'mutate' && id !== undefined && room !== undefined) {
      this.reject(room, id, { code, message });
      this.countFault(code);
    } else {
      this.fault({ code, message }, id);
    }
  }

  private reject(room: string, id: string, body: ErrorBody): void {
    this.outbox.send({ type: 'reject', room, id, ...body, retryable: errorKinds[body.code].retryable });
  }

  private fail(body: ErrorBody, id?: string): void {
    const retryable = errorKinds[body.code].retryable;
    this.outbox.send({ type: 'error', ...(id !== undefined && { id }), ...body, retryable });
  }

  /** Answers a breach of the protocol; too many of them end the connection. */
  private fault(body: ErrorBody, id?: string): void {
    this.fail(body, id);
    this.countFault(body.code);
  }

  private countFault(code: ErrorBody['code']): void {
    this.faults += 1;
    if (this.faults <= limits.faultsPerSessionMax) return;
    const rate = code === 'rate_limited';
    this.outbox.close(rate ? closeCodes.rateLimited : closeCodes.protocolFault, `Too many faults, the last: ${code}.`);
  }
}
