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
  /** Lists a set of tools in this connection; undefined where lists are the same for every connection. */
  readonly showToolset?: (set: Toolset) => void;
  /** Told about errors that are not for the caller's eyes. */
  readonly onUnexpected: (error: unknown) => void;
}

/**
 * Runs one tool call from arguments to shaped answer.
 *
 * @throws JsonRpcError where the catalogue's system fails so; the signal's reason when the call was aborted
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

/** How the journal and the audit log name a tool; undefined where it has its operation's own name. */
export function toolLabel({ name }: Catalogue, tool: string): string | undefined {
  return name === NATIVE ? undefined : `${name}/${tool}`;
}

/**
 * What a tool or a resource of a catalogue works with.
 *
 * @param own the vault that it is for; undefined = the only one, or the first
 * @param runs the operations that it may run: it was offered because all of these are
 * @param label as the journal is to name it; undefined = by the operation that runs
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
    // A cancelled call does not wait for a vault that is still being opened.
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
    // The input first, which needs no vault: a wrong call is answered at once.
    run: async (operation, input) => await runChecked(operation, parseInput(operation, input)),
    runChecked,
  };
}

/** The answers of all vaults in one; a vault that cannot answer, or asks back, does not keep the others from it. */
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
