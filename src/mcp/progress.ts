import type { ServerContext } from '@modelcontextprotocol/server';
import type { OperationContext } from '../operations/operation.ts';

export interface ProgressReporter {
  readonly report: OperationContext['progress'];
  /** Nothing is sent from here on: a progress message must never follow the answer. */
  finish(): void;
}

/** Sends progress to the client that gave a token; values that do not increase are dropped. */
export function progressReporter(context: ServerContext): ProgressReporter {
  const token = context.mcpReq._meta?.progressToken;
  let last = Number.NEGATIVE_INFINITY;
  let open = token !== undefined;
  return {
    report: (done, total, message) => {
      if (!open || token === undefined || done <= last) return;
      last = done;
      const params = {
        progressToken: token,
        progress: done,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      };
      context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {
        // The client is gone; the answer will find out as well.
        open = false;
      });
    },
    finish: () => {
      open = false;
    },
  };
}
