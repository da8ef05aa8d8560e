import { destination, type Logger, pino } from 'pino';

/** From the fewest lines to the most. */
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The server's log: JSON lines on standard error, so that standard output stays for what people read. */
export function createLog(level: LogLevel): Logger {
  return pino({ level }, destination({ dest: 2, sync: true }));
}
