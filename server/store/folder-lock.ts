import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Result } from '../../shared/plan/result.ts';
import { err, ok } from '../../shared/plan/result.ts';
import type { Database } from './sqlite-driver.ts';
import { openDatabase, sqliteCode } from './sqlite-driver.ts';
import { makeFolder } from './sqlite-file.ts';

/** Another process holds the data folder. `pid` and `url` are absent when it did not say in time. */
export interface FolderBusy {
  readonly code: 'folder_busy';
  readonly pid?: number;
  readonly url?: string;
  readonly message: string;
}

/** The folder cannot be made, or written to. */
export interface FolderUnusable {
  readonly code: 'folder_unusable';
  readonly message: string;
}

/** A data folder that is ours until `release`, or until this process ends in whatever way. */
export interface FolderLock {
  readonly folder: string;
  /** Tells other processes (through server.json) where this server listens. Never throws: without it only the hint is missing. */
  announce(url: string): void;
  /** Gives the folder back; close the store before. */
  release(): void;
}

/** server.json: who holds the folder. */
interface Holder {
  readonly pid: number;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly url?: string;
}

/** How long the holder of a folder gets to write its server.json after it took the lock. */
const holderWaitMs = 1_000;
const holderPollMs = 25;

/** Locks are files' locks of the system: they go with the connection, so it must not be collected as garbage. */
const held = new Set<Database>();

/**
 * Makes the data folder when missing and takes it for this process. The lock is the operating system's (one SQLite
 * transaction on planroom.lock that is never committed), so it ends with the process, `kill -9` included. Whoever comes
 * second writes nothing.
 */
export async function lockFolder(folder: string): Promise<Result<FolderLock, FolderBusy | FolderUnusable>> {
  const path = join(folder, 'planroom.lock');
  let database: Database | undefined;
  try {
    makeFolder(folder);
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    database = openDatabase(path, 0);
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    database?.close();
    if (((sqliteCode(error) ?? 0) & 0xff) === sqliteBusy) return err(await busy(folder));
    const reason = error instanceof Error ? error.message : String(error);
    return err({ code: 'folder_unusable', message: `The data folder ${folder} cannot be used: ${reason}.` });
  }
  held.add(database);
  return ok(new HeldFolder(folder, database));
}

const sqliteBusy = 5;

class HeldFolder implements FolderLock {
  readonly folder: string;
  private readonly database: Database;
  private readonly startedAt = new Date().toISOString();
  private isReleased = false;

  constructor(folder: string, database: Database) {
    this.folder = folder;
    this.database = database;
    this.write({ pid: process.pid, startedAt: this.startedAt });
  }

  announce(url: string): void {
    if (!this.isReleased) this.write({ pid: process.pid, startedAt: this.startedAt, url });
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    try {
      rmSync(holderPath(this.folder), { force: true });
    } catch {
      // A stale server.json names a process that is gone; nobody believes it.
    }
    held.delete(this.database);
    this.database.close();
  }

  /** A full disk must not keep the server from starting: it can still show what is stored. */
  private write(holder: Holder): void {
    const path = holderPath(this.folder);
    const draft = `${path}.new`;
    try {
      rmSync(draft, { force: true });
      const file = openSync(draft, 'wx', 0o600);
      try {
        writeSync(file, `${JSON.stringify(holder)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
    } catch {
      rmSync(draft, { force: true });
    }
  }
}

/** Waits a moment for a live process in server.json: the holder may just have taken the lock. */
async function busy(folder: string): Promise<FolderBusy> {
  const until = performance.now() + holderWaitMs;
  let holder = readHolder(folder);
  while (!holder && performance.now() < until) {
    await delay(holderPollMs);
    holder = readHolder(folder);
  }
  const who = holder
    ? `process ${holder.pid}${holder.url === undefined ? '' : ` at ${holder.url}`}`
    : 'another process';
  return {
    code: 'folder_busy',
    ...(holder && { pid: holder.pid }),
    ...(holder?.url !== undefined && { url: holder.url }),
    message: `The data folder ${folder} is in use by ${who}. Stop it first, or choose another folder.`,
  };
}

function readHolder(folder: string): Holder | undefined {
  try {
    const { pid, startedAt, url } = JSON.parse(readFileSync(holderPath(folder), 'utf8'));
    if (typeof pid !== 'number' || typeof startedAt !== 'string' || !isAlive(pid)) return undefined;
    return { pid, startedAt, ...(typeof url === 'string' && { url }) };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function holderPath(folder: string): string {
  return join(folder, 'server.json');
}
