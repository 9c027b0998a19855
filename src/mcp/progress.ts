import type { ServerContext } from '@modelcontextprotocol/server';
import { partialPayload } from '../operations/call/partial.ts';
import type { OperationContext, PartialAnswer } from '../operations/operation.ts';

export interface ProgressReporter {
  readonly report: OperationContext['progress'];
  /** Undefined when the client did not ask for progress. */
  readonly partial: OperationContext['partial'];
  /** Stops progress messages: none may follow the answer. */
  finish(): void;
}

/**
 * Progress added by a piece of an answer, small against the whole numbers counted otherwise, since progress
 * must always increase.
 */
const STEP = 2 ** -20;

/** Sends progress to a client that gave a token; values that do not increase are dropped. */
export function progressReporter(context: ServerContext): ProgressReporter {
  const token = context.mcpReq._meta?.progressToken;
  let last = Number.NEGATIVE_INFINITY;
  let open = token !== undefined;
  const send = (progress: number, rest: Record<string, unknown>): void => {
    if (!open || token === undefined || progress <= last) return;
    last = progress;
    const params = { progressToken: token, progress, ...rest };
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {
      // The client has disconnected; sending the answer will show that too.
      open = false;
    });
  };
  return {
    report: (done, total, message) =>
      send(done, { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }),
    partial:
      token === undefined
        ? undefined
        : (part) => send(Math.max(last, 0) + STEP, { message: messageOf(part), _meta: partialPayload(part) }),
    finish: () => {
      open = false;
    },
  };
}

/** For clients that show progress as text. */
function messageOf(part: PartialAnswer): string {
  if (part.kind === 'partial') return part.text;
  return part.kind;
}
