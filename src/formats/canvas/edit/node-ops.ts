import { LecternError } from '../../../errors.ts';
import { normalizePath } from '../../../notes/path.ts';
import { contains, type Rect, rectOf } from '../geometry.ts';
import type { CanvasData } from '../model.ts';
import { CONTENT_KEY, KEYS_OF_TYPE, NODE_KEYS, type Side } from '../node.ts';
import { frameAround, freePlace, type Size, usualSize } from '../place.ts';
import { nodeProblems } from '../problems.ts';
import type { Entry } from './document.ts';
import { assertGood, type CanvasEditing, type Did, extraOf } from './editing.ts';
import { type CheckedCanvasOp, FILE_KEYS, wrongOp } from './op.ts';

/** Number of nodes per row when ops give no position. */
const ROW = 5;
/** Default distance from a new group's border to its nodes, in canvas units (pixels). */
const GROUP_PADDING = 40;

/** Adds a node. @throws LecternError `invalid_input`, `not_found`, `ambiguous`, `invalid_path` */
export function addNode(canvas: CanvasEditing, op: CheckedCanvasOp, index: number): Did {
  const type = op.type ?? '';
  const content = contentOf(op, index, type);
  const given = { width: op.width, height: op.height };
  const usual = usualSize(type, op.text);
  const size = { width: given.width ?? usual.width, height: given.height ?? usual.height };
  const place = placeFor(canvas, op, index, size, new Set());
  const data: CanvasData = {
    id: canvas.newId(index, op),
    type,
    ...content,
    ...place,
    ...size,
    ...extraOf(op, index, NODE_KEYS),
  };
  assertGood(data, [], nodeProblems, index, op);
  const rect = { ...place, ...size };
  const entry = canvas.document.add('nodes', data, type === 'group' ? firstInside(canvas, rect) : undefined);
  if (isFlowing(op)) {
    const { flow } = canvas;
    canvas.flow = { id: entry.id, count: ((flow?.count ?? 0) % ROW) + 1 };
  }
  return { id: entry.id, rect, ...fileOf(content) };
}

/** Changes fields of a node. @throws LecternError `invalid_input`, `not_found`, `ambiguous`, `invalid_path` */
export function updateNode(canvas: CanvasEditing, op: CheckedCanvasOp, index: number): Did {
  const entry = canvas.find('nodes', op.id ?? '', index, op);
  const before = entry.data;
  const type = op.type ?? entry.type;
  const content = contentOf(op, index, type);
  const set = {
    ...(type !== entry.type && { type }),
    ...content,
    ...numbers(op),
    ...extraOf(op, index, NODE_KEYS),
  };
  // An empty colour or subpath removes the field.
  const emptied = (['color', 'subpath'] as const).filter((key) => op[key] === '');
  const unset = [...unsetKeys(op, index, [...ALWAYS, CONTENT_KEY[type] ?? '']), ...emptied];
  const left = type === entry.type ? [] : (KEYS_OF_TYPE[entry.type] ?? []).filter((key) => !(key in content));
  if (Object.keys(set).length + unset.length === 0)
    throw wrongOp(index, op.op, 'has nothing to change', { missing: [] });
  canvas.document.update(entry, set, [...unset, ...left]);
  assertGood(entry.data, nodeProblems(before), nodeProblems, index, op);
  const rect = rectOf(entry.data);
  const isPlaced = Object.keys(numbers(op)).length > 0 && rect !== undefined;
  return { id: entry.id, ...(isPlaced && { rect }), ...fileOf(content) };
}

/** Moves a node, a group with its contents. @throws LecternError `invalid_input`, `not_found`, `ambiguous` */
export function moveNode(canvas: CanvasEditing, op: CheckedCanvasOp, index: number): Did {
  const entry = canvas.find('nodes', op.id ?? '', index, op);
  const isBySelf = op.x !== undefined || op.y !== undefined;
  if (!isBySelf && op.near === undefined && op.group === undefined)
    throw wrongOp(index, op.op, 'is missing x, y, near or group', { missing: ['x', 'y', 'near', 'group'] });
  const from = canvas.rectOf(entry, index, op);
  const contents = entry.type === 'group' && op.with_contents !== false ? canvas.inside(entry) : [];
  const moving = new Set([entry, ...contents]);
  const to = isBySelf
    ? placeOf(op, index, from)
    : placeFor(canvas, op, index, { width: from.width, height: from.height }, moving);
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  for (const each of moving) {
    const before = each.data;
    const rect = canvas.rectOf(each, index, op);
    canvas.document.update(each, { x: rect.x + dx, y: rect.y + dy });
    assertGood(each.data, nodeProblems(before), nodeProblems, index, op);
  }
  return {
    id: entry.id,
    rect: { ...from, ...to },
    ...(entry.type === 'group' && { moved: contents.length }),
  };
}

/** Removes a node with its edges. @throws LecternError `not_found`, `ambiguous` */
export function removeNode(canvas: CanvasEditing, op: CheckedCanvasOp, index: number): Did {
  const entry = canvas.find('nodes', op.id ?? '', index, op);
  const contents = op.with_contents === true ? canvas.inside(entry) : [];
  const nodes = new Set([entry, ...contents]);
  const ids = new Set([...nodes].map(({ id }) => id));
  const edges = canvas.document.edges.filter(
    ({ data }) => ids.has(String(data.fromNode)) || ids.has(String(data.toNode)),
  );
  canvas.document.removeAll(new Set([...nodes, ...edges]));
  return { id: entry.id, removedNodes: nodes.size, removedEdges: edges.length };
}

/** Adds a group around nodes. @throws LecternError `invalid_input`, `not_found`, `ambiguous`, `invalid_path` */
export function addGroupAround(canvas: CanvasEditing, op: CheckedCanvasOp, index: number): Did {
  const members = (op.ids ?? []).map((id) => canvas.find('nodes', id, index, op));
  const rects = members.map((entry) => canvas.rectOf(entry, index, op));
  const padding = op.padding ?? GROUP_PADDING;
  if (padding < 0) throw wrongOp(index, op.op, ': padding must not be negative', { wrong: ['padding'] });
  const rect = frameAround(rects, padding);
  if (rect === undefined) throw wrongOp(index, op.op, ': ids names no node', { wrong: ['ids'] });
  const data: CanvasData = {
    id: canvas.newId(index, op),
    type: 'group',
    ...rect,
    ...contentOf(op, index, 'group'),
    ...extraOf(op, index, NODE_KEYS),
  };
  assertGood(data, [], nodeProblems, index, op);
  const entry = canvas.document.add('nodes', data, firstInside(canvas, rect));
  return { id: entry.id, rect, inside: canvas.inside(entry).length };
}

/** The first node inside a frame, before which a group is inserted so that it is drawn below its contents. */
function firstInside(canvas: CanvasEditing, frame: Rect): Entry | undefined {
  return canvas.placed().find(({ rect }) => contains(frame, rect))?.entry;
}

const ALWAYS = ['id', 'type', 'x', 'y', 'width', 'height'];
const CONTENT_FIELDS = ['text', 'file', 'subpath', 'url', 'label', 'background', 'background_style'] as const;

/**
 * The content fields of an op under the keys of the file.
 *
 * @throws LecternError `invalid_input` for a field that the node's type does not have, `invalid_path` for a
 *   file
 */
function contentOf(op: CheckedCanvasOp, index: number, type: string): Record<string, unknown> {
  const content: Record<string, unknown> = {};
  const own = KEYS_OF_TYPE[type];
  for (const field of CONTENT_FIELDS) {
    const value = op[field];
    if (value === undefined || (field === 'subpath' && value === '')) continue;
    const key = FILE_KEYS[field] ?? field;
    if (own !== undefined && !own.includes(key))
      throw wrongOp(index, op.op, `: a ${type} node has no ${field}`, { unknown: [field] });
    content[key] = field === 'file' || field === 'background' ? pathOf(value, index, op) : value;
  }
  if (op.color !== undefined && op.color !== '') content.color = op.color;
  return content;
}

function pathOf(path: string, index: number, op: CheckedCanvasOp): string {
  try {
    return normalizePath(path);
  } catch (error) {
    if (!(error instanceof LecternError)) throw error;
    throw new LecternError(error.code, `ops[${index}] ${op.op}: ${error.message}`, {
      details: { ...error.details, op_index: index },
      ...(error.next !== undefined && { next: error.next }),
    });
  }
}

function fileOf(content: Record<string, unknown>): { file?: string } {
  return typeof content.file === 'string' ? { file: content.file } : {};
}

function numbers(op: CheckedCanvasOp): Record<string, number> {
  const { x, y, width, height } = op;
  return {
    ...(x !== undefined && { x }),
    ...(y !== undefined && { y }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
}

/** The file's keys that an op removes. @throws LecternError `invalid_input` for a required key */
export function unsetKeys(op: CheckedCanvasOp, index: number, needed: readonly string[]): readonly string[] {
  return (op.unset ?? []).map((name) => {
    const key = Object.hasOwn(FILE_KEYS, name) ? (FILE_KEYS[name as keyof typeof FILE_KEYS] ?? name) : name;
    if (!needed.includes(key)) return key;
    throw wrongOp(index, op.op, `: ${name} cannot be taken out`, { wrong: ['unset'] });
  });
}

/** Whether an op gives no position. */
function isFlowing({ x, y, near, group }: CheckedCanvasOp): boolean {
  return x === undefined && y === undefined && near === undefined && group === undefined;
}

function placeOf(op: CheckedCanvasOp, index: number, from: Rect): { x: number; y: number } {
  if (op.near !== undefined || op.group !== undefined || op.side !== undefined)
    throw wrongOp(index, op.op, 'takes either x and y, or near, side and group', {
      wrong: ['near', 'side', 'group'].filter((key) => op[key as 'near'] !== undefined),
    });
  return { x: op.x ?? from.x, y: op.y ?? from.y };
}

/**
 * The position of a node: the op's coordinates, or else a free place.
 *
 * @param moving nodes that are being moved and therefore block no place
 * @throws LecternError `invalid_input` for contradicting fields and for a group without room, `not_found`,
 *   `ambiguous`
 */
function placeFor(
  canvas: CanvasEditing,
  op: CheckedCanvasOp,
  index: number,
  size: Size,
  moving: ReadonlySet<Entry>,
): { x: number; y: number } {
  if (op.x !== undefined || op.y !== undefined) {
    if (op.x === undefined || op.y === undefined)
      throw wrongOp(index, op.op, ': x and y go together', { missing: [op.x === undefined ? 'x' : 'y'] });
    return placeOf(op, index, { x: op.x, y: op.y, ...size });
  }
  if (op.side !== undefined && op.near === undefined)
    throw wrongOp(index, op.op, ': side is of a node, which near names', { missing: ['near'] });
  const all = canvas.placed();
  const standing = moving.size === 0 ? all : all.filter(({ entry }) => !moving.has(entry));
  const anchor = anchorOf(canvas, op, index, moving);
  const near = anchor && canvas.rectOf(anchor, index, op);
  const side = op.side as Side | undefined;
  if (op.group !== undefined) {
    const group = canvas.group(op.group, index, op);
    const inside = canvas.rectOf(group, index, op);
    const around = new Set([group, ...canvas.groupsAround(group).map(({ entry }) => entry)]);
    const others = standing.filter(({ entry }) => !around.has(entry)).map(({ rect }) => rect);
    const place = freePlace({ size, near, side, inside }, others);
    if (place !== undefined) return place;
    throw new LecternError(
      'invalid_input',
      `ops[${index}] ${op.op}: the group ${group.id} has no room for ${size.width} x ${size.height}.`,
      {
        details: { op_index: index, group: group.id },
        next: 'Enlarge the group with update_node first, or make the node smaller; nothing was changed.',
      },
    );
  }
  // Beside a node in groups: inside the innermost group with room, or else outside all groups.
  const around =
    anchor === undefined ? [] : canvas.groupsAround(anchor).filter(({ entry }) => !moving.has(entry));
  for (const [at, { rect: inside }] of around.entries()) {
    const open = new Set(around.slice(at).map(({ entry }) => entry));
    const others = standing.filter(({ entry }) => !open.has(entry)).map(({ rect }) => rect);
    const place = freePlace({ size, near, side, inside }, others);
    if (place !== undefined && isBeside(place, size, near)) return place;
  }
  const others = standing.map(({ rect }) => rect);
  const row = op.near === undefined && near !== undefined ? 'right' : side;
  return freePlace({ size, near, side: row }, others) ?? { x: 0, y: 0 };
}

/** Whether a place is near the node: at most twice the largest width or height of the two away. */
function isBeside(place: { x: number; y: number }, size: Size, near: Rect | undefined): boolean {
  if (near === undefined) return true;
  const apart = (from: number, length: number, other: number, otherLength: number) =>
    Math.max(0, from - (other + otherLength), other - (from + length));
  const distance = Math.max(
    apart(place.x, size.width, near.x, near.width),
    apart(place.y, size.height, near.y, near.height),
  );
  return distance <= 2 * Math.max(size.width, size.height, near.width, near.height);
}

/**
 * The node to place another one beside: the one that `near` names, or else the last node that was added without
 * a position while its row has room.
 */
function anchorOf(
  canvas: CanvasEditing,
  op: CheckedCanvasOp,
  index: number,
  moving: ReadonlySet<Entry>,
): Entry | undefined {
  if (op.near !== undefined) {
    const entry = canvas.find('nodes', op.near, index, op);
    if (moving.has(entry)) throw wrongOp(index, op.op, ': near names what is moved', { wrong: ['near'] });
    return entry;
  }
  const { flow } = canvas;
  if (!isFlowing(op) || flow === undefined || flow.count >= ROW) return undefined;
  return canvas.document.withId('nodes', flow.id).find(({ data }) => rectOf(data) !== undefined);
}
