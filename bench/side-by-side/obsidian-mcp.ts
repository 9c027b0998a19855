import type { Installer } from './install.ts';
import { homeAt, listLength, type Peer } from './peer.ts';

const VAULT = 'notes';

/** obsidian-mcp 2: journaled writes, search for literal text. Of the front matter it edits tags only. */
export async function obsidianMcp(installer: Installer): Promise<Peer> {
  const node = await installer.newerNode();
  const { folder, version } = await installer.install('obsidian-mcp@2.0.1', { node });
  const tool = (name: string, args: object) => ({
    name: `obsidian_${name}`,
    arguments: { vault: VAULT, ...args },
  });
  return {
    name: 'obsidian-mcp',
    version,
    serve: (vault, home) => ({
      program: node,
      args: [`${folder}/dist/main.js`, 'serve', '--vault', `${VAULT}=${vault}`],
      env: homeAt(home),
    }),
    search: (query, limit) => tool('search_vault', { query, limit }),
    hits: (answer) => listLength(answer.structured, 'data', 'matches'),
    read: (path) => tool('read_note', { path }),
    addTag: (path, tag) => tool('add_tags', { paths: [path], tags: [tag] }),
    append: (path, content) => tool('edit_note', { path, operation: 'append', content }),
    move: (source, destination) => tool('move_note', { source, destination }),
  };
}
