import type { ServerContext } from '@modelcontextprotocol/server';
import type { Catalogue } from '../catalogues/catalogue.ts';
import type { Log } from '../config/log.ts';
import type { VaultSession } from '../vault/session.ts';
import type { CompletionSource } from './completion.ts';

/** What the handlers of one connection work with. */
export interface McpRoom {
  readonly catalogue: () => Promise<Catalogue>;
  /** The vault of that name; without one the only vault, or the first. */
  readonly vault: (client: string, name?: string) => Promise<VaultSession>;
  readonly clientName: (context: ServerContext) => string;
  readonly log: Log;
}

/** What a client is offered at this moment, for prompts and completions. */
export async function sourceFor({ catalogue, vault }: McpRoom, client: string): Promise<CompletionSource> {
  const { tools, vaults } = await catalogue();
  return {
    offers: (name) => tools.some((tool) => tool.operation.name === name),
    vaults,
    vault: (name) => vault(client, name),
  };
}
