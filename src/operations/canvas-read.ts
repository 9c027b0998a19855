import * as z from 'zod';
import { CANVAS_PAGE } from '../budgets.ts';
import { operation } from './operation.ts';
import {
  canvasEdgeRow,
  canvasNodeRow,
  edgeText,
  nodeText,
  rectRow,
  rectText,
  toEdgeRow,
  toNodeRow,
} from './shared/canvas-rows.ts';
import { isoTime, pageInput, pageOutput, withNotice } from './shared/fields.ts';
import { offsetCursor, offsetOf } from './shared/offset-cursor.ts';
import { counted, lines, noticed, paragraphs, shown } from './shared/rendering.ts';

export const canvasRead = operation({
  name: 'canvas_read',
  title: 'Read a canvas',
  description:
    'The nodes of an Obsidian canvas in reading order, with the groups they lie in, and its edges with the titles of their ends: all, or the nodes for which everything given holds. Use the ids in canvas_patch; keep the etag for writes.',
  scope: 'vault:read',
  effects: 'reads',
  answersFrom: 'store',
  asksIndex: () => true,
  places: ['path'],
  toolset: 'canvas',
  input: z.object({
    path: z.string().min(1).describe('A .canvas file'),
    ids: z.array(z.string().min(1)).max(500).optional().describe('Only these nodes'),
    type: z.string().min(1).optional().describe('text, file, link, group, or what a plugin has'),
    group: z.string().min(1).optional().describe('Id or label of a group: what lies inside it'),
    q: z.string().min(1).optional().describe('Found in a text, label, path or address'),
    file: z.string().min(1).optional().describe('Path or name of a file that is shown or linked to'),
    order: z.enum(['reading', 'z']).default('reading').describe('z: as the file has them, topmost last'),
    max_text: z.number().int().min(0).max(100_000).default(1000).describe('Characters of the text of a node'),
    ...pageInput(50, 500),
  }),
  output: z.object({
    path: z.string(),
    etag: z.string(),
    modified: z.string(),
    nodes: z.array(canvasNodeRow),
    /** Edges of the nodes on this page. */
    edges: z.array(canvasEdgeRow),
    edges_total: z.number().int(),
    /** Bounding box of the requested nodes. */
    bounds: rectRow.optional(),
    /** Numbers of all nodes and edges of the canvas. */
    all_nodes: z.number().int(),
    all_edges: z.number().int(),
    /** Errors of the canvas, such as duplicate ids and edges to missing nodes. */
    problems: z.array(z.object({ line: z.number().int(), id: z.string(), message: z.string() })),
    problems_total: z.number().int(),
    ...pageOutput,
  }),
  rest: { method: 'GET', path: '/v1/canvas/{path}' },
  cli: { noun: 'canvas', verb: 'get', positionals: ['path'] },
  summarise: (out) => {
    const all = out.total === out.all_nodes ? '' : ` of ${out.all_nodes}`;
    const around = out.bounds === undefined ? '' : `, ${rectText(out.bounds)}`;
    const problems = out.problems_total === 0 ? '' : `, ${counted(out.problems_total, 'problem')}`;
    return `${out.path} (etag ${out.etag}): ${out.total}${all} ${out.total === 1 && all === '' ? 'node' : 'nodes'}${shown(out, out.nodes.length)}, ${counted(out.edges_total, 'edge')}${around}${problems}.${noticed(out.notice)}`;
  },
  render: (out) =>
    paragraphs(
      lines(out.nodes, nodeText),
      lines(out.edges, edgeText),
      lines(out.problems, ({ line, id, message }) => `line ${line}: ${id === '' ? '' : `${id}: `}${message}`),
    ),
  run: async (vault, input) => {
    const offset = offsetOf(input.cursor, 'c', 'canvas_read');
    const { limit, order, max_text: maxText, ids, type, group, q: text, file } = input;
    const query = { ids, type, group, text, file, order, maxText, offset, limit, maxChars: CANVAS_PAGE };
    const canvas = await vault.canvas(input.path, query);
    const { view, files } = canvas;
    // While the index is being built, a file that it does not contain yet is not reported as missing.
    const tellsMissing = vault.staleness() === undefined;
    const nodes = view.nodes.map((node) => toNodeRow(node, files, tellsMissing));
    const end = offset + nodes.length;
    return {
      path: canvas.path,
      etag: canvas.etag,
      modified: isoTime(canvas.mtimeMs),
      nodes,
      edges: view.edges.map((edge) => toEdgeRow(edge, files)),
      edges_total: view.edgesTotal,
      ...(view.bounds && { bounds: view.bounds }),
      all_nodes: view.allNodes,
      all_edges: view.allEdges,
      problems: view.problems.map(({ line, id, message }) => ({ line, id, message })),
      problems_total: view.problemsTotal,
      total: view.matching,
      next_cursor: offsetCursor('c', end, view.matching),
      ...withNotice(
        view.groupsUnknown ? 'there are too many groups and nodes to tell which lie in which' : undefined,
        view.edges.length < view.edgesTotal
          ? `${view.edgesTotal - view.edges.length} more edges are not listed here; ask for fewer nodes`
          : undefined,
      ),
    };
  },
});
