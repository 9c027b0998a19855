import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '../retrieval/collection.ts';
import { lectern } from './lectern.ts';
import { McpProcess } from './mcp-process.ts';
import { indexReady } from './watch.ts';
import { workspace } from './workspace.ts';

/**
 * Unpacks real vaults one after the other and serves each with the builtin provider, indexed. Ends the process where the
 * collections are not there.
 */
export async function onRealVaults(
  names: readonly string[],
  measure: (name: string, vault: string, server: McpProcess) => Promise<void>,
): Promise<void> {
  const shared = sharedFolder();
  if (!shared) {
    console.log('The test collections are not here (set LECTERN_SHARED): nothing to measure.');
    process.exit(0);
  }
  const folder = workspace();
  for (const name of names) {
    const archive = join(shared, 'vaults', `${name}.tar.gz`);
    if (!existsSync(archive)) throw new Error(`${archive} is missing.`);
    spawnSync('tar', ['-xzf', archive, '-C', folder], { stdio: 'inherit' });
    const vault = join(folder, name);
    const server = new McpProcess({
      ...lectern(vault, join(folder, `${name}-state`)),
      env: { LECTERN_AI_PROVIDER: 'builtin' },
    });
    try {
      await server.initialize();
      await indexReady(server);
      await measure(name, vault, server);
    } finally {
      await server.close();
    }
  }
}
