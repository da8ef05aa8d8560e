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

/** Why the server did not start; the message is a sentence for people. */
interface StartFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * Runs the server until SIGINT or SIGTERM. Prints the address as the last line of start-up, or, with `json`, one
 * document `{url, folder, pid}` once it is ready. Gives the exit code: 0 after an orderly end, 2 for bad settings, 5 when
 * the data or the port cannot be had.
 */
export async function serve(options: ServeOptions, json = false): Promise<number> {
  const config = readConfig(options, process.env);
  if (!config.ok) return complain({ code: 'usage', message: config.error }, json, 2);
  const { folder, logLevel } = config.value;
  const log = createLog(logLevel);
  const started = await start(config.value, log);
  if (!started.ok) return complain(started.error, json, 5);
  const { url, close } = started.value;
  process.stdout.write(`${json ? JSON.stringify({ url, folder, pid: process.pid }) : welcome(folder, url)}\n`);
  const signal = await untilSignal();
  log.info({ signal }, 'shutting down');
  await close();
  return 0;
}

/** What a newcomer sees: what to try next, in words that work as they stand, and the address as the last line. */
function welcome(folder: string, url: string): string {
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

async function start(config: Config, log: Logger): Promise<Result<RunningServer, StartFailure>> {
  const lock = await lockFolder(config.folder);
  if (!lock.ok) return lock;
  const store = await openSqliteStore({ folder: config.folder });
  if (!store.ok) {
    lock.value.release();
    return store;
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

async function listen(server: Server, { host, port }: Config): Promise<Result<string, StartFailure>> {
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => {
      server.off('error', resolve);
      resolve(undefined);
    });
  });
  if (failure?.code === 'EADDRINUSE') {
    const message = `Port ${port} on ${host} is in use. Is planroom running already? Else choose another with --port.`;
    return err({ code: 'port_in_use', message });
  }
  if (failure?.code === 'EACCES') {
    const message = `Port ${port} may not be opened by this user. Choose one above 1023 with --port.`;
    return err({ code: 'cannot_listen', message });
  }
  if (failure)
    return err({ code: 'cannot_listen', message: `Cannot listen on ${host} port ${port}: ${failure.message}.` });
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

function complain({ code, message }: StartFailure, json: boolean, exitCode: number): number {
  const error = { code, message, retryable: false };
  process.stderr.write(json ? `${JSON.stringify({ error })}\n` : `planroom: ${message}\n`);
  return exitCode;
}
