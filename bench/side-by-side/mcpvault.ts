import type { Installer } from './install.ts';
import { homeAt, listLength, type Peer } from './peer.ts';

/** @bitbonsai/mcpvault: reads and writes a vault's files, searches by reading them all. */
export async function mcpvault(installer: Installer): Promise<Peer> {
  const { folder, version } = await installer.install('@bitbonsai/mcpvault@0.16');
  return {
    name: 'mcpvault',
    version,
    serve: (vault, home) => ({
      program: process.execPath,
      args: [`${folder}/dist/server.js`, vault],
      env: homeAt(home),
    }),
    search: (query, limit) => ({ name: 'search_notes', arguments: { query, limit } }),
    hits: (answer) => listLength(parsed(answer.text)),
    read: (path) => ({ name: 'read_note', arguments: { path } }),
    setProperty: (path, key, value) => ({
      name: 'update_frontmatter',
      arguments: { path, frontmatter: { [key]: value } },
    }),
    replaceText: (path, oldString, newString) => ({
      name: 'patch_note',
      arguments: { path, oldString, newString },
    }),
    append: (path, content) => ({ name: 'write_note', arguments: { path, content, mode: 'append' } }),
    move: (oldPath, newPath) => ({ name: 'move_note', arguments: { oldPath, newPath } }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
