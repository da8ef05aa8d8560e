import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Failure, Files } from '../../shared/dialects/dialect.ts';
import { ok, type Result } from '../../shared/plan/result.ts';

/**
 * Files inside the folders the server was given, links resolved. Of a read, what was opened is checked again; a write trusts
 * that nobody swaps a folder on the way meanwhile. Nothing is waited for: a FIFO or device is refused, not read.
 */
export class FolderFiles implements Files {
  private readonly folders: readonly string[];

  /** Absolute paths. */
  constructor(folders: readonly string[]) {
    this.folders = folders;
  }

  async read(path: string, bytesMax: number): Promise<Result<string, Failure>> {
    if (path.length > pathCharactersMax) return refused(pathTooLong);
    const allowed = await this.resolveExisting(path);
    if (!allowed.ok) return allowed;
    let handle: FileHandle | undefined;
    try {
      handle = await open(allowed.value, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
      // What was opened is what counts: a folder on the way may have been swapped since.
      if (!(await this.isInside(await openedPath(handle, allowed.value)))) return this.outside(path);
      const opened = await handle.stat();
      if (opened.isDirectory()) return refused(`'${path}' is a directory, not a file.`);
      if (!opened.isFile()) return refused(`'${path}' is not a regular file.`);
      if (opened.size > bytesMax) return refused(tooLarge(path, opened.size, bytesMax));
      return await readText(handle, path, bytesMax);
    } catch (error) {
      return refused(explain(path, error));
    } finally {
      await handle?.close();
    }
  }

  async write(path: string, text: string): Promise<Result<{ path: string; bytes: number }, Failure>> {
    if (path.length > pathCharactersMax) return refused(pathTooLong);
    const allowed = await this.resolveNew(path);
    if (!allowed.ok) return allowed;
    const target = allowed.value;
    const temporary = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      const there = await stat(target).catch(() => undefined);
      if (there?.isDirectory()) return refused(`'${path}' is a directory; name a file.`);
      if (there && !there.isFile()) return refused(`'${path}' is not a regular file; name another.`);
      const bytes = await writeDurably(temporary, text);
      await rename(temporary, target);
      return ok({ path: target, bytes });
    } catch (error) {
      await rm(temporary, { force: true });
      return refused(explain(path, error));
    }
  }

  private async resolveExisting(path: string): Promise<Result<string, Failure>> {
    try {
      const real = await realpath(resolve(path));
      return (await this.isInside(real)) ? ok(real) : this.outside(path);
    } catch (error) {
      // Whether a file outside is there or not is nobody's business.
      return (await this.isInside(resolve(path))) ? refused(explain(path, error)) : this.outside(path);
    }
  }

  /** The parents are made as far as they are missing, none of them outside; a link at the end is replaced, not followed. */
  private async resolveNew(path: string): Promise<Result<string, Failure>> {
    const target = resolve(path);
    try {
      const existing = await realpath(await nearestExisting(dirname(target)));
      if (!(await this.isInside(existing))) return this.outside(path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      const folder = await realpath(dirname(target));
      return (await this.isInside(folder)) ? ok(join(folder, basename(target))) : this.outside(path);
    } catch (error) {
      return refused(explain(path, error));
    }
  }

  private async isInside(path: string): Promise<boolean> {
    for (const folder of this.folders) {
      const real = await realpath(folder).catch(() => undefined);
      if (real !== undefined && (path === real || path.startsWith(real.endsWith(sep) ? real : real + sep))) return true;
    }
    return false;
  }

  private outside(path: string): { readonly ok: false; readonly error: Failure } {
    const where =
      this.folders.length > 0
        ? `Files are reached in: ${this.folders.join(', ')}.`
        : 'The server was given no folder for files; it needs --files <folder>.';
    return refused(`'${path.slice(0, 500)}' is outside of what this server may reach. ${where}`);
  }
}

/** Longer ones no system opens, and each part of one costs a look at the disk. */
const pathCharactersMax = 4_096;
const pathTooLong = `A path may have ${pathCharactersMax} characters.`;

/** Where an open file really is, as far as the system tells. */
async function openedPath(handle: FileHandle, path: string): Promise<string> {
  return realpath(`/proc/self/fd/${handle.fd}`).catch(() => realpath(path));
}

/** Reads one byte more than allowed at most: a file can grow after it was measured. */
async function readText(handle: FileHandle, path: string, bytesMax: number): Promise<Result<string, Failure>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(1024 * 1024), 0, 1024 * 1024, bytes);
    if (bytesRead === 0) break;
    bytes += bytesRead;
    if (bytes > bytesMax) return refused(tooLarge(path, bytes, bytesMax));
    pieces.push(buffer.subarray(0, bytesRead));
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces)));
  } catch {
    return refused(`'${path}' is not UTF-8 text.`);
  }
}

async function writeDurably(path: string, text: string): Promise<number> {
  const bytes = Buffer.from(text, 'utf8');
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return bytes.length;
}

async function nearestExisting(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    const there = await stat(path).catch(() => undefined);
    if (there || path === dirname(path)) return path;
  }
}

function tooLarge(path: string, bytes: number, bytesMax: number): string {
  return `'${path}' is too large: it has ${bytes} bytes or more, at most ${bytesMax} are allowed.`;
}

function explain(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `'${path}' does not exist: no such file.`;
  if (code === 'EACCES' || code === 'EPERM') return `'${path}' may not be read or written by the server (${code}).`;
  if (code === 'ENOTDIR') return `A part of '${path}' is a file, not a directory.`;
  return `'${path}' cannot be used: ${message}.`;
}

function refused(message: string): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: { code: 'invalid', message } };
}
