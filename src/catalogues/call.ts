import { isLecternError, LecternError } from '../errors.ts';
import { parseInput } from '../operations/input.ts';
import type { OperationContext } from '../operations/operation.ts';
import { runOperation } from '../operations/run.ts';
import type { VaultSession } from '../vault/session.ts';
import type { Catalogue, CatalogueTool, ToolOutcome } from './catalogue.ts';

export interface CallRequest {
  readonly catalogue: Catalogue;
  readonly tool: CatalogueTool;
  readonly arguments: unknown;
  /** Awaited after the arguments were found good, so that a wrong call is answered at once. */
  readonly vault: () => Promise<VaultSession>;
  readonly context: OperationContext;
  /** Told about errors that are not for the caller's eyes. */
  readonly onUnexpected: (error: unknown) => void;
}

/** Runs one tool call from arguments to shaped answer. Never throws, except when the call was aborted. */
export async function callTool(request: CallRequest): Promise<ToolOutcome> {
  const { catalogue, tool, context } = request;
  try {
    const given = tool.toInput === undefined ? request.arguments : tool.toInput(request.arguments);
    const input = parseInput(tool.operation, given);
    const vault = await untilAborted(request.vault(), context.signal);
    const output = await runOperation(tool.operation, vault, input, context);
    return tool.answer(output, input);
  } catch (error) {
    context.signal.throwIfAborted();
    if (isLecternError(error)) return catalogue.failure(error);
    request.onUnexpected(error);
    return catalogue.failure(
      new LecternError('internal', 'Lectern failed on its own account; nothing was changed by this call.', {
        next: 'Try again; if it fails again, look at the log on stderr.',
      }),
    );
  }
}

/** A cancelled call does not wait for a vault that is still being opened. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
