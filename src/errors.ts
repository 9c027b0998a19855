/**
 * The one family of errors Lectern raises. Every door maps `code` to its own format (MCP `isError`, HTTP
 * status, exit code); no other error is ever shown to a client.
 */
export const ERROR_CODES = [
  'not_found',
  'conflict',
  'ambiguous',
  'exists',
  'invalid_path',
  'invalid_input',
  'forbidden',
  'too_large',
  'read_only',
  'unavailable',
  'ai_unavailable',
  'timeout',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface LecternErrorOptions {
  /** Machine-readable facts: candidates, lines, the offending key. Never secrets, never another note's text. */
  details?: Record<string, unknown>;
  /** What the caller should do next, as one sentence. */
  next?: string;
  /** The cause. Logged, never sent. */
  cause?: unknown;
}

/**
 * @param code stable string, see {@link ERROR_CODES}
 * @param message one sentence that says what happened
 */
export class LecternError extends Error {
  override readonly name = 'LecternError';
  readonly details: Record<string, unknown>;
  readonly next: string | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: LecternErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.details = options.details ?? {};
    this.next = options.next;
  }
}

/** True for errors that may be shown to a client unchanged. */
export function isLecternError(error: unknown): error is LecternError {
  return error instanceof LecternError;
}
