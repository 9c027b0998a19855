import { isLecternError, LecternError } from '../errors.ts';
import { InputNeeded } from '../operations/call/dialogue.ts';
import { parseInput } from '../operations/call/input.ts';
import { runOperation } from '../operations/call/run.ts';
import type { OperationContext } from '../operations/operation.ts';
import type { VaultSession } from '../vault/session.ts';
import type { Catalogue, CatalogueTool, ToolOutcome, ToolResult } from './catalogue.ts';
import { chooseVault } from './several-vaults.ts';

export interface CallRequest {
  readonly catalogue: Catalogue;
  readonly tool: CatalogueTool;
  readonly arguments: unknown;
  /** Awaited after the arguments were found good, so that a wrong call is answered at once. */
  readonly vault: (name?: string) => Promise<VaultSession>;
  readonly context: OperationContext;
  /** Told about errors that are not for the caller's eyes. */
  readonly onUnexpected: (error: unknown) => void;
}

/** Runs one tool call from arguments to shaped answer. Never throws, except when the call was aborted. */
export async function callTool(request: CallRequest): Promise<ToolOutcome> {
  const { catalogue, tool } = request;
  try {
    return await orFailure(request, async () => {
      const choice = chooseVault(catalogue, tool, request.arguments);
      return choice.all
        ? await overview(request, catalogue.vaults ?? [], choice.arguments)
        : await callOne(request, choice.vault, choice.arguments);
    });
  } catch (error) {
    if (!(error instanceof InputNeeded)) throw error;
    return { kind: 'question', requests: error.requests, state: error.state };
  }
}

async function callOne(request: CallRequest, name: string | undefined, given: unknown): Promise<ToolResult> {
  const { tool, context } = request;
  const input = parseInput(tool.operation, tool.toInput === undefined ? given : tool.toInput(given));
  const vault = await untilAborted(request.vault(name), context.signal);
  const output = await runOperation(tool.operation, vault, input, context);
  return tool.answer(output, input);
}

/** The answers of all vaults in one; a vault that cannot answer, or asks back, does not keep the others from it. */
async function overview(
  { context, ...rest }: CallRequest,
  names: readonly string[],
  given: unknown,
): Promise<ToolResult> {
  const request = { ...rest, context: { ...context, dialogue: undefined } };
  const answers = await Promise.all(
    names.map(async (name) => ({
      name,
      outcome: await orFailure(request, () => callOne(request, name, given)),
    })),
  );
  const vaults = answers.map(({ name, outcome }) => ({
    vault: name,
    ...(outcome.kind === 'answer' ? outcome.structured : { message: outcome.message }),
  }));
  const text = answers.map(
    ({ name, outcome }) => `${name}: ${outcome.kind === 'answer' ? outcome.text : outcome.message}`,
  );
  return { kind: 'answer', isError: false, text: text.join('\n'), structured: { vaults } };
}

async function orFailure(
  { catalogue, context, onUnexpected }: CallRequest,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof InputNeeded && context.dialogue !== undefined) throw error;
    if (isLecternError(error)) return catalogue.failure(error);
    onUnexpected(error);
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
