import { rmSync, statSync } from 'node:fs';
import { filePath, logPath } from './sqlite-file.ts';

/** What a foreign hand did to the files under us; what is written into such files may be lost. */
export type FileLoss =
  /** planroom.db lost its name, and its log with it. */
  | 'database'
  /** The log lost its name; ours is still open and whole. */
  | 'log'
  /** The log was cut short; what stood there is gone. */
  | 'log cut';

interface Seen {
  readonly identity: string;
  readonly size: number;
}

/**
 * Watches that planroom.db and its log are still the files that are open, and the log as long as we left it: SQLite alone
 * would go on writing into a file that nobody finds again. Looks at names alone, for opening the files here would drop
 * SQLite's locks. To look costs two calls of the system, about 2 µs; so does to remember.
 */
export class FileWatch {
  private readonly database: string;
  private readonly log: string;
  private databaseIdentity: string | undefined;
  private seenLog: Seen | undefined;

  /** The database in the folder has just been opened. */
  constructor(folder: string) {
    this.database = filePath(folder);
    this.log = logPath(folder);
    this.databaseIdentity = look(this.database)?.identity;
    this.seenLog = look(this.log);
  }

  /** Before a write: what happened since the last one of ours. */
  lossBefore(): FileLoss | undefined {
    if (look(this.database)?.identity !== this.databaseIdentity) return 'database';
    if (!this.seenLog) return undefined;
    const log = look(this.log);
    if (log?.identity !== this.seenLog.identity) return 'log';
    return log.size < this.seenLog.size ? 'log cut' : undefined;
  }

  /** After a write, which may also have made the log shorter: what happened while it ran. */
  lossAfter(): FileLoss | undefined {
    if (look(this.database)?.identity !== this.databaseIdentity) return 'database';
    const log = look(this.log);
    if (this.seenLog && log?.identity !== this.seenLog.identity) return 'log';
    this.seenLog = log;
    return undefined;
  }

  /** Once ours is empty: a log of others under its name would be taken for one of this database. */
  removeForeignLog(): void {
    if (look(this.log)?.identity !== this.seenLog?.identity) rmSync(this.log, { force: true });
  }
}

function look(path: string): Seen | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && { identity: `${stat.dev} ${stat.ino}`, size: stat.size };
}
