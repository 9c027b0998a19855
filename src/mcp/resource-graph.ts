import * as z from 'zod';
import { parseInput } from '../operations/call/input.ts';
import { pageInput } from '../operations/shared/fields.ts';
import type { VaultSession } from '../vault/session.ts';
import { type Query, queryUri } from './resource-uri.ts';

/** Links of one note in the graph; further ones are counted. */
const LINKS_OF_A_NOTE = 200;

const GRAPH = {
  name: 'vault://graph',
  effects: 'reads',
  input: z.object(pageInput(200, 1000)),
} as const;

interface GraphNode {
  readonly path: string;
  readonly title: string;
  /** Files this note links to, each once, in order of first mention. */
  readonly links: readonly string[];
  /** Links in the note, broken ones included. */
  readonly links_total: number;
  readonly unresolved: number;
}

/**
 * The link graph, a page of notes and canvases at a time in path order.
 *
 * @param target its query: `limit` notes per page, `cursor` of the previous page
 */
export async function readGraph(
  vault: VaultSession,
  { query, vault: named }: { readonly query: Query; readonly vault?: string },
  signal: AbortSignal,
): Promise<unknown> {
  const input = parseInput(GRAPH, query);
  await vault.untilIndexed(signal);
  const notice = vault.staleness();
  const page = await vault.list(
    { kinds: ['note', 'canvas'] },
    'path',
    input.cursor === undefined ? { limit: input.limit } : { limit: input.limit, cursor: input.cursor },
  );
  const nodes: GraphNode[] = [];
  for (const { path, title } of page.items) {
    signal.throwIfAborted();
    nodes.push(await nodeOf(vault, path, title));
  }
  return {
    ...(notice !== undefined && { notice }),
    nodes,
    total: page.total,
    next_cursor: page.nextCursor,
    next: page.nextCursor && queryUri('graph', { cursor: page.nextCursor, limit: input.limit }, named),
  };
}

async function nodeOf(vault: VaultSession, path: string, title: string): Promise<GraphNode> {
  const links = await vault.forward(path, { limit: LINKS_OF_A_NOTE });
  const targets = links.items.flatMap(({ target }) => (target === undefined ? [] : [target]));
  return {
    path,
    title,
    links: [...new Set(targets)],
    links_total: links.total,
    unresolved: links.items.length - targets.length,
  };
}
