import { type CallRequest, callTool, toolLabel } from '../catalogues/call.ts';
import type { CatalogueIdentity, CatalogueTool, ToolOutcome } from '../catalogues/catalogue.ts';
import type { Log } from '../config/log.ts';
import { LecternError } from '../errors.ts';
import type { VaultSession } from '../vault/session.ts';

/** Sees calls pass, so that those in flight can finish before the process leaves. */
export interface CallWatcher {
  /** @returns what to call once the work is over, which may be after its answer was given up */
  begin(): () => void;
}

export interface ToolCallOptions {
  readonly log: Log;
  readonly callLimitMs?: number | undefined;
  readonly watch?: CallWatcher;
}

export interface NamedCall extends Omit<CallRequest, 'tool' | 'onUnexpected'> {
  /** Of the tool, as the client called it. */
  readonly name: string;
}

/** The shorter of what the door allows and what the catalogue's system does. */
export function callLimit({
  identity,
  callLimitMs = Number.POSITIVE_INFINITY,
}: {
  readonly identity: CatalogueIdentity;
  readonly callLimitMs?: number;
}): number | undefined {
  const limit = Math.min(callLimitMs, identity.protocol.callLimitMs ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(limit) ? limit : undefined;
}

/**
 * Runs a call for a client: watched, logged, and answered in time.
 *
 * @throws JsonRpcError where the catalogue's system answers so
 */
export async function runToolCall(
  { name, ...request }: NamedCall,
  options: ToolCallOptions,
): Promise<ToolOutcome> {
  const { catalogue } = request;
  const tool = catalogue.tools.find((candidate) => candidate.name === name);
  if (tool !== undefined) return await runTool({ ...request, tool }, options);
  await tellNotOffered(request.vault(), toolLabel(catalogue, name) ?? name);
  return { kind: 'answer', answer: catalogue.unknownTool(name, catalogue.tools) };
}

/** For the audit. A vault that cannot be opened refuses everything by itself. */
async function tellNotOffered(session: Promise<VaultSession>, tool: string): Promise<void> {
  const vault = await session.catch(() => undefined);
  vault?.failed({ tool, code: 'not_offered', writes: false });
}

async function runTool(
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
    const failed = outcome === undefined || (outcome.kind === 'answer' && outcome.answer.isError === true);
    log.debug({ tool: tool.name, ms, failed }, 'tool called');
  };
  work.then(end, () => end(undefined));
  if (callLimitMs === undefined) return await work;
  return await withinLimit(work, callLimitMs, () => {
    ending.abort(new DOMException('The call took too long.', 'TimeoutError'));
    dialogue?.log('warning', `${tool.name} was not done within ${callLimitMs / 1000} s.`);
    const call = { tool, given: request.arguments };
    return { kind: 'answer', answer: request.catalogue.failure(tooSlow(callLimitMs, tool), call) };
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
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  }).then(late);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(limitMs: number, tool: CatalogueTool): LecternError {
  const reads = tool.operations.every(({ effects }) => effects === 'reads');
  return new LecternError('timeout', `${tool.name} was not done within ${limitMs / 1000} s.`, {
    next: reads
      ? 'Ask for less: a smaller limit, a folder, one section.'
      : 'It may still be carried out: look with note_history or note_read before you call it again.',
  });
}
