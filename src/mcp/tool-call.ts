import { type CallRequest, callTool } from '../catalogues/call.ts';
import type { CatalogueTool, ToolOutcome } from '../catalogues/catalogue.ts';
import type { Log } from '../config/log.ts';
import { LecternError } from '../errors.ts';

/** Sees calls pass, so that those in flight can finish before the process leaves. */
export interface CallWatcher {
  /** @returns what to call once the work is over, which may be after its answer was given up */
  begin(): () => void;
}

export interface ToolCallOptions {
  readonly log: Log;
  readonly callLimitMs?: number;
  readonly watch?: CallWatcher;
}

/** Runs a call for a client: watched, logged, and answered in time. */
export async function runToolCall(
  request: Omit<CallRequest, 'onUnexpected'>,
  { log, callLimitMs, watch }: ToolCallOptions,
): Promise<ToolOutcome> {
  const { tool, context } = request;
  const { dialogue } = context;
  const started = performance.now();
  const over = watch?.begin();
  const ending = endingWith(context.signal);
  const work = callTool({
    ...request,
    context: { ...context, signal: ending.signal },
    onUnexpected: (error) => {
      log.error({ tool: tool.name, err: error }, 'tool failed unexpectedly');
      dialogue?.log('error', `${tool.name} failed unexpectedly: the log of Lectern says why.`);
    },
  });
  const end = (outcome: ToolOutcome | undefined): void => {
    ending.release();
    const ms = Math.round(performance.now() - started);
    over?.();
    const failed =
      outcome === undefined || outcome.kind === 'protocol' || (outcome.kind === 'answer' && outcome.isError);
    log.debug({ tool: tool.name, ms, failed }, 'tool called');
  };
  work.then(end, () => end(undefined));
  if (callLimitMs === undefined) return await work;
  return await withinLimit(work, callLimitMs, () => {
    ending.abort(new DOMException('The call took too long.', 'TimeoutError'));
    dialogue?.log('warning', `${tool.name} was not done within ${callLimitMs / 1000} s.`);
    return request.catalogue.failure(tooSlow(callLimitMs, tool));
  });
}

/** A signal that aborts with `outer`, or before it by hand. Not `AbortSignal.any`, which keeps track of signals with weak references: much work for the collector at every call. */
function endingWith(outer: AbortSignal) {
  const controller = new AbortController();
  const abort = () => controller.abort(outer.reason);
  if (outer.aborted) abort();
  else outer.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    abort: (reason: unknown) => controller.abort(reason),
    release: () => outer.removeEventListener('abort', abort),
  };
}

async function withinLimit<T>(work: Promise<T>, limitMs: number, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(limitMs: number, tool: CatalogueTool): LecternError {
  const reads = tool.annotations.readOnlyHint;
  return new LecternError('timeout', `${tool.name} was not done within ${limitMs / 1000} s.`, {
    next: reads
      ? 'Ask for less: a smaller limit, a folder, one section.'
      : 'It may still be carried out: look with note_history or note_read before you call it again.',
  });
}
