import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nanoid } from 'nanoid';
import { createHttpApp } from '../../server/endpoints/http/app.ts';
import { createHttpServer } from '../../server/endpoints/http/server.ts';
import { createMcpEndpoint, type McpEndpoint } from '../../server/endpoints/mcp/endpoint.ts';
import { WebSocketEndpoint } from '../../server/endpoints/websocket/endpoint.ts';
import { FolderFiles } from '../../server/operations/files.ts';
import { RoomRegistry } from '../../server/room/registry.ts';
import { openMemoryStore } from '../../server/store/memory.ts';
import type { Store } from '../../server/store/store.ts';
import { TickScheduler } from '../../server/tick.ts';

export interface LocalServerOptions {
  readonly store?: Store;
  /** What file tools reach. */
  readonly folders?: readonly string[];
  readonly heartbeatIntervalMs?: number;
  readonly helloTimeoutMs?: number;
  readonly largeAnswerTimeoutMs?: number;
  readonly headerTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

/** All endpoints on a free port of 127.0.0.1, in this process, with times short enough to wait for. */
export class LocalServer {
  readonly rooms: RoomRegistry;
  readonly webSockets: WebSocketEndpoint;
  /** Faults of ours; a test that ends with some has found a bug. */
  readonly faults: unknown[] = [];
  private readonly store: Store;
  private readonly server: Server;
  private readonly mcp: McpEndpoint;

  private constructor({ store = openMemoryStore(), folders = [], ...times }: LocalServerOptions) {
    const { atEndOfTick } = new TickScheduler();
    const now = (): string => new Date().toISOString();
    const newId = (): string => nanoid();
    const onFault = (error: unknown): void => void this.faults.push(error);
    this.store = store;
    this.rooms = new RoomRegistry({ store, now, newUid: newId, atEndOfTick, onFault });
    const { rooms } = this;
    const files = new FolderFiles(folders);
    this.webSockets = new WebSocketEndpoint({
      ...times,
      rooms,
      serverName: 'test',
      atEndOfTick,
      now,
      newId,
      files,
      onFault,
    });
    const app = createHttpApp({ rooms, newId, files, isOpen: () => true, onFault });
    const upgrades = new Map([['/ws', this.webSockets.upgrade.bind(this.webSockets)]]);
    this.mcp = createMcpEndpoint({ rooms, files, newId, atEndOfTick, version: '0', onFault, closePatienceMs: 500 });
    const handlers = new Map([['/mcp', this.mcp.handle]]);
    this.server = createHttpServer({ ...times, fetch: app.fetch, upgrades, handlers, onFault });
  }

  static async start(options: LocalServerOptions = {}): Promise<LocalServer> {
    const local = new LocalServer(options);
    await new Promise<void>((resolve) => local.server.listen(0, '127.0.0.1', resolve));
    return local;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    await Promise.all([this.webSockets.close(), this.mcp.close()]);
    this.server.closeAllConnections();
    await closed;
    await this.store.close();
  }
}
