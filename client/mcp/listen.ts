import { type JSONRPCMessage, type JSONRPCResponse, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/client';
import { fieldsOf, type Id, metaOf } from './message.ts';

/** The `subscriptions/listen` to which a notification belongs. */
export function subscriptionOf(message: JSONRPCMessage): Id | undefined {
  if (!('method' in message)) return undefined;
  const id = metaOf(message)[SUBSCRIPTION_ID_META_KEY];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/**
 * A stream of updates of the newest revision. The client has it for as long as it likes; what is asked of the server is
 * made anew when the server was away, without the client hearing more of it than that it should look again.
 */
export class Listen {
  private readonly id: Id;
  private readonly onMessage: (message: JSONRPCMessage) => void;
  private honored: { readonly [name: string]: unknown } | undefined;

  constructor(id: Id, onMessage: (message: JSONRPCMessage) => void) {
    this.id = id;
    this.onMessage = onMessage;
  }

  /** The server said once what it will tell of: from then on the client counts on it. */
  get isAcknowledged(): boolean {
    return this.honored !== undefined;
  }

  take(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/subscriptions/acknowledged') {
      this.onMessage(message);
    } else if (this.honored) {
      this.catchUp(this.honored);
    } else {
      this.honored = fieldsOf(fieldsOf(message.params).notifications);
      this.onMessage(message);
    }
  }

  /** Whether it is the server that ends the stream in good order, as it does when it stops. */
  isServersEnd(answer: JSONRPCResponse): boolean {
    return 'result' in answer && this.honored !== undefined && Object.keys(this.honored).length > 0;
  }

  /** Nobody knows what happened while there was no stream. */
  private catchUp({ resourceSubscriptions, resourcesListChanged }: { readonly [name: string]: unknown }): void {
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: this.id };
    for (const uri of Array.isArray(resourceSubscriptions) ? resourceSubscriptions : []) {
      this.onMessage({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri, _meta } });
    }
    if (resourcesListChanged === true) {
      this.onMessage({ jsonrpc: '2.0', method: 'notifications/resources/list_changed', params: { _meta } });
    }
  }
}
