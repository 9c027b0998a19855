import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { JsonRpcError } from '../catalogues/json-rpc-error.ts';
import type { Log } from '../config/log.ts';
import { isLecternError } from '../errors.ts';
import { isRecord } from '../is-record.ts';

/**
 * Runs the work of a request whose failure is a protocol error: resources, prompts and completions have no
 * error result of their own.
 */
export async function orProtocolError<T>(
  what: { readonly uri?: string; readonly name?: string },
  log: Log,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof JsonRpcError) throw new ProtocolError(error.code, error.message, error.data);
    if (isLecternError(error)) {
      const { code, message, details, next } = error;
      const text = next === undefined ? message : `${message} ${next}`;
      const wire = code === 'internal' ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
      throw new ProtocolError(wire, text, {
        ...(what.uri !== undefined && { uri: what.uri }),
        code,
        details,
        next,
      });
    }
    if (error instanceof Error && error.name === 'AbortError') throw error;
    log.error({ ...what, err: error }, 'request failed unexpectedly');
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Lectern failed on its own account.');
  }
}

/** Whether an error's data says that a URI names no resource. Other URI schemes are not ours. */
export function isMissingResource(data: unknown): boolean {
  if (!isRecord(data) || typeof data.uri !== 'string') return false;
  return (
    data.code === 'not_found' || (data.code === 'invalid_path' && !/^(?:vaults?|ai):\/\//.test(data.uri))
  );
}
