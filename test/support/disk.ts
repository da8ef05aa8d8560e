import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small disk of its own. Undefined where this process may not mount one. */
export type Disk = MountedDisk | undefined;

export function mountMemoryDisk(bytes: number): Disk {
  return mount('tmpfs', 'tmpfs', `size=${bytes}`);
}

/** A file system in a file; unlike one in memory it can fail while files on it are open. */
export function mountFileDisk(bytes: number): Disk {
  const image = join(mkdtempSync(join(tmpdir(), 'planroom-image-')), 'image');
  const isMade = run('truncate', '-s', String(bytes), image) && run('mkfs.ext4', '-q', image);
  const disk = isMade ? mount('ext4', image, 'loop') : undefined;
  if (!disk) rmSync(join(image, '..'), { recursive: true });
  return disk;
}

class MountedDisk {
  readonly folder: string;
  private readonly type: string;
  private readonly source: string;
  private readonly options: string;

  constructor(folder: string, type: string, source: string, options: string) {
    this.folder = folder;
    this.type = type;
    this.source = source;
    this.options = options;
  }

  /** For a disk without open files. */
  setReadOnly(readOnly: boolean): void {
    must('mount', '-o', `remount,${readOnly ? 'ro' : 'rw'}`, this.folder);
  }

  /** Read-only from now on although files are open, as after an error of the device. */
  failAsDevice(): void {
    must('mount', '-o', 'remount,abort', this.folder);
  }

  /** Leaves an empty folder, although files are open. */
  unmount(): void {
    must('umount', '--lazy', this.folder);
  }

  mountAgain(): void {
    must('mount', '-t', this.type, '-o', this.options, this.source, this.folder);
  }

  remove(): void {
    must('umount', '--lazy', this.folder);
    rmSync(this.folder, { recursive: true });
    if (this.type === 'ext4') rmSync(join(this.source, '..'), { recursive: true });
  }
}

function mount(type: string, source: string, options: string): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'planroom-disk-'));
  if (run('mount', '-t', type, '-o', options, source, folder)) return new MountedDisk(folder, type, source, options);
  rmSync(folder, { recursive: true });
  return undefined;
}

/** Files of this process may not grow past this; undefined: as far as they like. False where that cannot be set. */
export function limitFileSize(bytes: number | undefined): boolean {
  return run('prlimit', `--pid=${process.pid}`, `--fsize=${bytes ?? 'unlimited'}:`);
}

function must(command: string, ...args: string[]): void {
  if (!run(command, ...args)) throw new Error(`${command} ${args.join(' ')} failed`);
}

function run(command: string, ...args: string[]): boolean {
  return spawnSync(command, args).status === 0;
}
