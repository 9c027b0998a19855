import { progress } from '../support/report.ts';
import { Installer } from './install.ts';
import { mcpvault } from './mcpvault.ts';
import { obsidianMcp } from './obsidian-mcp.ts';
import type { Peer } from './peer.ts';
import { qmd } from './qmd.ts';

export interface Missing {
  readonly name: string;
  readonly reason: string;
}

/** Installs the published servers of the comparison; one that cannot be installed is named and left out. */
export async function installPeers(folder: string): Promise<{ peers: Peer[]; missing: Missing[] }> {
  const installer = new Installer(folder);
  const peers: Peer[] = [];
  const missing: Missing[] = [];
  for (const [name, install] of Object.entries({ mcpvault, 'obsidian-mcp': obsidianMcp, qmd })) {
    try {
      peers.push(await install(installer));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      progress(`${name} is left out: ${reason}`);
      missing.push({ name, reason: reason.split('\n')[0] ?? '' });
    }
  }
  return { peers, missing };
}
