import { randomBytes } from 'node:crypto';
import { link, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { limits } from '../../shared/plan/limits.ts';
import { ok, type Result } from '../../shared/plan/result.ts';
import { type CliFailure, cliFailure, exitCodes } from './failure.ts';
import type { Io } from './output.ts';

/** The text of a file, or of stdin for `-`. It must be UTF-8 and fit a request. */
export async function readText(path: string, { stdin }: Io): Promise<Result<string, CliFailure>> {
  const name = path === '-' ? 'stdin' : `'${path}'`;
  let bytes: Buffer;
  try {
    bytes = path === '-' ? await readAll(stdin) : await readFile(path);
  } catch (error) {
    return fileFailure('read', name, error);
  }
  if (bytes.length > limits.httpBodyBytesMax) {
    const message = `${name} is larger than ${limits.httpBodyBytesMax} bytes, which is the most that can be sent.`;
    return cliFailure('too_large', message, exitCodes.rejected);
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return cliFailure('not_text', `${name} is not UTF-8 text.`, exitCodes.rejected);
  }
}

/** Writes a whole file or nothing: readers never see half of it. A file that is there stays, unless `force`. */
export async function writeText(path: string, text: string, force: boolean): Promise<Result<void, CliFailure>> {
  if (await isFolder(path)) {
    const message = `'${path}' is a folder; name a file in it.`;
    return cliFailure('file_not_found', message, exitCodes.rejected);
  }
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    try {
      if (force) await rename(temporary, path);
      else await link(temporary, path);
    } finally {
      await unlink(temporary).catch(() => undefined);
    }
    return ok(undefined);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return cliFailure('file_exists', `'${path}' is there already. Overwrite it with --force.`, exitCodes.rejected);
    }
    return fileFailure('write', `'${path}'`, error);
  }
}

async function readAll(stream: NodeJS.ReadStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    // One more than allowed is enough to refuse it.
    if (bytes > limits.httpBodyBytesMax) break;
  }
  return Buffer.concat(chunks);
}

function fileFailure(verb: 'read' | 'write', name: string, error: unknown) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isMissing = code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR';
  const exitCode = isMissing ? exitCodes.rejected : exitCodes.unreachable;
  const why = reasons[verb][code] ?? message;
  return cliFailure(isMissing ? 'file_not_found' : 'file_error', `Cannot ${verb} ${name}: ${why}.`, exitCode);
}

const reasons: Readonly<Record<'read' | 'write', Readonly<Record<string, string>>>> = {
  read: {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder; name a file in it',
    ENOTDIR: 'a part of the path is a file',
    EACCES: 'you may not read it',
  },
  write: {
    ENOENT: 'its folder is not there',
    ENOTDIR: 'a part of the path is a file',
    EACCES: 'you may not write there',
    EPERM: 'you may not write there',
    EROFS: 'the file system refuses writes',
    ENOSPC: 'the disk is full',
  },
};

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
