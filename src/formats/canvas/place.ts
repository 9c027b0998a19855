import { boundsOf, contains, type Rect } from './geometry.ts';
import type { Side } from './node.ts';

/** Finds free places for nodes without a position. All lengths are in canvas units (pixels). */

/** Positions that are computed are multiples of this. */
const GRID = 20;
/** Distance between a placed node and any other node. */
const GAP = 40;
/** Distance between a group's border and nodes placed inside; the group's label is above the border. */
const PADDING = 20;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Sizes that Obsidian gives to new nodes, by type. */
const SIZES: Readonly<Record<string, Size>> = {
  text: { width: 260, height: 60 },
  file: { width: 400, height: 400 },
  link: { width: 400, height: 400 },
  group: { width: 400, height: 400 },
};
const LINE_HEIGHT = 24;
const CHARACTERS_OF_LINE = 32;
const TALLEST_TEXT = 600;

/** The default size of a new node; a text node's height follows its estimated number of lines. */
export function usualSize(type: string, text?: string): Size {
  const size = SIZES[type] ?? { width: 260, height: 160 };
  if (type !== 'text' || text === undefined) return size;
  let lines = 0;
  for (const line of text.split('\n')) {
    lines += Math.max(1, Math.ceil(line.length / CHARACTERS_OF_LINE));
    if (lines * LINE_HEIGHT > TALLEST_TEXT) break;
  }
  const height = up(Math.min(lines * LINE_HEIGHT + 36, TALLEST_TEXT));
  return { width: size.width, height: Math.max(size.height, height) };
}

/** Constraints on the place of a node. */
export interface PlaceConstraints {
  readonly size: Size;
  /** The place is beside this node, as near as possible. */
  readonly near?: Rect | undefined;
  /** The side of `near`; any side when undefined. */
  readonly side?: Side | undefined;
  /** The place is wholly inside this group. */
  readonly inside?: Rect | undefined;
}

/** Sides in order of preference when several places are equally near. */
const SIDES_BY_PREFERENCE: readonly Side[] = ['right', 'bottom', 'left', 'top'];

/**
 * Finds a free place on the grid that overlaps no other node and keeps a gap to each.
 *
 * @param others nodes that must not be covered: all, except the groups in which the new node may lie
 * @returns the top left corner; undefined when the group has no room
 */
export function freePlace(
  constraints: PlaceConstraints,
  others: readonly Rect[],
): { x: number; y: number } | undefined {
  const { size, near, inside } = constraints;
  if (near !== undefined) {
    const beside = besidePlace(near, constraints, others);
    if (beside !== undefined || inside === undefined) return beside;
  }
  if (inside !== undefined) return insidePlace(inside, size, others);
  const bounds = boundsOf(others);
  if (bounds === undefined) return { x: 0, y: 0 };
  return { x: down(bounds.x), y: up(bounds.y + bounds.height + GAP) };
}

/** The nearest of the first free places on each side, aligned with the node's top or left edge. */
function besidePlace(
  near: Rect,
  { size, side, inside }: PlaceConstraints,
  others: readonly Rect[],
): { x: number; y: number } | undefined {
  const tries = (side === undefined ? SIDES_BY_PREFERENCE : [side]).map((each) =>
    firstFree(near, each, size, others),
  );
  const fitting = tries.filter(
    ({ place }) => inside === undefined || contains(padded(inside), { ...place, ...size }),
  );
  // Distances that differ by less than a grid step are equal.
  const steps = (distance: number) => Math.floor(distance / GRID);
  return fitting.sort((a, b) => steps(a.distance) - steps(b.distance))[0]?.place;
}

function firstFree(
  near: Rect,
  side: Side,
  size: Size,
  others: readonly Rect[],
): { place: { x: number; y: number }; distance: number } {
  const isRow = side === 'right' || side === 'left';
  const forwards = side === 'right' || side === 'bottom';
  const level = Math.round((isRow ? near.y : near.x) / GRID) * GRID + 0;
  const [length, breadth] = isRow ? [size.width, size.height] : [size.height, size.width];
  const edge = isRow ? { from: near.x, to: near.x + near.width } : { from: near.y, to: near.y + near.height };
  // Only nodes in the same strip can block the place; most nodes of a large canvas are outside.
  const along: { readonly from: number; readonly to: number }[] = [];
  for (const rect of others) {
    const [start, end] = isRow ? [rect.y, rect.y + rect.height] : [rect.x, rect.x + rect.width];
    if (start >= level + breadth + GRID || end <= level - GRID) continue;
    along.push(
      isRow ? { from: rect.x, to: rect.x + rect.width } : { from: rect.y, to: rect.y + rect.height },
    );
  }
  along.sort((a, b) => (forwards ? a.from - b.from : b.to - a.to));
  let at = forwards ? up(edge.to + GAP) : down(edge.from - GAP - length);
  for (const { from, to } of along) {
    if (from >= at + length + GRID || to <= at - GRID) continue;
    at = forwards ? Math.max(at, up(to + GAP)) : Math.min(at, down(from - GAP - length));
  }
  const distance = forwards ? at - edge.to : edge.from - (at + length);
  return { place: isRow ? { x: at, y: level } : { x: level, y: at }, distance };
}

/** Most rows of a group that are tried; one begins below each of its nodes. */
const MAX_ROWS = 200;

/** The first free place inside a group, row by row from its top left corner; undefined when there is none. */
function insidePlace(group: Rect, size: Size, others: readonly Rect[]): { x: number; y: number } | undefined {
  const room = padded(group);
  const inner = others.filter((rect) => overlaps(rect, room));
  const rows = [room.y, ...inner.map((rect) => rect.y + rect.height + GRID)].map(up);
  const distinct = [...new Set(rows)].sort((a, b) => a - b).slice(0, MAX_ROWS);
  for (const y of distinct) {
    if (y + size.height > room.y + room.height) break;
    const row = inner
      .filter((rect) => rect.y < y + size.height + GRID && rect.y + rect.height > y - GRID)
      .sort((a, b) => a.x - b.x);
    let x = up(room.x);
    for (const rect of row)
      if (rect.x < x + size.width + GRID && rect.x + rect.width > x - GRID)
        x = up(rect.x + rect.width + GRID);
    if (x + size.width <= room.x + room.width) return { x, y };
  }
  return undefined;
}

/** The rectangle of a group around some nodes, aligned to the grid; undefined for no nodes. */
export function frameAround(rects: readonly Rect[], padding: number): Rect | undefined {
  const bounds = boundsOf(rects);
  if (bounds === undefined) return undefined;
  const x = down(bounds.x - padding);
  const y = down(bounds.y - padding);
  return {
    x,
    y,
    width: up(bounds.x + bounds.width + padding) - x,
    height: up(bounds.y + bounds.height + padding) - y,
  };
}

/** The facing sides of two nodes, `[of the first, of the second]`, for an edge between them. */
export function facingSides(from: Rect, to: Rect): readonly [Side, Side] {
  const dx = to.x + to.width / 2 - (from.x + from.width / 2);
  const dy = to.y + to.height / 2 - (from.y + from.height / 2);
  // Distances relative to the widths and heights: of two wide nodes one below the other, neither is to the
  // right.
  const across = Math.abs(dx) / Math.max(1, (from.width + to.width) / 2);
  const along = Math.abs(dy) / Math.max(1, (from.height + to.height) / 2);
  if (across >= along) return dx >= 0 ? ['right', 'left'] : ['left', 'right'];
  return dy >= 0 ? ['bottom', 'top'] : ['top', 'bottom'];
}

/** Whether two rectangles have a common area; touching ones have none. */
export function overlaps(one: Rect, other: Rect): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

function padded({ x, y, width, height }: Rect): Rect {
  return { x: x + PADDING, y: y + PADDING, width: width - 2 * PADDING, height: height - 2 * PADDING };
}

function up(value: number): number {
  return Math.ceil(value / GRID) * GRID + 0;
}

function down(value: number): number {
  return Math.floor(value / GRID) * GRID + 0;
}
