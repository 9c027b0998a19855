import type { ServerContext } from '@modelcontextprotocol/server';
import type { Catalogue } from '../catalogues/catalogue.ts';
import type { Log } from '../config/log.ts';
import type { VaultSession } from '../vault/session.ts';
import type { McpExtension } from './extension.ts';
import type { PromptSource } from './prompts.ts';
import type { Questions } from './questions.ts';

/** What the handlers of one connection work with. */
export interface McpRoom {
  readonly catalogue: () => Promise<Catalogue>;
  /** The vault of that name; without one the only vault, or the first. */
  readonly vault: (client: string, name?: string) => Promise<VaultSession>;
  readonly clientName: (context: ServerContext) => string;
  readonly questions: Questions;
  readonly extension: McpExtension;
  readonly log: Log;
}

/**
 * What a client is offered at this moment, for lists, prompts and completions. They are made from the index, so a vault
 * is handed out when its index is built, or has been waited for (see {@link VaultSession.untilIndexed}).
 */
export async function sourceFor(
  { catalogue, vault, extension }: McpRoom,
  client: string,
  signal: AbortSignal,
): Promise<PromptSource> {
  const { tools, vaults } = await catalogue();
  return {
    offers: (name) => tools.some((tool) => tool.operation.name === name),
    vaults,
    prompts: extension.prompts,
    vault: async (name) => {
      const session = await vault(client, name);
      await session.untilIndexed(signal);
      return session;
    },
  };
}
