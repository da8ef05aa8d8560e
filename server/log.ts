import { destination, type Logger, pino } from 'pino';

/** The server's log: JSON lines on standard error, so that standard output stays for what people read. */
export function createLog(level: string | undefined): Logger {
  const known = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
  return pino({ level: level && known.includes(level) ? level : 'warn' }, destination({ dest: 2, sync: true }));
}
