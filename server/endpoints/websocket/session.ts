import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { limits } from '../../../shared/plan/limits.ts';
import { assertNever } from '../../../shared/plan/result.ts';
import type { ClientMessage, ClientMessageOf } from '../../../shared/protocol/client-message.ts';
import { closeCodes } from '../../../shared/protocol/close-code.ts';
import { type DecodedMessage, decodeFrame } from '../../../shared/protocol/codec.ts';
import { type ErrorBody, errorKinds } from '../../../shared/protocol/error-code.ts';
import { protocolVersion } from '../../../shared/protocol/version.ts';
import { outcomeResult, storeErrorBody } from '../../operations/errors.ts';
import { runOperation } from '../../operations/registry.ts';
import type { Outcome } from '../../room/outcome.ts';
import { LargeAnswers } from './large-answers.ts';
import { Outbox } from './outbox.ts';
import { RoomJoins } from './room-joins.ts';
import type { SessionEnvironment } from './session-environment.ts';
import { TokenBucket } from './token-bucket.ts';

const { mutationsInFlightPerSessionMax } = limits;

const tooManyInFlight: ErrorBody = {
  code: 'overloaded',
  message: `At most ${mutationsInFlightPerSessionMax} mutations of one connection may wait for their commit.`,
  facts: { mutationsInFlightPerSessionMax },
};

const tooManyWait: ErrorBody = { code: 'overloaded', message: 'Too many joins and reads of this connection wait.' };

/** One connection of one actor. Lives from the upgrade to the close; knows its joins and what it still owes an answer. */
export class Session {
  readonly id: string;
  readonly environment: SessionEnvironment;
  readonly outbox: Outbox;
  readonly largeAnswers: LargeAnswers;
  private readonly webSocket: WebSocket;
  private readonly socket: Duplex;
  private readonly openedAtMs: number;
  private readonly bucket: TokenBucket;
  private readonly joins: RoomJoins;
  private watching: AbortController | undefined;
  /** Absent until hello. */
  private actor: string | undefined;
  /** Mutations and other calls without an answer. */
  private callsInFlight = 0;
  private faults = 0;
  private bytesReadAtSweep = 0;
  private heardAtMs: number;
  private pinged = false;

  constructor(environment: SessionEnvironment, webSocket: WebSocket, socket: Duplex) {
    this.environment = environment;
    this.webSocket = webSocket;
    this.socket = socket;
    this.id = environment.newId();
    this.openedAtMs = environment.nowMs();
    this.heardAtMs = this.openedAtMs;
    this.outbox = new Outbox(webSocket, socket, environment.atEndOfTick);
    this.largeAnswers = new LargeAnswers(this.outbox, environment.largeSlots, this.crash);
    this.joins = new RoomJoins(this);
    this.bucket = new TokenBucket(limits.messagesPerSecond, limits.messagesBurst, this.openedAtMs);
  }

  /** One frame of the client. */
  receive(data: Buffer, isBinary: boolean): void {
    if (!this.isOpen) return;
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
      // An earlier message may have ended the connection: what comes after it has no effect.
      if (!this.isOpen) return;
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
      this.heardAtMs = nowMs;
      this.pinged = false;
      return;
    }
    const silentMs = nowMs - this.heardAtMs;
    if (silentMs >= 2 * this.environment.heartbeatIntervalMs) {
      this.webSocket.terminate();
    } else if (silentMs >= this.environment.heartbeatIntervalMs && !this.pinged) {
      this.pinged = true;
      this.webSocket.ping();
    }
  }

  close(code: number, reason: string): void {
    this.outbox.close(code, reason);
  }

  /** The connection is gone: ends every join. */
  end(): void {
    this.largeAnswers.stop();
    this.joins.endAll();
    this.watching?.abort();
  }

  /** A bug of ours: it is told to the log, and costs this connection, never the process. */
  readonly crash = (error: unknown): void => {
    this.environment.onFault(error);
    this.outbox.close(closeCodes.internal, 'A fault of the server; it is logged there.');
  };

  private get isOpen(): boolean {
    return this.webSocket.readyState === this.webSocket.OPEN;
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
        this.joins.join(message, this.actor);
        break;
      case 'leave':
        this.joins.leave(message);
        break;
      case 'presence':
        this.joins.updatePresence(message);
        break;
      case 'watch':
        this.onWatch();
        break;
      case 'unwatch':
        this.onUnwatch();
        break;
      case 'read':
        this.onRead(message, this.actor);
        break;
      case 'call':
        this.onCall(message, this.actor);
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
    const { frameBytesMax, messagesPerFrameMax } = limits;
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
    if (this.callsInFlight >= mutationsInFlightPerSessionMax) {
      this.reject(room, id, tooManyInFlight);
      return;
    }
    this.callsInFlight += 1;
    const submission = { mutationId: id, mutation, actor, epoch };
    const joined = this.joins.room(room);
    const answered =
      joined?.state === 'open' ? joined.submit(submission) : this.environment.rooms.submit(room, submission);
    answered.then((outcome) => {
      this.callsInFlight -= 1;
      this.answer(room, id, outcome);
    }, this.crash);
  }

  private answer(room: string, id: string, outcome: Outcome): void {
    const result = outcomeResult(outcome);
    if (!result.ok) {
      this.reject(room, id, result.error);
      return;
    }
    const { epoch, revision, nags, created, repeated } = result.value;
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

  private onWatch(): void {
    if (this.watching) return;
    const watching = new AbortController();
    this.watching = watching;
    const taken = this.largeAnswers.add(async () => {
      if (watching.signal.aborted) return;
      const listed = await this.environment.roomList.watch(this.outbox, watching.signal);
      if (listed.ok || watching.signal.aborted) return;
      this.watching = undefined;
      this.failWatch(storeErrorBody(listed.error));
    });
    if (taken) return;
    this.watching = undefined;
    this.failWatch(tooManyWait);
  }

  /** A watch has neither id nor room: the error says which message it answers. */
  private failWatch(body: ErrorBody): void {
    this.fail({ ...body, facts: { ...body.facts, type: 'watch' } });
  }

  private onUnwatch(): void {
    this.watching?.abort();
    this.watching = undefined;
  }

  private onRead(message: ClientMessageOf<'read'>, actor: string): void {
    const { id } = message;
    const taken = this.largeAnswers.add(async () => {
      const result = await this.run(message, actor);
      if (result.ok) this.outbox.sendLarge({ type: 'result', id, value: result.value });
      else this.fail(result.error, id);
    });
    if (!taken) this.fail(tooManyWait, id);
  }

  private onCall(message: ClientMessageOf<'call'>, actor: string): void {
    const { id } = message;
    if (this.callsInFlight >= mutationsInFlightPerSessionMax) {
      this.fail(tooManyInFlight, id);
      return;
    }
    this.callsInFlight += 1;
    this.run(message, actor).then((result) => {
      this.callsInFlight -= 1;
      if (result.ok) this.outbox.send({ type: 'result', id, value: result.value });
      else this.fail(result.error, id);
    }, this.crash);
  }

  private run({ type, operation, input = {} }: ClientMessageOf<'read' | 'call'>, actor: string) {
    const { rooms, newId, files } = this.environment;
    return runOperation(operation, type, input, { rooms, actor, newId, files });
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

  fail = (body: ErrorBody, id?: string): void => {
    const retryable = errorKinds[body.code].retryable;
    this.outbox.send({ type: 'error', ...(id !== undefined && { id }), ...body, retryable });
  };

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
