import * as z from 'zod';
import { CANVAS_OP_NAMES } from '../formats/canvas/edit/op.ts';
import { SIDES } from '../formats/canvas/node.ts';
import { operation } from './operation.ts';
import { canvasWriting, exactCanvasPath, toCanvasWriteOutput } from './shared/canvas-writing.ts';
import { ifMatch, writeInput, writeOptions } from './shared/write-fields.ts';

const text = z.string().optional();
const number = z.number().optional();
const names = z.array(z.string()).optional();

/** One flat shape for all ops; the fields that each op needs are checked in `formats/canvas/edit/op.ts`. */
const canvasOp = z.looseObject({
  // Not z.enum: the check of the fields answers an unknown op.
  op: z.string().meta({ enum: CANVAS_OP_NAMES }),
  id: text,
  ids: names,
  type: text,
  text: text,
  file: text,
  subpath: text,
  url: text,
  label: text,
  color: text.describe('1 to 6 or #rrggbb'),
  background: text,
  background_style: text,
  x: number,
  y: number,
  width: number,
  height: number,
  near: text.describe('Id of a node'),
  side: text.meta({ enum: SIDES }),
  group: text.describe('Id or label'),
  with_contents: z.boolean().optional(),
  padding: number,
  from_node: text,
  from_side: text,
  from_end: text,
  to_node: text,
  to_side: text,
  to_end: text,
  unset: names.describe('Fields to take out'),
  extra: z.record(z.string(), z.unknown()).optional().describe('Keys of plugins'),
});

export const canvasPatch = operation({
  name: 'canvas_patch',
  title: 'Edit a canvas',
  description:
    'Edit parts of a canvas; all ops apply in order, or none. Every other byte stays. Fields by op: add_node type + text, file (subpath), url or label; x,y or a free place: near (side), group · update_node id + fields, unset · move_node id + x,y or near, group (a group takes along what is in it) · remove_node id (with its edges) · add_edge from_node,to_node (sides, ends, label, color) · update_edge id + fields · remove_edge id · add_group_around ids, label. New ids may be given, for later ops of the same call.',
  ...canvasWriting,
  input: z.object({
    path: exactCanvasPath,
    ops: z.array(canvasOp).min(1),
    if_match: ifMatch,
    ...writeInput,
  }),
  rest: { method: 'PATCH', path: '/v1/canvas/{path}' },
  cli: { noun: 'canvas', verb: 'patch', positionals: ['path'] },
  run: async (vault, input) =>
    toCanvasWriteOutput(await vault.patchCanvas(input.path, input.ops, writeOptions('canvas_patch', input))),
});
