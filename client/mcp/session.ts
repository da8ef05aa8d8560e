import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
} from '@modelcontextprotocol/client';
import { err, ok, type Result } from '../../shared/plan/result.ts';
import { backOffDelayMs } from '../sdk/back-off.ts';
import { backOff } from './bounds.ts';
import { type Answer, Channel, type ChannelFailure, type ChannelOptions } from './channel.ts';
import { fieldsOf, uriOf } from './message.ts';
import { delay } from './time.ts';

export interface SessionOptions {
  readonly address: ChannelOptions['address'];
  /** What the server, or the session for it, says to the client. */
  readonly onMessage: (message: JSONRPCMessage) => void;
  /** The stream of updates is there again. */
  readonly onBack: () => void;
}

type Done = Result<void, ChannelFailure>;

/**
 * The session of a client of the older revisions. A server that was restarted knows nothing of it: then it is made anew
 * with what the client said at its beginning, and follows again what the client followed.
 */
export class Session {
  private readonly options: SessionOptions;
  private channel: Channel | undefined;
  private handshake: JSONRPCRequest | undefined;
  private initialized: JSONRPCNotification | undefined;
  private readonly followed = new Map<string, JSONRPCRequest>();
  private reopening: Promise<Done> | undefined;
  private isReviving = false;
  private isTroubled = false;
  private isStreamLost = false;
  private ids = 0;
  private readonly ended = new AbortController();

  constructor(options: SessionOptions) {
    this.options = options;
  }

  get isOpen(): boolean {
    return this.channel !== undefined;
  }

  /** The handshake of the client. One more begins a new session. */
  async begin(handshake: JSONRPCRequest, signal: AbortSignal): Promise<Answer> {
    const opened = await this.open(handshake, signal);
    if (!opened.ok) return opened;
    const { channel, answer } = opened.value;
    if (!channel) return ok(answer);
    this.handshake = handshake;
    this.initialized = undefined;
    this.followed.clear();
    this.take(channel);
    return ok(answer);
  }

  async request(message: JSONRPCRequest, signal: AbortSignal): Promise<Answer> {
    const answer = await this.withSession((channel) => channel.request(message, signal));
    if (answer.ok && 'result' in answer.value) this.remember(message);
    return answer;
  }

  async notify(message: JSONRPCNotification | JSONRPCResponse): Promise<void> {
    const isInitialized = 'method' in message && message.method === 'notifications/initialized';
    if (isInitialized) this.initialized = message;
    await this.withSession((channel) => channel.notify(message));
  }

  /** Ends the session at the server too. */
  async close(): Promise<void> {
    this.ended.abort();
    await this.channel?.terminate();
    this.channel?.close();
  }

  /** Does the work in the session; when the server does not know the session any more, again in a new one. */
  private async withSession<T>(
    work: (channel: Channel) => Promise<Result<T, ChannelFailure>>,
  ): Promise<Result<T, ChannelFailure>> {
    const { channel } = this;
    if (!channel) return err({ code: 'unreachable', message: 'there is no session' });
    const done = await work(channel);
    if (done.ok || done.error.code !== 'no_session') return done;
    const reopened = await this.reopen(channel);
    if (!reopened.ok) return reopened;
    return this.channel ? work(this.channel) : done;
  }

  private remember(message: JSONRPCRequest): void {
    const uri = uriOf(message);
    if (uri === undefined) return;
    if (message.method === 'resources/subscribe') this.followed.set(uri, message);
    if (message.method === 'resources/unsubscribe') this.followed.delete(uri);
  }

  /** One for all who ask, unless another has it done by then. */
  private async reopen(gone: Channel): Promise<Done> {
    if (this.channel !== gone) return ok(undefined);
    this.reopening ??= this.replay().finally(() => {
      this.reopening = undefined;
    });
    return this.reopening;
  }

  private async replay(): Promise<Done> {
    const { handshake, initialized } = this;
    if (!handshake) return err({ code: 'unreachable', message: 'there is no session' });
    const opened = await this.open(this.own(handshake), this.ended.signal);
    if (!opened.ok) return opened;
    const { channel, answer } = opened.value;
    if (!channel) return err({ code: 'unreachable', message: refusalIn(answer) });
    // Followed before the stream opens: what happens from now on is told there.
    for (const subscription of this.followed.values()) await channel.request(this.own(subscription));
    this.take(channel);
    if (initialized) await channel.notify(initialized);
    this.catchUp();
    return ok(undefined);
  }

  /** A channel that has the session of this handshake; none when the server refused. */
  private async open(
    handshake: JSONRPCRequest,
    signal: AbortSignal,
  ): Promise<Result<{ readonly channel: Channel | undefined; readonly answer: JSONRPCResponse }, ChannelFailure>> {
    const { address, onMessage } = this.options;
    const channel: Channel = await Channel.open({
      address,
      onMessage,
      onTrouble: (isLost) => {
        if (this.channel === channel) void this.revive(isLost);
      },
    });
    const answer = await channel.request(handshake, signal);
    const version = answer.ok && 'result' in answer.value ? fieldsOf(answer.value.result).protocolVersion : undefined;
    if (typeof version === 'string') channel.setProtocolVersion(version);
    else channel.close();
    if (!answer.ok) return answer;
    return ok({ channel: typeof version === 'string' ? channel : undefined, answer: answer.value });
  }

  private take(channel: Channel): void {
    const before = this.channel;
    this.channel = channel;
    this.isStreamLost = false;
    void before?.terminate().then(() => before.close());
  }

  /** Nobody knows what happened while there was no session: whoever follows something has to look. */
  private catchUp(): void {
    const { onMessage, onBack } = this.options;
    onBack();
    for (const uri of this.followed.keys()) {
      onMessage({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
    }
    if (this.initialized) onMessage({ jsonrpc: '2.0', method: 'notifications/resources/list_changed' });
  }

  /** Sees to it that there is a stream of updates, for as long as it takes. */
  private async revive(isLost: boolean): Promise<void> {
    this.isTroubled = true;
    this.isStreamLost ||= isLost;
    if (this.isReviving) return;
    this.isReviving = true;
    for (let attempt = 0; this.isTroubled && this.initialized; attempt += 1) {
      await delay(backOffDelayMs(attempt, Math.random, backOff), this.ended.signal);
      if (this.ended.signal.aborted || !this.channel) break;
      this.isTroubled = false;
      const done = await this.streamAgain(this.channel);
      if (!done.ok) this.isTroubled = true;
    }
    this.isReviving = false;
  }

  private async streamAgain(channel: Channel): Promise<Done> {
    const opened = await channel.openStream();
    if (opened.ok) {
      this.isStreamLost = false;
      this.options.onBack();
      return opened;
    }
    const { code } = opened.error;
    if (code === 'no_session') return this.reopen(channel);
    // The server may not have seen yet that the one before is gone.
    return code === 'stream_taken' && !this.isStreamLost ? ok(undefined) : opened;
  }

  private own(message: JSONRPCRequest): JSONRPCRequest {
    this.ids += 1;
    return { ...message, id: `planroom-mcp-${this.ids}` };
  }
}

function refusalIn(answer: JSONRPCResponse): string {
  return 'error' in answer ? answer.error.message : 'the server does not take the session up again';
}
