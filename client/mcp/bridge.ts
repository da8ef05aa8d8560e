import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/client';
import { nanoid } from 'nanoid';
import { limits } from '../../shared/plan/limits.ts';
import { err } from '../../shared/plan/result.ts';
import { parseJson } from '../../shared/protocol/codec.ts';
import { backOffDelayMs } from '../sdk/back-off.ts';
import { backOff, bounds } from './bounds.ts';
import { type Answer, Channel } from './channel.ts';
import type { Whereabouts } from './home.ts';
import { LineReader } from './line-reader.ts';
import { Listen, subscriptionOf } from './listen.ts';
import {
  cancelledBy,
  clientNameOf,
  errorAnswer,
  type Id,
  invalidRequestCode,
  isModern,
  parseErrorCode,
  readIncoming,
  repeatable,
  serverErrorCode,
} from './message.ts';
import { Output } from './output.ts';
import { Session } from './session.ts';
import { delay, within } from './time.ts';

export interface BridgeOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly home: Whereabouts;
  readonly room: string;
  readonly tools?: string | undefined;
  /** Who asks, once it is known which program the client is. */
  readonly actorOf: (clientName: string | undefined) => string;
  readonly say: (text: string) => void;
}

interface Pending {
  readonly abort: AbortController;
  readonly isModern: boolean;
  readonly listen: Listen | undefined;
  /** Settles when the request is answered, or nobody waits for it any more. */
  readonly done: Promise<void>;
}

type Send = (message: JSONRPCRequest, signal: AbortSignal) => Promise<Answer>;

/**
 * MCP over stdio, for agents that start a command, from the MCP that the server speaks over HTTP: message by message, as
 * they are. What it adds is that a server that goes away and comes back is hardly noticed.
 */
export class Bridge {
  private readonly options: BridgeOptions;
  private readonly output: Output;
  private readonly lines: LineReader;
  private readonly session: Session;
  private readonly pending = new Map<Id, Pending>();
  private clientName: string | undefined;
  /** Requests without a session: all of the newest revision. */
  private plain: Promise<Channel> | undefined;
  /** The handshake under way: what the client sends meanwhile belongs to its session. */
  private handshake: Promise<void> = Promise.resolve();
  private awaySinceMs: number | undefined;
  private end: (patienceMs: number) => void = () => undefined;

  constructor(options: BridgeOptions) {
    this.options = options;
    this.lines = new LineReader(options.input, limits.httpBodyBytesMax, {
      onLine: (line) => this.onLine(line),
      onTooLong: () => this.refuse(null, `A message may have ${limits.httpBodyBytesMax} bytes.`),
      onEnd: () => this.end(bounds.endPatienceMs),
    });
    this.output = new Output(options.output, {
      onFull: this.lines.pause,
      onRoom: this.lines.resume,
      onStuck: () => {
        options.say('the client does not read what it asked for; giving up');
        this.end(0);
      },
    });
    this.session = new Session({ address: this.address, onMessage: this.forward, onBack: this.cameBack });
  }

  /** Settles when stdin has ended, or a signal came, and what was asked is answered. */
  async run(): Promise<void> {
    let patienceMs: number = bounds.endPatienceMs;
    const ending = new Promise<void>((resolve) => {
      this.end = (ms) => {
        patienceMs = ms;
        resolve();
      };
    });
    const cut = new Promise<void>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.once(signal, () => {
          this.end(bounds.terminatePatienceMs);
          void delay(bounds.terminatePatienceMs).then(resolve);
        });
      }
    });
    this.lines.start();
    void this.options.home.ready().then((ready) => ready.ok || this.options.say(ready.error));
    await ending;
    this.lines.stop();
    await Promise.race([within(patienceMs, this.answered()), cut]);
    for (const { abort } of this.pending.values()) abort.abort();
    await Promise.race([within(patienceMs, this.output.flushed()), cut]);
    await Promise.race([within(bounds.terminatePatienceMs, this.session.close()), cut]);
  }

  private async answered(): Promise<void> {
    await Promise.all([...this.pending.values()].filter(({ listen }) => !listen).map(({ done }) => done));
  }

  private onLine(line: Buffer): void {
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(line);
    } catch {
      this.output.send(errorAnswer(null, parseErrorCode, 'A message is UTF-8 text, and this is not.'));
      return;
    }
    if (text.trim() === '') return;
    const parsed = parseJson(text, limits.jsonDepthMax);
    if (!parsed.ok) {
      const { code, message } = parsed.error;
      this.output.send(errorAnswer(idOf(text), code === 'bad_frame' ? parseErrorCode : invalidRequestCode, message));
      return;
    }
    // One of the older revisions has batches; each message of one is answered for itself.
    const values = Array.isArray(parsed.value) && parsed.value.length > 0 ? parsed.value : [parsed.value];
    for (const value of values) this.onMessage(value);
  }

  private onMessage(value: unknown): void {
    const incoming = readIncoming(value);
    switch (incoming.kind) {
      case 'request':
        this.onRequest(incoming.message);
        return;
      case 'notification':
        void this.onNotification(incoming.message);
        return;
      case 'response':
        void this.handshake.then(() => this.session.notify(incoming.message));
        return;
      case 'invalid':
        this.refuse(incoming.id, 'This is not a JSON-RPC 2.0 message.');
    }
  }

  private onRequest(message: JSONRPCRequest): void {
    const { id } = message;
    const refusal = this.refusalOf(id);
    if (refusal !== undefined) {
      this.refuse(id, refusal);
      return;
    }
    this.clientName ??= clientNameOf(message);
    const abort = new AbortController();
    const modern = isModern(message);
    const listen = modern && message.method === 'subscriptions/listen' ? new Listen(id, this.forward) : undefined;
    const handshake = !modern && message.method === 'initialize';
    const send = listen ? this.listening(listen) : handshake ? this.beginning : modern ? this.plainly : this.inSession;
    const done = this.answer(repeatable(message, nanoid), abort.signal, send, listen).finally(() =>
      this.pending.delete(id),
    );
    if (handshake) this.handshake = done;
    this.pending.set(id, { abort, isModern: modern, listen, done });
  }

  private refusalOf(id: Id): string | undefined {
    if (this.pending.has(id)) return `There is a request ${JSON.stringify(id)} already.`;
    const { requestsMax } = bounds;
    return this.pending.size >= requestsMax ? `There are ${requestsMax} requests under way already.` : undefined;
  }

  private async onNotification(message: JSONRPCNotification): Promise<void> {
    const id = cancelledBy(message);
    const cancelled = id === undefined ? undefined : this.pending.get(id);
    // Over HTTP the newest revision cancels a request by closing its stream.
    if (cancelled?.isModern) return cancelled.abort.abort();
    if (isModern(message)) return;
    await this.handshake;
    if (this.session.isOpen) await this.session.notify(message);
    cancelled?.abort.abort();
  }

  /** Sends the request, again while the server is away, and hands its answer to the client. */
  private async answer(
    message: JSONRPCRequest,
    signal: AbortSignal,
    send: Send,
    listen: Listen | undefined,
  ): Promise<void> {
    const { home } = this.options;
    for (let attempt = 0; ; attempt += 1) {
      const ready = await home.ready();
      if (signal.aborted) return;
      if (!ready.ok) return this.fail(message.id, ready.error);
      const answer = await send(message, signal);
      if (signal.aborted) return;
      if (answer.ok) {
        this.cameBack();
        return this.output.send(answer.value);
      }
      if (this.awaySinceMs === undefined) {
        attempt = 0;
        this.awaySinceMs = Date.now();
      }
      const isGivenUp = Date.now() - this.awaySinceMs > bounds.awayPatienceMs;
      if (isGivenUp && !listen?.isAcknowledged) {
        return this.fail(message.id, this.whyAway(message, answer.error.message));
      }
      await delay(backOffDelayMs(attempt, Math.random, backOff), signal);
      home.lookAgain();
    }
  }

  private readonly beginning: Send = (message, signal) => this.session.begin(message, signal);

  private readonly plainly: Send = async (message, signal) => {
    this.plain ??= Channel.open({ address: this.address, onMessage: this.takePlain });
    return (await this.plain).request(message, signal);
  };

  private readonly inSession: Send = async (message, signal) => {
    await this.handshake;
    // Without one the server says what is missing.
    return this.session.isOpen ? this.session.request(message, signal) : this.plainly(message, signal);
  };

  private listening(listen: Listen): Send {
    return async (message, signal) => {
      const answer = await this.plainly(message, signal);
      if (!answer.ok || !listen.isServersEnd(answer.value)) return answer;
      return err({ code: 'unreachable', message: 'the server stopped' });
    };
  }

  private readonly takePlain = (message: JSONRPCMessage): void => {
    const id = subscriptionOf(message);
    const listen = id === undefined ? undefined : this.pending.get(id)?.listen;
    this.cameBack();
    if (listen) listen.take(message);
    else if (id === undefined) this.forward(message);
  };

  private readonly forward = (message: JSONRPCMessage): void => this.output.send(message);

  private readonly cameBack = (): void => {
    this.awaySinceMs = undefined;
  };

  private readonly address = (): URL => {
    const { home, room, tools, actorOf } = this.options;
    const url = new URL('/mcp', home.url);
    url.searchParams.set('room', room);
    url.searchParams.set('as', actorOf(this.clientName));
    if (tools !== undefined) url.searchParams.set('tools', tools);
    return url;
  };

  private whyAway({ method }: JSONRPCRequest, reason: string): string {
    const { home } = this.options;
    const start = `Start it with: ${home.startCommand}`;
    const away = `The planroom server at ${home.url} is away (${reason}).`;
    // Only a tool changes anything.
    if (method !== 'tools/call') return `${away} ${start}`;
    return `${away} A change that was asked for may have been made all the same: look at the plan when it is back, and try again. ${start}`;
  }

  private fail(id: Id, message: string): void {
    this.output.send(errorAnswer(id, serverErrorCode, message));
  }

  private refuse(id: Id | null, message: string): void {
    this.output.send(errorAnswer(id, invalidRequestCode, message));
  }
}

/** The id of a message that is JSON but not one that is let through, so that whoever waits for the answer gets it. */
function idOf(text: string): string | number | null {
  try {
    const { id } = JSON.parse(text);
    return typeof id === 'string' || typeof id === 'number' ? id : null;
  } catch {
    return null;
  }
}
