import { WebSocket } from 'ws';
import type { Change } from '../../shared/plan/change.ts';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { ServerMessage } from '../../shared/protocol/server-message.ts';

/** What a writer saw with its own eyes, for comparing with the log of the server afterwards. */
export interface Sighting {
  /** mutationId -> revision it was acknowledged at. */
  readonly acks: Map<string, number>;
  /** revision -> mutationId of the Change that was seen at it. */
  readonly changes: Map<number, string>;
  /** mutationIds that were refused. */
  readonly rejections: Set<string>;
  readonly problems: string[];
}

/**
 * A writer on a bare WebSocket, without the SDK: keeps `inFlight` mutations on their way, comes back after each cut,
 * resumes from the last revision it saw, and sends again, under the same ids, what was not answered.
 */
export class RawWriter {
  readonly name: string;
  readonly seen: Sighting = {
    acks: new Map(),
    changes: new Map(),
    rejections: new Set(),
    problems: [],
  };
  private readonly url: string;
  private readonly room: string;
  private readonly inFlight: number;
  private readonly nextMutation: () => Mutation;
  private readonly onAck: () => void;
  private readonly unanswered = new Map<string, Mutation>();
  private position: { epoch: string; revision: number } | undefined;
  private socket: WebSocket | undefined;
  private counter = 0;
  private writing = true;
  private idleListeners: (() => void)[] = [];

  constructor(
    url: string,
    room: string,
    name: string,
    inFlight: number,
    nextMutation: () => Mutation,
    onAck: () => void,
  ) {
    this.url = url.replace('http', 'ws');
    this.room = room;
    this.name = name;
    this.inFlight = inFlight;
    this.nextMutation = nextMutation;
    this.onAck = onAck;
  }

  /** Connects, resumes and goes on writing. Settles when joined; rejects when the server is gone before that. */
  connect(): Promise<void> {
    const socket = new WebSocket(`${this.url}/ws`);
    this.socket = socket;
    return new Promise((resolve, reject) => {
      socket.on('open', () => {
        this.send({ type: 'hello', protocol: 1, actor: this.name });
        this.send({ type: 'join', room: this.room, ...(this.position && { since: this.position }) });
      });
      socket.on('message', (data) => {
        const parsed = JSON.parse(String(data)) as ServerMessage | ServerMessage[];
        for (const message of Array.isArray(parsed) ? parsed : [parsed]) this.receive(message, resolve);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => reject(new Error('the server went away')));
    });
  }

  /** Starts no new mutations; settles when everything sent is answered. */
  finish(): Promise<void> {
    this.writing = false;
    if (this.unanswered.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleListeners.push(resolve));
  }

  close(): void {
    this.socket?.close();
  }

  private receive(message: ServerMessage, onJoined: () => void): void {
    switch (message.type) {
      case 'joined':
        if (message.resume === 'current') this.position ??= { epoch: message.epoch, revision: message.revision };
        for (const [id, mutation] of this.unanswered) this.send({ type: 'mutate', room: this.room, id, mutation });
        this.fill();
        onJoined();
        break;
      case 'snapshot':
        this.position = { epoch: message.plan.epoch, revision: message.plan.revision };
        break;
      case 'changes':
        for (const change of message.changes) this.see(change, message.epoch);
        break;
      case 'ack':
        this.answered(message.id);
        if (this.seen.acks.has(message.id)) this.seen.problems.push(`${message.id} was acknowledged twice`);
        this.seen.acks.set(message.id, message.revision);
        if ((this.position?.revision ?? 0) < message.revision) {
          this.seen.problems.push(`${message.id}: ack of ${message.revision} before its Change`);
        }
        this.onAck();
        break;
      case 'reject':
        this.answered(message.id);
        this.seen.rejections.add(message.id);
        break;
      case 'error':
        this.seen.problems.push(`error ${message.code}: ${message.message}`);
        break;
      default:
        break;
    }
  }

  private see(change: Change, epoch: string): void {
    const expected = (this.position?.revision ?? 0) + 1;
    if (change.revision !== expected) this.seen.problems.push(`${this.name} got ${change.revision}, not ${expected}`);
    this.position = { epoch, revision: change.revision };
    this.seen.changes.set(change.revision, change.mutationId);
  }

  private answered(id: string): void {
    this.unanswered.delete(id);
    this.fill();
    if (this.unanswered.size === 0) for (const listener of this.idleListeners.splice(0)) listener();
  }

  private fill(): void {
    while (this.writing && this.unanswered.size < this.inFlight) {
      this.counter += 1;
      const id = `${this.name}.${this.counter}`;
      const mutation = this.nextMutation();
      this.unanswered.set(id, mutation);
      this.send({ type: 'mutate', room: this.room, id, mutation });
    }
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
