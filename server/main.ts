import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, relative } from 'node:path';
import { nanoid } from 'nanoid';
import type { Logger } from 'pino';
import { err, ok, type Result } from '../shared/plan/result.ts';
import { type Config, defaultPort, readConfig, type ServeOptions } from './config.ts';
import { createHttpApp } from './endpoints/http/app.ts';
import { createHttpServer } from './endpoints/http/server.ts';
import { createMcpEndpoint, type McpEndpoint } from './endpoints/mcp/endpoint.ts';
import { WebSocketEndpoint } from './endpoints/websocket/endpoint.ts';
import { createLog } from './log.ts';
import { FolderFiles } from './operations/files.ts';
import { RoomRegistry } from './room/registry.ts';
import { type FolderLock, lockFolder } from './store/folder-lock.ts';
import { openSqliteStore } from './store/sqlite.ts';
import type { Store } from './store/store.ts';
import { TickScheduler } from './tick.ts';
import { packageVersion } from './version.ts';

/** The composition root: the only place that knows every part. */

export type { ServeOptions } from './config.ts';

const serverName = 'planroom';
/** Rooms are looked through for idle ones at this interval. */
const evictionIntervalMs = 30_000;

export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:4747`. */
  readonly url: string;
  /** Ends orderly: no new work, what waits is committed, clients are told, data is closed. */
  readonly close: () => Promise<void>;
}

/**
 * Runs the server until SIGINT or SIGTERM. Prints the address as the last line of start-up. Gives the exit code:
 * 0 after an orderly end, 2 for bad settings, 5 when the data or the port cannot be had.
 */
export async function serve(options: ServeOptions): Promise<number> {
  const config = readConfig(options, process.env);
  if (!config.ok) return complain(config.error, 2);
  const log = createLog(process.env.PLANROOM_LOG);
  const started = await start(config.value, log);
  if (!started.ok) return complain(started.error, 5);
  const { url, close } = started.value;
  process.stdout.write(`${welcome(config.value, url)}\n`);
  const signal = await untilSignal();
  log.info({ signal }, 'shutting down');
  await close();
  return 0;
}

/** What a newcomer sees: what to try next, in words that work as they stand, and the address as the last line. */
function welcome({ folder }: Config, url: string): string {
  const program = process.argv[1] ?? 'planroom';
  const command = basename(program) === 'planroom' ? 'planroom' : `node ${relative(process.cwd(), program)}`;
  const where = new URL(url).port === String(defaultPort) ? '' : ` --url ${url}`;
  return [
    `planroom keeps its data in ${folder}`,
    'Stop it with Ctrl-C. In another terminal, try:',
    `  ${command} add "First task"${where}`,
    `  ${command} watch${where}`,
    `planroom is ready at ${url}`,
  ].join('\n');
}

/** Starts the server; every failure is a sentence for people. */
export async function start(config: Config, log: Logger): Promise<Result<RunningServer, string>> {
  const lock = await lockFolder(config.folder);
  if (!lock.ok) return err(lock.error.message);
  const store = await openSqliteStore({ folder: config.folder });
  if (!store.ok) {
    lock.value.release();
    return err(store.error.message);
  }
  const parts = compose(store.value, config, log);
  const listening = await listen(parts.httpServer, config);
  if (!listening.ok) {
    await store.value.close();
    lock.value.release();
    return listening;
  }
  lock.value.announce(listening.value);
  log.info({ url: listening.value, folder: config.folder }, 'listening');
  return ok({ url: listening.value, close: onceClosed(() => shutDown(parts, store.value, lock.value)) });
}

interface Parts {
  readonly httpServer: Server;
  readonly webSockets: WebSocketEndpoint;
  readonly mcp: McpEndpoint;
  readonly stopTimers: () => void;
  readonly stopWork: () => void;
}

function compose(store: Store, config: Config, log: Logger): Parts {
  const { atEndOfTick } = new TickScheduler();
  const now = isoClock();
  const newId = (): string => nanoid();
  const onFault = (error: unknown): void => log.error({ err: error }, 'fault');
  let open = true;
  const files = new FolderFiles(config.fileFolders);
  const rooms = new RoomRegistry({ store, now, newUid: newId, atEndOfTick, onFault });
  const webSockets = new WebSocketEndpoint({ rooms, serverName, atEndOfTick, now, newId, files, onFault });
  const app = createHttpApp({ rooms, newId, files, isOpen: () => open, onFault });
  const upgrades = new Map([['/ws', webSockets.upgrade.bind(webSockets)]]);
  const mcp = createMcpEndpoint({ rooms, files, newId, atEndOfTick, version: packageVersion(), onFault });
  const handlers = new Map([['/mcp', mcp.handle]]);
  const httpServer = createHttpServer({ fetch: app.fetch, upgrades, handlers, onFault });
  const eviction = setInterval(() => void rooms.evictIdle(), evictionIntervalMs);
  const stopWork = (): void => {
    open = false;
  };
  return { httpServer, webSockets, mcp, stopTimers: () => clearInterval(eviction), stopWork };
}

/** The time as ISO 8601 UTC; the text of a millisecond is made once. */
function isoClock(): () => string {
  let atMs = 0;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== atMs) {
      atMs = nowMs;
      text = new Date(nowMs).toISOString();
    }
    return text;
  };
}

async function listen(server: Server, { host, port }: Config): Promise<Result<string, string>> {
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => {
      server.off('error', resolve);
      resolve(undefined);
    });
  });
  if (failure?.code === 'EADDRINUSE') {
    return err(`Port ${port} on ${host} is in use. Is planroom running already? Else choose another with --port.`);
  }
  if (failure) return err(`Cannot listen on ${host} port ${port}: ${failure.message}.`);
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return ok(`http://${name}:${address.port}`);
}

async function shutDown(parts: Parts, store: Store, lock: FolderLock): Promise<void> {
  parts.stopWork();
  parts.stopTimers();
  const closed = new Promise<void>((resolve) => parts.httpServer.close(() => resolve()));
  await Promise.all([parts.webSockets.close(), parts.mcp.close()]);
  parts.httpServer.closeIdleConnections();
  const patience = setTimeout(() => parts.httpServer.closeAllConnections(), 2_000);
  await closed;
  clearTimeout(patience);
  await store.close();
  lock.release();
}

function onceClosed(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(`planroom: ${message}\n`);
  return exitCode;
}
