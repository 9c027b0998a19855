import { type ErrorCode, isLecternError, LecternError } from '../../errors.ts';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  not_found: 404,
  conflict: 409,
  ambiguous: 409,
  exists: 409,
  invalid_path: 400,
  invalid_input: 400,
  forbidden: 403,
  read_only: 403,
  too_large: 413,
  unavailable: 503,
  ai_unavailable: 503,
  timeout: 504,
  internal: 500,
};

/** The error of an envelope: an RFC 9457 (7807) problem with Lectern's code and next step. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly next?: string;
}

/** @param isPrecondition the request named a version: a conflict is a failed precondition */
export function problemOf(error: LecternError, isPrecondition = false): Problem {
  const failed = isPrecondition && (error.code === 'conflict' || error.code === 'exists');
  return {
    type: `urn:lectern:error:${error.code}`,
    title: error.code.replaceAll('_', ' '),
    status: failed ? 412 : STATUS[error.code],
    detail: error.message,
    code: error.code,
    details: error.code === 'conflict' ? withoutVersions(error.details) : error.details,
    ...(error.next !== undefined && { next: error.next }),
  };
}

export function ok(data: unknown, headers: Record<string, string> = {}, status = 200): Response {
  return Response.json({ ok: true, data }, { status, headers });
}

export function failed(problem: Problem, headers: Record<string, string> = {}): Response {
  return Response.json({ ok: false, error: problem }, { status: problem.status, headers });
}

/** Errors that must not be shown to callers are logged and become `internal`. */
export function shown(error: unknown, report: (error: unknown) => void): LecternError {
  if (isLecternError(error)) return error;
  report(error);
  return new LecternError('internal', 'Lectern failed on its own account.', {
    next: 'Try again; if it fails again, look at the log on stderr.',
  });
}

/** As at every other door: the caller must read again before it writes again. */
function withoutVersions(details: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([key]) => !/etag|version/i.test(key)));
}

/** Header values must be ASCII. */
export function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
