import type * as z from 'zod';
import { isLecternError, LecternError } from '../errors.ts';
import { InputNeeded } from '../operations/call/dialogue.ts';
import { parseInput } from '../operations/call/input.ts';
import { runOperation } from '../operations/call/run.ts';
import type { Operation, OperationContext, Toolset } from '../operations/operation.ts';
import { untilAborted } from '../stoppable.ts';
import type { VaultSession } from '../vault/session.ts';
import type { CallContext, Catalogue, CatalogueTool, ToolAnswer, ToolOutcome } from './catalogue.ts';
import { JsonRpcError } from './json-rpc-error.ts';
import { NATIVE } from './list.ts';
import { chooseVault, vaultNamed } from './several-vaults.ts';

export interface CallRequest {
  readonly catalogue: Catalogue;
  readonly tool: CatalogueTool;
  readonly arguments: unknown;
  /** The vault of that name; without one the only vault, or the first. */
  readonly vault: (name?: string) => Promise<VaultSession>;
  readonly context: OperationContext;
  /** Adds a set of tools to this connection's list; undefined where lists are the same for every connection. */
  readonly showToolset?: (set: Toolset) => void;
  /** Receives errors that must not be shown to callers. */
  readonly onUnexpected: (error: unknown) => void;
}

/**
 * Runs one tool call, from arguments to answer.
 *
 * @throws JsonRpcError where the catalogue's system fails that way; the signal's reason on abort
 */
export async function callTool(request: CallRequest): Promise<ToolOutcome> {
  const { catalogue, tool } = request;
  try {
    const answer = await orFailure(request, async () => {
      const choice = chooseVault(catalogue, tool, request.arguments);
      return choice.all
        ? await overview(request, catalogue.vaults ?? [], choice.arguments)
        : await callOne(request, choice.vault, choice.arguments);
    });
    return { kind: 'answer', answer };
  } catch (error) {
    if (!(error instanceof InputNeeded)) throw error;
    return { kind: 'question', question: { requests: error.requests, state: error.state } };
  }
}

function callOne(request: CallRequest, name: string | undefined, given: unknown): Promise<ToolAnswer> {
  const { catalogue, tool } = request;
  const context = callContext(request, name, tool.operations, toolLabel(catalogue, tool.name));
  const showToolset = (set: Toolset): boolean => {
    request.showToolset?.(set);
    return request.showToolset !== undefined;
  };
  return tool.call(given, { ...context, tool: tool.name, showToolset });
}

/** The tool's name in the journal and the audit log; undefined when it equals its operation's. */
export function toolLabel({ name }: Catalogue, tool: string): string | undefined {
  return name === NATIVE ? undefined : `${name}/${tool}`;
}

/**
 * The context of a tool or resource.
 *
 * @param own the vault of the call; undefined = the only one, or the first
 * @param runs the operations it may run; all of them are offered to the caller
 * @param label name in the journal; undefined = the operation's
 */
export function callContext(
  { catalogue, vault, context }: Pick<CallRequest, 'catalogue' | 'vault' | 'context'>,
  own: string | undefined,
  runs: readonly Operation[],
  label: string | undefined,
): CallContext {
  const { vaults } = catalogue;
  const opened = new Map<string | undefined, Promise<VaultSession>>();
  const open = (name?: string): Promise<VaultSession> => {
    const wanted = name === undefined || vaults === undefined ? own : vaultNamed(vaults, name);
    // A cancelled call does not wait for a vault that is being opened.
    const session =
      opened.get(wanted) ?? untilAborted(sessionFor(vault(wanted), label, context), context.signal);
    opened.set(wanted, session);
    return session;
  };
  async function runChecked<Input extends z.ZodObject, Output extends z.ZodObject>(
    operation: Operation<Input, Output>,
    input: z.output<Input>,
  ): Promise<z.output<Output>> {
    if (!runs.some(({ name }) => name === operation.name))
      throw new Error(`${operation.name} is not among the operations that this tool says it runs.`);
    return (await runOperation(operation, await open(), input, context)) as z.output<Output>;
  }
  return {
    ...context,
    vaults: vaults ?? [],
    vault: open,
    // The input is checked first, without a vault: a wrong call is answered at once.
    run: async (operation, input) => await runChecked(operation, parseInput(operation, input)),
    runChecked,
  };
}

/** The answers of all vaults in one; a vault that fails, or asks questions, does not affect the others. */
async function overview(
  { context, ...rest }: CallRequest,
  names: readonly string[],
  given: unknown,
): Promise<ToolAnswer> {
  const request = { ...rest, context: { ...context, dialogue: undefined } };
  const answers = await Promise.all(
    names.map(async (name) => ({
      name,
      answer: await orFailure(request, () => callOne(request, name, given)),
    })),
  );
  return {
    content: [
      { type: 'text', text: answers.map(({ name, answer }) => `${name}: ${textOf(answer)}`).join('\n') },
    ],
    structuredContent: {
      vaults: answers.map(({ name, answer }) => ({ vault: name, ...answer.structuredContent })),
    },
  };
}

function textOf({ content }: ToolAnswer): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

async function orFailure(
  { catalogue, tool, arguments: given, context, onUnexpected }: CallRequest,
  work: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  try {
    return await work();
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof JsonRpcError) throw error;
    if (error instanceof InputNeeded && context.dialogue !== undefined) throw error;
    if (isLecternError(error)) return catalogue.failure(error, { tool, given });
    onUnexpected(error);
    const internal = new LecternError(
      'internal',
      'Lectern failed on its own account; nothing was changed by this call.',
      { cause: error, next: 'Try again; if it fails again, look at the log on stderr.' },
    );
    return catalogue.failure(internal, { tool, given });
  }
}

async function sessionFor(
  session: Promise<VaultSession>,
  label: string | undefined,
  { signal }: Pick<OperationContext, 'signal'>,
): Promise<VaultSession> {
  const own = (await session).until(signal);
  return label === undefined ? own : own.as(label);
}
