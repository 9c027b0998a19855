import { rectOf } from '../geometry.ts';
import type { CanvasData } from '../model.ts';
import { EDGE_KEYS } from '../node.ts';
import { facingSides } from '../place.ts';
import { edgeProblems } from '../problems.ts';
import { assertGood, type CanvasEditing, type Did, extraOf } from './editing.ts';
import { unsetKeys } from './node-ops.ts';
import { type CheckedCanvasOp, FILE_KEYS, wrongOp } from './op.ts';

const NEEDED = ['id', 'fromNode', 'toNode'];
const FIELDS = [
  'from_node',
  'from_side',
  'from_end',
  'to_node',
  'to_side',
  'to_end',
  'color',
  'label',
] as const;

/** Adds an edge between two nodes. @throws LecternError `invalid_input`, `not_found`, `ambiguous` */
export function addEdge(canvas: CanvasEditing, op: CheckedCanvasOp, index: number): Did {
  const from = canvas.find('nodes', op.from_node ?? '', index, op);
  const to = canvas.find('nodes', op.to_node ?? '', index, op);
  const [fromRect, toRect] = [rectOf(from.data), rectOf(to.data)];
  const sides = fromRect && toRect && facingSides(fromRect, toRect);
  const data: CanvasData = {
    id: canvas.newId(index, op),
    ...(sides && { fromSide: sides[0], toSide: sides[1] }),
    ...fieldsOf(op),
    ...extraOf(op, index, EDGE_KEYS),
  };
  assertGood(data, [], edgeProblems, index, op);
  return { id: canvas.document.add('edges', data).id };
}

/** Changes fields of an edge. @throws LecternError `invalid_input`, `not_found`, `ambiguous` */
export function updateEdge(canvas: CanvasEditing, op: CheckedCanvasOp, index: number): Did {
  const entry = canvas.find('edges', op.id ?? '', index, op);
  for (const end of [op.from_node, op.to_node]) if (end !== undefined) canvas.find('nodes', end, index, op);
  const set = { ...fieldsOf(op), ...extraOf(op, index, EDGE_KEYS) };
  const unset = [...unsetKeys(op, index, NEEDED), ...(op.color === '' ? ['color'] : [])];
  if (Object.keys(set).length + unset.length === 0)
    throw wrongOp(index, op.op, 'has nothing to change', { missing: [] });
  const before = edgeProblems(entry.data);
  canvas.document.update(entry, set, unset);
  assertGood(entry.data, before, edgeProblems, index, op);
  return { id: entry.id };
}

/** Removes an edge. @throws LecternError `not_found`, `ambiguous` */
export function removeEdge(canvas: CanvasEditing, op: CheckedCanvasOp, index: number): Did {
  const entry = canvas.find('edges', op.id ?? '', index, op);
  canvas.document.removeAll(new Set([entry]));
  return { id: entry.id, removedEdges: 1 };
}

function fieldsOf(op: CheckedCanvasOp): Record<string, unknown> {
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const value = op[field];
      return value === undefined || (field === 'color' && value === '')
        ? []
        : [[FILE_KEYS[field] ?? field, value]];
    }),
  );
}
