import { WebSocket } from 'ws';
import type { Mutation } from '../../shared/plan/mutation.ts';
import type { ClientMessage } from '../../shared/protocol/client-message.ts';
import type { AckMessage, Reject, ServerMessage, Welcome } from '../../shared/protocol/server-message.ts';
import { protocolVersion } from '../../shared/protocol/version.ts';

type MessageOf<Type extends ServerMessage['type']> = Extract<ServerMessage, { type: Type }>;

interface Waiter {
  readonly matches: (message: ServerMessage) => boolean;
  readonly resolve: (message: ServerMessage) => void;
}

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

const patienceMs = 15_000;

/** Speaks the protocol as text over a real socket, with no help from the SDK: what a test sends is what goes out. */
export class ProtocolClient {
  readonly socket: WebSocket;
  /** How many messages each frame held, in order. */
  readonly frameSizes: number[] = [];
  readonly closed: Promise<Closed>;
  private readonly inbox: ServerMessage[] = [];
  private readonly waiters = new Set<Waiter>();
  private ids = 0;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { headers, perMessageDeflate: false });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.socket.on('error', () => undefined);
    this.socket.on('message', (data) => this.receive(data.toString()));
  }

  /** Connects without a word. */
  static async connect(url: string): Promise<ProtocolClient> {
    const client = new ProtocolClient(url);
    await new Promise<void>((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('error', reject);
    });
    return client;
  }

  /** Connects and says hello. */
  static async hello(url: string, actor = 'ann'): Promise<ProtocolClient> {
    const client = await ProtocolClient.connect(url);
    client.send({ type: 'hello', protocol: protocolVersion, actor });
    await client.next('welcome');
    return client;
  }

  send(...messages: ClientMessage[]): void {
    this.sendText(JSON.stringify(messages.length === 1 ? messages[0] : messages));
  }

  sendText(text: string | Buffer): void {
    this.socket.send(text);
  }

  /** Takes the first message of the type that was not taken yet, or waits for it. */
  next<Type extends ServerMessage['type']>(
    type: Type,
    matches: (message: MessageOf<Type>) => boolean = () => true,
  ): Promise<MessageOf<Type>> {
    return this.take((message) => message.type === type && matches(message as MessageOf<Type>)) as Promise<
      MessageOf<Type>
    >;
  }

  /** What came and was not taken, in order; forgets it. */
  rest(): ServerMessage[] {
    return this.inbox.splice(0);
  }

  /** Waits until the server has handled all that was sent before and its answers of the same tick are here. */
  async settle(): Promise<void> {
    this.send({ type: 'ping' });
    await this.next('pong');
  }

  /** Sends a mutation and waits for its answer. */
  mutate(room: string, mutation: Mutation, id = this.newId()): Promise<AckMessage | Reject> {
    this.send({ type: 'mutate', room, id, mutation });
    return this.answer(id);
  }

  answer(id: string): Promise<AckMessage | Reject> {
    return this.take(
      (message) => (message.type === 'ack' || message.type === 'reject') && message.id === id,
    ) as Promise<AckMessage | Reject>;
  }

  newId(): string {
    this.ids += 1;
    return `m${this.ids}`;
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  /** As `next`, of whichever type. */
  take(matches: (message: ServerMessage) => boolean): Promise<ServerMessage> {
    const index = this.inbox.findIndex(matches);
    const [found] = index < 0 ? [] : this.inbox.splice(index, 1);
    if (found) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        this.waiters.delete(waiter);
        reject(new Error(`${why} Here is ${JSON.stringify(this.inbox).slice(0, 2_000)}`));
      };
      const timer = setTimeout(() => fail('The message did not come.'), patienceMs);
      const waiter: Waiter = {
        matches,
        resolve: (message) => {
          clearTimeout(timer);
          resolve(message);
        },
      };
      this.waiters.add(waiter);
      void this.closed.then(({ code, reason }) => {
        if (!this.waiters.has(waiter)) return;
        clearTimeout(timer);
        fail(`The connection closed with ${code} ${reason}.`);
      });
    });
  }

  private receive(text: string): void {
    const value: ServerMessage | ServerMessage[] = JSON.parse(text);
    const messages = Array.isArray(value) ? value : [value];
    this.frameSizes.push(messages.length);
    for (const message of messages) {
      const waiter = [...this.waiters].find(({ matches }) => matches(message));
      if (!waiter) {
        this.inbox.push(message);
        continue;
      }
      this.waiters.delete(waiter);
      waiter.resolve(message);
    }
  }
}

/** The welcome of a connection, for tests that look at it. */
export async function welcomeOf(url: string, hello: ClientMessage): Promise<Welcome> {
  const client = await ProtocolClient.connect(url);
  client.send(hello);
  const welcome = await client.next('welcome');
  await client.close();
  return welcome;
}
