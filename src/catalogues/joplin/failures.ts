import type { LecternError } from '../../errors.ts';
import { type FailedToolCall, type ToolAnswer, textAnswer } from '../catalogue.ts';
import { JsonRpcError } from '../json-rpc-error.ts';

/** A failure that a model can correct: the message is the tool's answer. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/**
 * Expected errors are answered for the model to read.
 *
 * @throws JsonRpcError for an internal error
 */
export function failure(error: LecternError, _call: FailedToolCall): ToolAnswer {
  if (error.code === 'internal') throw new JsonRpcError(-32_603, error.message);
  // Without the current version: the note must be read again.
  if (error.code === 'conflict')
    return textAnswer('The note was changed meanwhile; nothing was written. Read it again.', true);
  return textAnswer(error.next === undefined ? error.message : `${error.message} ${error.next}`, true);
}
