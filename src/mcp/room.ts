import type { ServerContext } from '@modelcontextprotocol/server';
import type { Catalogue } from '../catalogues/catalogue.ts';
import type { PromptDefinition } from '../catalogues/prompt.ts';
import type { Log } from '../config/log.ts';
import type { Assistants } from '../operations/call/assistants.ts';
import type { Operation } from '../operations/operation.ts';
import type { VaultSession } from '../vault/session.ts';
import type { CompletionSource } from './completion.ts';
import type { Questions } from './questions.ts';

/** The context of one connection's handlers. */
export interface McpRoom {
  readonly catalogue: () => Promise<Catalogue>;
  /** The vault of that name; without one the only vault, or the first. */
  readonly vault: (client: string, name?: string) => Promise<VaultSession>;
  readonly clientName: (context: ServerContext) => string;
  readonly questions: Questions;
  readonly assistants: Assistants | undefined;
  readonly log: Log;
}

/** The data one caller's prompts come from. */
export interface PromptSource extends CompletionSource {
  /** The catalogue's own prompts, beside those of the vault. */
  readonly prompts: readonly PromptDefinition[];
}

/**
 * What a client is offered at this moment, for lists, prompts and completions. These come from the index, so
 * a vault is returned when its index is built or after the wait for it (see {@link
 * VaultSession.untilIndexed}).
 */
export async function sourceFor(
  { catalogue, vault }: McpRoom,
  client: string,
  signal: AbortSignal,
): Promise<PromptSource> {
  const { vaults, prompts = [], vaultResources = false, ...rest } = await catalogue();
  const operations = offeredOperations(rest);
  return {
    offers: (name) => vaultResources && operations.has(name),
    vaults,
    prompts: prompts.filter(({ needs }) => needs.every((name) => operations.has(name))),
    vault: async (name) => {
      const session = await vault(client, name);
      await session.untilIndexed(signal);
      return session;
    },
  };
}

const operationsOf = new WeakMap<Catalogue['tools'], ReadonlyMap<string, Operation>>();

/** The operations of the tools a caller is offered, by name. */
export function offeredOperations({ tools }: Pick<Catalogue, 'tools'>): ReadonlyMap<string, Operation> {
  const known = operationsOf.get(tools);
  if (known !== undefined) return known;
  const operations = new Map(tools.flatMap((tool) => tool.operations).map((each) => [each.name, each]));
  operationsOf.set(tools, operations);
  return operations;
}
