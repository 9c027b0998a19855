import { type CanvasData, type CanvasItem, textOf } from './model.ts';
import { LARGEST_NUMBER } from './node.ts';

/** An axis-parallel rectangle in canvas units (pixels); y grows downwards. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The rectangle of a node; undefined when a number is missing, of another type or out of range. */
export function rectOf(data: CanvasData): Rect | undefined {
  const { x, y, width, height } = data;
  if (!isCoordinate(x) || !isCoordinate(y) || !isSize(width) || !isSize(height)) return undefined;
  return { x, y, width, height };
}

/** Whether a value is a number within the range of coordinates. */
export function isCoordinate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < LARGEST_NUMBER;
}

/** Whether a value is a number within the range of sizes: a coordinate that is not negative. */
export function isSize(value: unknown): value is number {
  return isCoordinate(value) && value >= 0;
}

/** Whether the inner rectangle lies wholly inside the outer one; equal rectangles contain each other. */
export function contains(outer: Rect, inner: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** The smallest rectangle around all of them; undefined for no rectangles. */
export function boundsOf(rects: Iterable<Rect>): Rect | undefined {
  let [left, top, right, bottom] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  for (const { x, y, width, height } of rects) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  if (left === Number.POSITIVE_INFINITY) return undefined;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** A node with its rectangle. */
export interface Placed {
  readonly item: Pick<CanvasItem, 'id' | 'type' | 'data'>;
  readonly rect: Rect;
}

function placedNodes<Item extends Placed['item']>(
  nodes: readonly Item[],
): readonly { readonly item: Item; readonly rect: Rect }[] {
  return nodes.flatMap((item) => {
    const rect = rectOf(item.data);
    return rect === undefined ? [] : [{ item, rect }];
  });
}

/** Most comparisons of a node with a group; they take some tenths of a second. */
const MAX_COMPARISONS = 50_000_000;

/**
 * The groups that contain each node, innermost first. JSON Canvas defines membership by geometry alone: a node
 * is in a group when it lies wholly inside. Of two groups of equal area the later one in z-order is the inner
 * one.
 *
 * @returns undefined when there are too many nodes and groups to compare
 */
export function groupsOf<Item extends Placed['item']>(
  nodes: readonly Item[],
): ReadonlyMap<Item, readonly Item[]> | undefined {
  const placed = placedNodes(nodes);
  const groups = placed
    .map((node, z) => ({ ...node, z, area: node.rect.width * node.rect.height }))
    .filter(({ item }) => item.type === 'group')
    .sort((a, b) => a.area - b.area || b.z - a.z);
  if (groups.length * placed.length > MAX_COMPARISONS) return undefined;
  const order = new Map(groups.map(({ item }, at) => [item, at]));
  const found = new Map<Item, readonly Item[]>();
  for (const { item, rect } of placed) {
    // Only a later group in this order can contain a group, so no two contain each other.
    const from = (order.get(item) ?? -1) + 1;
    const around: Item[] = [];
    for (let at = from; at < groups.length; at++) {
      const group = groups[at];
      if (group !== undefined && contains(group.rect, rect)) around.push(group.item);
    }
    if (around.length > 0) found.set(item, around);
  }
  return found;
}

/**
 * Orders nodes as a person reads them: rows from the top, each from the left, and the contents of a group
 * directly after the group. Nodes without a valid rectangle come last, in z-order.
 */
export function readingOrder<Item extends Placed['item']>(
  nodes: readonly Item[],
  groups: ReadonlyMap<Item, readonly Item[]> | undefined,
): readonly Item[] {
  const children = new Map<Item | undefined, { item: Item; rect: Rect }[]>();
  const rest: Item[] = [];
  const all = new Set(nodes);
  for (const item of nodes) {
    const rect = rectOf(item.data);
    if (rect === undefined) {
      rest.push(item);
      continue;
    }
    // The given nodes may be a selection that lacks some of their groups.
    const parent = groups?.get(item)?.find((group) => all.has(group));
    const siblings = children.get(parent);
    if (siblings) siblings.push({ item, rect });
    else children.set(parent, [{ item, rect }]);
  }
  const ordered: Item[] = [];
  // An explicit stack, as groups may nest as deep as there are groups.
  const open = inRows(children.get(undefined) ?? []).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    ordered.push(next);
    const inside = children.get(next);
    if (inside) for (const each of inRows(inside).reverse()) open.push(each);
  }
  return [...ordered, ...rest];
}

/** A node belongs to a row when it overlaps the row's first node by half of the smaller height. */
function inRows<Item>(nodes: readonly { readonly item: Item; readonly rect: Rect }[]): Item[] {
  const sorted = [...nodes].sort((a, b) => a.rect.y - b.rect.y || a.rect.x - b.rect.x);
  const ordered: Item[] = [];
  let row: (typeof sorted)[number][] = [];
  const finish = () => {
    row.sort((a, b) => a.rect.x - b.rect.x || a.rect.y - b.rect.y);
    for (const { item } of row) ordered.push(item);
    row = [];
  };
  for (const node of sorted) {
    const first = row[0]?.rect;
    if (first !== undefined && !sharesRow(first, node.rect)) finish();
    row.push(node);
  }
  finish();
  return ordered;
}

function sharesRow(first: Rect, other: Rect): boolean {
  const overlap = Math.min(first.y + first.height, other.y + other.height) - other.y;
  return overlap * 2 >= Math.min(first.height, other.height);
}

/** The groups with this id, or else those with this label, ignoring case and surrounding white space. */
export function groupNamed<Item extends Placed['item']>(
  nodes: readonly Item[],
  name: string,
): readonly Item[] {
  const groups = nodes.filter(({ type }) => type === 'group');
  const byId = groups.filter(({ id }) => id === name);
  if (byId.length > 0) return byId;
  const wanted = labelKey(name);
  return groups.filter(({ data }) => labelKey(textOf(data, 'label') ?? '') === wanted);
}

function labelKey(label: string): string {
  return label.trim().normalize('NFC').toLowerCase();
}
