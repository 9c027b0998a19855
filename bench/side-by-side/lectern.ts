import { readFileSync } from 'node:fs';
import { lectern } from '../support/lectern.ts';
import { indexReady, vectorsReady } from '../support/watch.ts';
import { listLength, type Peer } from './peer.ts';

const patch = (path: string, op: object) => ({ name: 'note_patch', arguments: { path, ops: [op] } });

/** This repository's own build, searching in one of its modes. */
export function lecternItself(mode: string): Peer {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return {
    name: `Lectern (${mode})`,
    version,
    serve: (vault, home) => lectern(vault, home),
    ready: async (server) => {
      await indexReady(server);
      if (mode !== 'lexical') await vectorsReady(server);
    },
    settle: async (server) => {
      await vectorsReady(server);
    },
    search: (q, limit) => ({ name: 'vault_search', arguments: { q, limit, mode } }),
    hits: (answer) => listLength(answer.structured, 'results'),
    read: (path) => ({ name: 'note_read', arguments: { path } }),
    setProperty: (path, key, value) => patch(path, { op: 'set_frontmatter', key, value }),
    replaceText: (path, from, to) => patch(path, { op: 'replace_text', old: from, new: to }),
    append: (path, markdown) => patch(path, { op: 'append_body', markdown }),
    move: (from, to) => ({ name: 'note_move', arguments: { from, to } }),
    backlinks: (path) => ({ name: 'link_backlinks', arguments: { path } }),
  };
}
