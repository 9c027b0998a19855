import { type CallRequest, callTool, toolLabel } from '../catalogues/call.ts';
import type { CatalogueIdentity, ToolOutcome } from '../catalogues/catalogue.ts';
import type { Log } from '../config/log.ts';
import { isLecternError } from '../errors.ts';
import { inTime } from '../operations/call/limit.ts';
import type { VaultSession } from '../vault/session.ts';

/** Observes calls, so that those in progress can finish before the process exits. */
export interface CallWatcher {
  /** @returns a function to call when the work is over, which may be after its answer timed out */
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

/** The lower of the door's and the catalogue's limit. */
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
 * Runs a call for a client: observed, logged, and with a time limit.
 *
 * @throws JsonRpcError where the catalogue's protocol answers with one
 */
export async function runToolCall(
  { name, ...request }: NamedCall,
  options: ToolCallOptions,
): Promise<ToolOutcome> {
  const { catalogue } = request;
  const callable = [...catalogue.tools, ...(catalogue.dormant ?? [])];
  const tool = callable.find((candidate) => candidate.name === name);
  if (tool !== undefined) return await runTool({ ...request, tool }, options);
  await tellNotOffered(request.vault(), toolLabel(catalogue, name) ?? name);
  return { kind: 'answer', answer: catalogue.unknownTool(name, catalogue.tools) };
}

/** For the audit log. A vault that cannot be opened refuses every call by itself. */
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
  const reads = tool.operations.every(({ effects }) => effects === 'reads');
  const limited = { name: tool.name, effects: reads ? 'reads' : 'writes' } as const;
  let work: Promise<ToolOutcome> | undefined;
  const end = (outcome: ToolOutcome | undefined): void => {
    const ms = Math.round(performance.now() - started);
    over?.();
    const failed = outcome === undefined || (outcome.kind === 'answer' && outcome.answer.isError === true);
    log.debug({ tool: tool.name, ms, failed }, 'tool called');
  };
  const call = (signal: AbortSignal): Promise<ToolOutcome> => {
    work = callTool({
      ...request,
      context: { ...context, signal },
      onUnexpected: (error) => {
        log.error({ tool: tool.name, err: error }, 'tool failed unexpectedly');
        dialogue?.log('error', `${tool.name} failed unexpectedly: the log of Lectern says why.`);
      },
    });
    work.then(end, () => end(undefined));
    return work;
  };
  try {
    return await inTime(limited, context.signal, call, callLimitMs ?? Number.POSITIVE_INFINITY);
  } catch (error) {
    if (work === undefined) end(undefined);
    if (!isLecternError(error)) throw error;
    dialogue?.log('warning', error.message);
    return {
      kind: 'answer',
      answer: request.catalogue.failure(error, { tool, given: request.arguments }),
    };
  }
}
