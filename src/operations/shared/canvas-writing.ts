import * as z from 'zod';
import type { WriteResult } from '../../vault/write/types.ts';
import { rectRow, rectText } from './canvas-rows.ts';
import { counted, noticed, paragraphs } from './rendering.ts';
import { notices, SHOWN_NOTES } from './write-fields.ts';

/** What the operations that write one canvas take and answer. */

export const exactCanvasPath = z.string().min(1).describe('Exact path of a .canvas file');

const opRow = z.object({
  /** Its place among the ops, from 0. */
  op: z.number().int(),
  name: z.string(),
  /** Of the node or edge. */
  id: z.string(),
  /** Where the node is now, when the op put it there. */
  place: rectRow.optional(),
  /** Nodes in a group that went with it. */
  moved: z.number().int().optional(),
  /** Nodes that lie inside the new group. */
  inside: z.number().int().optional(),
  removed_nodes: z.number().int().optional(),
  removed_edges: z.number().int().optional(),
});

const canvasWriteOutput = z.object({
  path: z.string(),
  /** Of the canvas as it is now. */
  etag: z.string(),
  created: z.boolean(),
  /** False when the canvas already was as asked. */
  changed: z.boolean(),
  bytes: z.number().int(),
  lines_added: z.number().int(),
  lines_removed: z.number().int(),
  /** Unified diff without headers, cut when long. */
  diff: z.string(),
  /** For note_undo; absent when nothing was written. */
  write_id: z.number().int().optional(),
  dry_run: z.boolean(),
  /** One per op of a patch. */
  results: z.array(opRow).optional(),
  /** Notes in which links were rewritten, as a new canvas has a name that another has. */
  relinked: z.array(z.object({ path: z.string(), links: z.number().int() })),
  notice: z.string().optional(),
});

export type CanvasWriteOutput = z.output<typeof canvasWriteOutput>;

export const canvasWriting = {
  scope: 'vault:write',
  effects: 'writes',
  answersFrom: 'store',
  toolset: 'canvas',
  places: ['path'],
  output: canvasWriteOutput,
  summarise,
  render,
} as const;

export function toCanvasWriteOutput(result: WriteResult): CanvasWriteOutput {
  return {
    path: result.path,
    etag: result.etag,
    created: result.created,
    changed: result.changed,
    bytes: result.bytes,
    lines_added: result.added,
    lines_removed: result.removed,
    diff: result.diff,
    ...(result.writeId !== undefined && { write_id: result.writeId }),
    dry_run: result.dryRun,
    ...(result.canvasOps && {
      results: result.canvasOps.map(({ op, name, id, rect, moved, inside, removedNodes, removedEdges }) => ({
        op,
        name,
        id,
        ...(rect && { place: rect }),
        ...(moved !== undefined && { moved }),
        ...(inside !== undefined && { inside }),
        ...(removedNodes !== undefined && { removed_nodes: removedNodes }),
        ...(removedEdges !== undefined && { removed_edges: removedEdges }),
      })),
    }),
    relinked: result.relinked.slice(0, SHOWN_NOTES).map(({ path, links }) => ({ path, links })),
    ...notices(result.notices, result.relinked.length),
  };
}

function summarise(out: CanvasWriteOutput): string {
  const what = out.created ? 'create' : out.changed ? 'change' : 'leave';
  const did = out.dry_run ? `Would ${what}` : { create: 'Created', change: 'Changed', leave: 'Left' }[what];
  const size = out.changed
    ? ` (+${out.lines_added} -${out.lines_removed} lines)`
    : ' as it is: nothing to change';
  const undo = out.write_id === undefined ? '' : `, write ${out.write_id}`;
  const removed = (out.results ?? []).reduce((sum, { removed_edges: edges = 0 }) => sum + edges, 0);
  const edges = removed === 0 ? '' : ` ${counted(removed, 'edge')} removed.`;
  return `${did} ${out.path}${size}, etag ${out.etag}${undo}.${edges}${noticed(out.notice)}`;
}

function render(out: CanvasWriteOutput): string {
  const results = (out.results ?? []).map((row) => {
    const facts = [
      row.place && rectText(row.place),
      row.moved !== undefined && `${counted(row.moved, 'node')} moved with it`,
      row.inside !== undefined && `${counted(row.inside, 'node')} inside`,
      row.removed_nodes !== undefined && `${counted(row.removed_nodes, 'node')} removed`,
      row.removed_edges !== undefined && `${counted(row.removed_edges, 'edge')} removed`,
    ].filter((fact) => typeof fact === 'string');
    return `${row.op} ${row.name} ${row.id}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}`;
  });
  const links = out.relinked.map((note) => `${note.path}: ${counted(note.links, 'link')}`);
  return paragraphs(...results, ...links, out.diff);
}
