import type * as z from 'zod';
import { isLecternError } from '../../errors.ts';
import type { FailedCall } from '../../vault/session.ts';
import { type Operation, writesWith } from '../operation.ts';

/** The parts of a failed call that may be recorded. */
export function failedCall(operation: Operation, input: z.output<z.ZodObject>, error: unknown): FailedCall {
  const paths: Record<string, string> = {};
  for (const key of operation.places) {
    const place: unknown = input[key];
    if (typeof place === 'string') paths[key] = place;
  }
  return {
    tool: operation.name,
    code: isLecternError(error) ? error.code : isAbort(error) ? 'cancelled' : 'internal',
    writes: writesWith(operation, input) && input.dry_run !== true,
    paths,
    ...(typeof input.if_match === 'string' && { before: input.if_match }),
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
