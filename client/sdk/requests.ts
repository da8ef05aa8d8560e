import { err, ok, type Result } from '../../shared/plan/result.ts';
import type { ClientMessage } from '../../shared/protocol/client-message.ts';
import type { ErrorMessage, ResultMessage } from '../../shared/protocol/server-message.ts';
import { type ClientFailure, failure, failureOf } from './failure.ts';

type Kind = 'read' | 'call';

interface Request {
  readonly message: Extract<ClientMessage, { type: Kind }>;
  readonly settle: (result: Result<unknown, ClientFailure>) => void;
  sent: boolean;
}

/** Reads and calls without an answer; more are refused. */
const requestsMax = 1_000;

/**
 * Operations of the server's registry on their way. A read is asked again after a reconnect. A call that was sent is
 * not: whether it took effect is unknown then, and its caller is told so (`connection_lost`).
 */
export class Requests {
  private readonly send: (message: ClientMessage) => boolean;
  private readonly waiting = new Map<string, Request>();
  private count = 0;

  /** `send` tells whether there was a connection to send over. */
  constructor(send: (message: ClientMessage) => boolean) {
    this.send = send;
  }

  ask(type: Kind, operation: string, input: Record<string, unknown>): Promise<Result<unknown, ClientFailure>> {
    if (this.waiting.size >= requestsMax) {
      return Promise.resolve(err(failure('overloaded', `${requestsMax} requests wait for their answer already.`)));
    }
    this.count += 1;
    const message = { type, id: `${type}.${this.count}`, operation, input };
    return new Promise((settle) => {
      this.waiting.set(message.id, { message, settle, sent: this.send(message) });
    });
  }

  connected(): void {
    for (const request of this.waiting.values()) request.sent = this.send(request.message);
  }

  connectionLost(): void {
    for (const { message, sent } of [...this.waiting.values()]) {
      if (message.type !== 'call' || !sent) continue;
      const text = `The connection went while ${message.operation} was under way; it may have taken effect or not.`;
      this.settle(message.id, err(failure('connection_lost', text)));
    }
  }

  /** Takes an answer, and tells whether it was one to these requests. */
  answer(message: ResultMessage | ErrorMessage): boolean {
    const { id } = message;
    if (id === undefined || !this.waiting.has(id)) return false;
    this.settle(id, message.type === 'result' ? ok(message.value) : err(failureOf(message)));
    return true;
  }

  end(reason: ClientFailure): void {
    for (const id of [...this.waiting.keys()]) this.settle(id, err(reason));
  }

  private settle(id: string, result: Result<unknown, ClientFailure>): void {
    const request = this.waiting.get(id);
    this.waiting.delete(id);
    request?.settle(result);
  }
}
