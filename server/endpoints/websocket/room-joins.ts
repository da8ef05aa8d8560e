import { limits } from '../../../shared/plan/limits.ts';
import type { ClientMessageOf } from '../../../shared/protocol/client-message.ts';
import type { ErrorBody } from '../../../shared/protocol/error-code.ts';
import { storeErrorBody } from '../../operations/errors.ts';
import type { JoinedRoom } from '../../room/subscriber.ts';
import type { LargeAnswers } from './large-answers.ts';
import type { Outbox } from './outbox.ts';
import { RoomLink } from './room-link.ts';
import type { SessionEnvironment } from './session-environment.ts';

/** What the joins of a session ask of it. */
export interface JoinHost {
  readonly id: string;
  readonly environment: SessionEnvironment;
  readonly outbox: Outbox;
  readonly largeAnswers: LargeAnswers;
  readonly fail: (body: ErrorBody) => void;
}

interface Join {
  readonly link: RoomLink;
  readonly leavePresence: () => void;
}

/** The rooms that one session has joined, and its presence there. */
export class RoomJoins {
  private readonly host: JoinHost;
  private readonly joins = new Map<string, Join>();

  constructor(host: JoinHost) {
    this.host = host;
  }

  /** The live room, when it is joined. */
  room(name: string): JoinedRoom | undefined {
    return this.joins.get(name)?.link.room;
  }

  join(message: ClientMessageOf<'join'>, actor: string): void {
    const { room, mode = 'delta', since, presence = false } = message;
    const { environment, outbox, largeAnswers, fail } = this.host;
    if (!this.joins.has(room) && this.joins.size >= limits.roomsPerSessionMax) {
      const { roomsPerSessionMax } = limits;
      const text = `A connection may join ${roomsPerSessionMax} rooms; leave one first.`;
      fail({ code: 'too_many_rooms', message: text, facts: { room, roomsPerSessionMax } });
      return;
    }
    this.end(room);
    const link = new RoomLink(room, mode, outbox, environment.frames, (ended) => this.forget(ended));
    this.joins.set(room, { link, leavePresence: this.enterPresence(room, actor, presence) });
    const taken = largeAnswers.add(async () => {
      // Left or joined anew while it waited.
      if (this.joins.get(room)?.link !== link) return;
      const subscribed = await environment.rooms.subscribe(room, link, since);
      if (subscribed.ok || !this.forget(link)) return;
      const body = storeErrorBody(subscribed.error);
      fail({ ...body, facts: { ...body.facts, room } });
    });
    if (taken) return;
    this.end(room);
    fail({ code: 'overloaded', message: 'Too many joins and reads of this connection wait.', facts: { room } });
  }

  leave({ room }: ClientMessageOf<'leave'>): void {
    if (this.end(room)) {
      this.host.outbox.send({ type: 'left', room });
      return;
    }
    const message = `This connection has not joined room '${room}'.`;
    this.host.fail({ code: 'not_joined', message, facts: { room } });
  }

  updatePresence({ room, on }: ClientMessageOf<'presence'>): void {
    if (this.joins.has(room)) {
      this.host.environment.presence.update(room, this.host.id, on);
      return;
    }
    const message = `Join room '${room}' before you say what you are at.`;
    this.host.fail({ code: 'not_joined', message, facts: { room } });
  }

  endAll(): void {
    for (const name of [...this.joins.keys()]) this.end(name);
  }

  /** Whether the room was joined. */
  private end(name: string): boolean {
    const join = this.joins.get(name);
    if (!join) return false;
    join.link.end();
    return this.forget(join.link);
  }

  /** A join that is over; false when a newer one of the same room took its place. */
  private forget(link: RoomLink): boolean {
    const join = this.joins.get(link.name);
    if (join?.link !== link) return false;
    this.joins.delete(link.name);
    join.leavePresence();
    return true;
  }

  private enterPresence(room: string, actor: string, listen: boolean): () => void {
    const { id, outbox } = this.host;
    const { presence, now } = this.host.environment;
    presence.enter(room, { session: id, actor, since: now(), on: null });
    const stop = listen
      ? presence.subscribe(room, (_room, present, more) => outbox.send({ type: 'presence', room, present, more }))
      : undefined;
    return () => {
      stop?.();
      presence.leave(room, id);
    };
  }
}
