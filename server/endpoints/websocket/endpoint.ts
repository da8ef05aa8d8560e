import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Files } from '../../../shared/dialects/dialect.ts';
import { limits } from '../../../shared/plan/limits.ts';
import { closeCodes } from '../../../shared/protocol/close-code.ts';
import type { ErrorBody } from '../../../shared/protocol/error-code.ts';
import { PresenceBoard } from '../../room/presence.ts';
import type { RoomRegistry } from '../../room/registry.ts';
import type { AtEndOfTick } from '../../room/tick-task.ts';
import { refusalOf, refuseConnection } from '../local-guard.ts';
import { FrameCache } from './frames.ts';
import { LargeSlots } from './large-slots.ts';
import { RoomListFeed } from './room-list-feed.ts';
import { Session } from './session.ts';
import type { SessionEnvironment } from './session-environment.ts';

export interface WebSocketEndpointOptions {
  readonly rooms: RoomRegistry;
  readonly serverName: string;
  readonly atEndOfTick: AtEndOfTick;
  readonly now: () => string;
  readonly newId: () => string;
  readonly files: Files;
  /** Faults of ours that a message brought to light. */
  readonly onFault: (error: unknown) => void;
  readonly heartbeatIntervalMs?: number;
  readonly helloTimeoutMs?: number;
  readonly largeAnswerTimeoutMs?: number;
}

/** The WebSocket endpoint `/ws`: upgrades, sessions, heartbeat. */
export class WebSocketEndpoint {
  private readonly environment: SessionEnvironment;
  private readonly server: WebSocketServer;
  private readonly sessions = new Map<Session, WebSocket>();
  private readonly heartbeat: NodeJS.Timeout;
  private closing = false;

  constructor(options: WebSocketEndpointOptions) {
    const { rooms, serverName, atEndOfTick, now, newId, files, onFault } = options;
    const { heartbeatIntervalMs = limits.heartbeatIntervalMs, helloTimeoutMs = limits.helloTimeoutMs } = options;
    const { largeAnswerTimeoutMs = limits.largeAnswerTimeoutMs } = options;
    this.environment = {
      rooms,
      serverName,
      atEndOfTick,
      now,
      newId,
      files,
      onFault,
      heartbeatIntervalMs,
      helloTimeoutMs,
      nowMs: Date.now,
      presence: new PresenceBoard(),
      roomList: new RoomListFeed(rooms),
      frames: new FrameCache(),
      largeSlots: new LargeSlots(limits.largeAnswersMax, largeAnswerTimeoutMs),
    };
    this.server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: limits.frameBytesMax,
      maxFragments: limits.frameFragmentsMax,
    });
    // Twice as often as the shortest wait, so that none lasts much longer than it says.
    const sweepIntervalMs = Math.ceil(Math.min(heartbeatIntervalMs, helloTimeoutMs) / 2);
    this.heartbeat = setInterval(() => this.sweep(), sweepIntervalMs);
  }

  /** What is held for connections; all of it goes when they go. */
  get counts(): { readonly sessions: number; readonly presenceRooms: number; readonly watchers: number } {
    const { presence, roomList } = this.environment;
    return { sessions: this.sessions.size, presenceRooms: presence.roomCount, watchers: roomList.watcherCount };
  }

  /** Takes over a connection that asks to be upgraded, or answers why not. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Without a listener an abrupt end would end the process.
    socket.on('error', () => socket.destroy());
    const refusal = this.refusal(request);
    if (refusal) {
      refuseConnection(socket, refusal);
      return;
    }
    this.server.handleUpgrade(request, socket, head, (webSocket) => this.accept(webSocket, socket));
  }

  async close(): Promise<void> {
    this.closing = true;
    clearInterval(this.heartbeat);
    this.environment.roomList.close();
    this.environment.presence.close();
    const sockets = [...this.sessions.values()];
    const gone = sockets.map((webSocket) => new Promise<void>((resolve) => webSocket.once('close', () => resolve())));
    for (const session of this.sessions.keys()) session.close(closeCodes.goingAway, 'The server is shutting down.');
    const patience = setTimeout(() => {
      for (const webSocket of sockets) webSocket.terminate();
    }, 1_000);
    await Promise.all(gone);
    clearTimeout(patience);
    this.server.close();
  }

  private refusal(request: IncomingMessage): ErrorBody | undefined {
    if (this.closing) return { code: 'shutting_down', message: 'The server is shutting down.' };
    if (this.sessions.size >= limits.sessionsMax) {
      return { code: 'too_many_sessions', message: `The server has ${limits.sessionsMax} connections already.` };
    }
    return refusalOf(request);
  }

  private accept(webSocket: WebSocket, socket: Duplex): void {
    const session = new Session(this.environment, webSocket, socket);
    this.sessions.set(session, webSocket);
    webSocket.on('message', (data: Buffer, isBinary: boolean) => {
      try {
        session.receive(data, isBinary);
      } catch (error) {
        session.crash(error);
      }
    });
    // The library closes a connection that breaks the WebSocket protocol by itself.
    webSocket.on('error', () => undefined);
    webSocket.on('close', () => {
      this.sessions.delete(session);
      session.end();
    });
  }

  private sweep(): void {
    const nowMs = Date.now();
    for (const session of this.sessions.keys()) session.sweep(nowMs);
  }
}
