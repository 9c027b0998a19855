import type { ErrorCode } from '../../errors.ts';

/** The exit codes of commands. */
export const EXIT = { done: 0, failed: 1, usage: 2, absent: 3, refused: 4, conflict: 5 } as const;

const BY_CODE: Readonly<Record<ErrorCode, number>> = {
  invalid_input: EXIT.usage,
  invalid_path: EXIT.usage,
  not_found: EXIT.absent,
  forbidden: EXIT.refused,
  read_only: EXIT.refused,
  conflict: EXIT.conflict,
  exists: EXIT.conflict,
  ambiguous: EXIT.conflict,
  too_large: EXIT.failed,
  unavailable: EXIT.failed,
  ai_unavailable: EXIT.failed,
  timeout: EXIT.failed,
  internal: EXIT.failed,
};

/** The exit code for an error code. */
export function exitCodeFor(code: ErrorCode): number {
  return BY_CODE[code];
}
