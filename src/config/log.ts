/** Lectern's log interface. Fields contain facts about the work, never note text or secrets. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Method = keyof Log;

/**
 * A log to stderr, one JSON line per entry. The writer is loaded with the first entry at or above the level,
 * so that it does not delay the first answer.
 */
export function createLog(level: LogLevel): Log & { flush(): Promise<void> } {
  let writer: Promise<Log> | undefined;
  const due = (method: Method) => LOG_LEVELS.indexOf(method) <= LOG_LEVELS.indexOf(level);
  const write = (method: Method, fields: object, message: string): void => {
    if (!due(method)) return;
    writer ??= loadWriter(level);
    void writer.then((log) => log[method](fields, message));
  };
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
    flush: async () => {
      await writer;
    },
  };
}

async function loadWriter(level: LogLevel): Promise<Log> {
  // The default alone: in the bundle a CommonJS module has no other names.
  const { default: pino } = await import('pino');
  const destination = pino.destination({ dest: 2, sync: true });
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}
