import { addEdge, removeEdge, updateEdge } from './edge-ops.ts';
import { CanvasEditing, type CanvasOpResult, type Did } from './editing.ts';
import { addGroupAround, addNode, moveNode, removeNode, updateNode } from './node-ops.ts';
import { type CanvasOpName, type CheckedCanvasOp, checkCanvasOps } from './op.ts';

type Apply = (canvas: CanvasEditing, op: CheckedCanvasOp, index: number) => Did;

const APPLY: Readonly<Record<CanvasOpName, Apply>> = {
  add_node: addNode,
  update_node: updateNode,
  move_node: moveNode,
  remove_node: removeNode,
  add_edge: addEdge,
  update_edge: updateEdge,
  remove_edge: removeEdge,
  add_group_around: addGroupAround,
};

/** The new text of a canvas, with one result per op. */
export interface CanvasPatch {
  readonly text: string;
  readonly results: readonly CanvasOpResult[];
}

/**
 * Applies edits to a canvas in order, all or none. Bytes outside the changed values stay as they are.
 *
 * @param text the canvas's JSON; an empty text is an empty canvas
 * @param ops flat edits as {@link checkCanvasOps} reads them
 * @throws LecternError `invalid_input` for a broken canvas and for wrong ops, `not_found` and `ambiguous` for
 *   ids and group labels, `invalid_path` for a file, `too_large` for too many ops; its details have the
 *   `op_index`
 */
export function patchCanvas(text: string, ops: readonly unknown[]): CanvasPatch {
  const checked = checkCanvasOps(ops);
  const canvas = new CanvasEditing(text);
  const results = checked.map((op, index) => ({
    op: index,
    name: op.op,
    ...APPLY[op.op](canvas, op, index),
  }));
  return { text: canvas.document.print(), results };
}
