import type { ErrorCode, LecternError } from '../../errors.ts';
import { closest } from '../../nearest.ts';
import type { CatalogueTool, FailedToolCall } from '../catalogue.ts';
import { JsonRpcError } from '../json-rpc-error.ts';

/** Codes and names of the system's contract; others are answered as its generic error. */
const FAILURES = {
  not_found: [-32_003, 'FILE_NOT_FOUND'],
  ambiguous: [-32_004, 'AMBIGUOUS_NAME'],
  exists: [-32_000, 'FILE_EXISTS'],
  conflict: [-32_000, 'CONFLICT'],
  invalid_path: [-32_602, 'INVALID_PARAMS'],
  invalid_input: [-32_602, 'INVALID_PARAMS'],
  forbidden: [-32_005, 'PERMISSION_DENIED'],
  read_only: [-32_005, 'PERMISSION_DENIED'],
  too_large: [-32_000, 'FILE_TOO_LARGE'],
  unavailable: [-32_000, 'VAULT_UNAVAILABLE'],
  ai_unavailable: [-32_000, 'SERVER_ERROR'],
  timeout: [-32_006, 'TIMEOUT'],
  internal: [-32_603, 'INTERNAL_ERROR'],
} as const satisfies Record<ErrorCode, readonly [number, string]>;

/** @throws JsonRpcError always: this system answers errors of calls that way */
export function failure(error: LecternError, _call: FailedToolCall): never {
  const [code, errorCode] = FAILURES[error.code];
  if (error.code === 'ambiguous') throw ambiguous(error.message, listed(error.details.candidates));
  if (error.code === 'conflict')
    throw new JsonRpcError(code, 'The note changed while it was being edited; nothing was written.', {
      errorCode,
      nextStep: 'Read it again, then repeat the edit.',
    });
  throw new JsonRpcError(code, error.message, {
    errorCode,
    ...(error.next !== undefined && { nextStep: error.next }),
  });
}

export function ambiguous(message: string, matches: readonly string[]): JsonRpcError {
  return new JsonRpcError(-32_004, `${message} Matches: ${matches.join(', ')}.`, {
    errorCode: 'AMBIGUOUS_NAME',
    matches,
  });
}

export function invalidParams(problem: string, issues: readonly string[] = []): JsonRpcError {
  return new JsonRpcError(-32_602, `Invalid params: ${problem}`, {
    errorCode: 'INVALID_PARAMS',
    ...(issues.length > 0 && { issues }),
  });
}

/** Something other than a note that was named does not exist in the vault. */
export function noSuch(errorCode: string, message: string): JsonRpcError {
  return new JsonRpcError(-32_000, message, { errorCode });
}

export function vaultNotFound(name: string): JsonRpcError {
  return new JsonRpcError(-32_002, `Vault not found: ${name}`, { errorCode: 'VAULT_NOT_FOUND' });
}

/** @throws JsonRpcError always */
export function unknownTool(name: string, offered: readonly CatalogueTool[]): never {
  const shown = name.slice(0, 100);
  const meant = closest(
    shown,
    offered.map((tool) => tool.name),
  );
  throw new JsonRpcError(-32_602, `Unknown tool: ${shown}`, {
    errorCode: 'UNKNOWN_TOOL',
    ...(meant !== undefined && { nextStep: `Did you mean ${meant}?` }),
  });
}

function listed(candidates: unknown): readonly string[] {
  return Array.isArray(candidates) ? candidates.filter((one) => typeof one === 'string') : [];
}
