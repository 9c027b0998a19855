import * as z from 'zod';
import { operation } from './operation.ts';
import { canvasWriting, exactCanvasPath, toCanvasWriteOutput } from './shared/canvas-writing.ts';
import { ifMatch, writeInput, writeOptions } from './shared/write-fields.ts';

export const canvasWrite = operation({
  name: 'canvas_write',
  title: 'Create or replace a canvas',
  description:
    'Create a canvas, or replace what is in one, from JSON Canvas: nodes (id, type, x, y, width, height; text, file, url or label) in z-order, groups first, and edges (id, fromNode, toNode). Ids, places and sizes may be left out. What is the same keeps its bytes, keys of plugins stay. To change a part use canvas_patch. Pass if_match when you replace something you read, if_not_exists when it must be new.',
  ...canvasWriting,
  idempotent: true,
  input: z.object({
    path: exactCanvasPath,
    canvas: z
      .looseObject({
        nodes: z.array(z.looseObject({})).optional(),
        edges: z.array(z.looseObject({})).optional(),
      })
      .describe('JSON Canvas: {"nodes": [...], "edges": [...]}'),
    if_match: ifMatch,
    if_not_exists: z.boolean().default(false).describe('Refuse if the canvas exists'),
    ...writeInput,
  }),
  rest: { method: 'PUT', path: '/v1/canvas/{path}' },
  cli: { noun: 'canvas', verb: 'create', positionals: ['path'] },
  run: async (vault, input) =>
    toCanvasWriteOutput(
      await vault.writeCanvas(input.path, input.canvas, {
        ...writeOptions('canvas_write', input),
        ifNotExists: input.if_not_exists,
      }),
    ),
});
