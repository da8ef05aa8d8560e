import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Change } from '../../../shared/plan/change.ts';
import { defaultPolicy, emptyDocument } from '../../../shared/plan/model.ts';
import type { ClientMessage } from '../../../shared/protocol/client-message.ts';
import type { ServerMessage } from '../../../shared/protocol/server-message.ts';

type Send = (...messages: readonly (ServerMessage | Record<string, unknown>)[]) => void;

/** What the server does about a message; `socket` is there to be closed or left alone. */
export type Script = (message: ClientMessage, send: Send, socket: WebSocket) => void;

/** A server over real sockets that misbehaves as a test tells it to. What the script does not want is answered nicely. */
export class ScriptedServer {
  private readonly server: WebSocketServer;
  /** Everything that came in, of all connections. */
  readonly received: ClientMessage[] = [];
  /** Bounds it states in its welcome. */
  readonly limits = {
    frameBytesMax: 1_000_000,
    messagesPerFrameMax: 100,
    mutationsInFlightPerSessionMax: 10,
    heartbeatIntervalMs: 60_000,
  };

  private constructor(server: WebSocketServer, script: Script) {
    this.server = server;
    server.on('connection', (socket) => {
      const send: Send = (...messages) => {
        socket.send(JSON.stringify(messages.length === 1 ? messages[0] : messages));
      };
      socket.on('message', (data) => {
        const parsed = JSON.parse(String(data));
        for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
          this.received.push(message);
          script(message, send, socket);
        }
      });
    });
  }

  static async start(script: Script): Promise<ScriptedServer> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    return new ScriptedServer(server, script);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  receivedOf<Type extends ClientMessage['type']>(type: Type): Extract<ClientMessage, { type: Type }>[] {
    return this.received.filter((message): message is Extract<ClientMessage, { type: Type }> => message.type === type);
  }

  welcome(): ServerMessage {
    const { limits } = this;
    return { type: 'welcome', protocol: 1, server: 'scripted', session: 's1', actor: 'ann', limits };
  }

  /** Cuts every connection, without a closing handshake. */
  cut(): void {
    for (const socket of this.server.clients) socket.terminate();
  }

  close(): Promise<void> {
    this.cut();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** The answer to a join: an empty room at this revision, as a snapshot. */
export function emptyRoom(room: string, revision = 0): [ServerMessage, ServerMessage] {
  const plan = { room, epoch: 'e1', revision, updatedAt: '', policy: defaultPolicy, document: emptyDocument };
  return [
    { type: 'joined', room, epoch: 'e1', revision, mode: 'delta', resume: 'snapshot' },
    { type: 'snapshot', plan: { ...plan, groups: [], tasks: [] } },
  ];
}

/** A Change that adds a group. */
export function groupChange(revision: number): Change {
  const group = { uid: `group-${revision}`, title: `Group ${revision}`, order: `a${revision}`, testsVerified: false };
  const at = '2030-01-01T00:00:00.000Z';
  const mutationId = `other.${revision}`;
  return { revision, at, actor: 'bob', mutationId, action: 'group.add', patch: { groups: [group] } };
}
