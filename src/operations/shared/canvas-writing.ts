import * as z from 'zod';
import type { WriteResult } from '../../vault/write/types.ts';
import { rectRow, rectText } from './canvas-rows.ts';
import { counted, noticed, paragraphs } from './rendering.ts';
import {
  fileWriteOutput,
  fileWriteText,
  notices,
  relinkedLines,
  relinkedOutput,
  toFileWriteOutput,
  toRelinked,
} from './write-fields.ts';

/** Common input and output of operations that write one canvas. */

export const exactCanvasPath = z.string().min(1).describe('Exact path of a .canvas file');

const opRow = z.object({
  /** Index of the op, from 0. */
  op: z.number().int(),
  name: z.string(),
  /** Id of the node or edge. */
  id: z.string(),
  /** Position of the node after an op that placed it. */
  place: rectRow.optional(),
  /** Number of nodes in a group that moved with it. */
  moved: z.number().int().optional(),
  /** Number of nodes inside the new group. */
  inside: z.number().int().optional(),
  removed_nodes: z.number().int().optional(),
  removed_edges: z.number().int().optional(),
});

const canvasWriteOutput = z.object({
  ...fileWriteOutput,
  /** One per op of a patch. */
  results: z.array(opRow).optional(),
  /** Notes whose links were rewritten because the new canvas has the name of another file. */
  relinked: relinkedOutput,
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
    ...toFileWriteOutput(result),
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
    relinked: toRelinked(result.relinked),
    ...notices(result.notices, result.relinked.length),
  };
}

function summarise(out: CanvasWriteOutput): string {
  const removed = (out.results ?? []).reduce((sum, { removed_edges: edges = 0 }) => sum + edges, 0);
  const edges = removed === 0 ? '' : ` ${counted(removed, 'edge')} removed.`;
  return `${fileWriteText(out)}${edges}${noticed(out.notice)}`;
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
  return paragraphs(...results, relinkedLines(out.relinked), out.diff);
}
