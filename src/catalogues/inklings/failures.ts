import type { ErrorCode, LecternError } from '../../errors.ts';
import { closest } from '../../nearest.ts';
import type { CatalogueTool, FailedToolCall } from '../catalogue.ts';
import { JsonRpcError } from '../json-rpc-error.ts';

/** JSON-RPC codes of the system's five kinds of errors. */
const NOT_FOUND = -32_002;
const INVALID_PARAMS = -32_602;
const INVALID_REQUEST = -32_600;
const INTERNAL = -32_603;

const CODES: Readonly<Record<ErrorCode, number>> = {
  not_found: NOT_FOUND,
  ambiguous: INVALID_PARAMS,
  exists: INVALID_PARAMS,
  invalid_path: INVALID_PARAMS,
  invalid_input: INVALID_PARAMS,
  too_large: INVALID_PARAMS,
  forbidden: INVALID_REQUEST,
  read_only: INVALID_REQUEST,
  conflict: INTERNAL,
  unavailable: INTERNAL,
  ai_unavailable: INTERNAL,
  timeout: INTERNAL,
  internal: INTERNAL,
};

/** @throws JsonRpcError always: this system answers errors of calls that way */
export function failure(error: LecternError, _call?: FailedToolCall): never {
  if (error.code === 'conflict')
    throw new JsonRpcError(CODES.conflict, 'The page was changed meanwhile; nothing was written.', {
      next: 'Read it again, then repeat the change.',
    });
  throw new JsonRpcError(CODES[error.code], error.message, error.next ? { next: error.next } : undefined);
}

export function pageNotFound(slug: string, next?: string): JsonRpcError {
  return new JsonRpcError(
    NOT_FOUND,
    `Page not found: ${slug.slice(0, 200)}`,
    next === undefined ? undefined : { next },
  );
}

export function resourceNotFound(uri: string): JsonRpcError {
  return new JsonRpcError(NOT_FOUND, `Resource not found: ${uri.slice(0, 300)}`);
}

export function invalidParams(message: string): JsonRpcError {
  return new JsonRpcError(INVALID_PARAMS, message);
}

/**
 * @param known names of all tools, including those that are not offered
 * @throws JsonRpcError always
 */
export function unknownTool(
  name: string,
  offered: readonly CatalogueTool[],
  known: readonly string[],
): never {
  if (known.includes(name))
    throw new JsonRpcError(INVALID_REQUEST, `Permission denied: ${name} is not allowed here`);
  const meant = closest(
    name,
    offered.map((tool) => tool.name),
  );
  throw new JsonRpcError(INVALID_PARAMS, 'tool not found', {
    tool: name.slice(0, 100),
    ...(meant !== undefined && { next: `Did you mean ${meant}?` }),
  });
}
