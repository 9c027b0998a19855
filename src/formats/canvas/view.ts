import { LecternError } from '../../errors.ts';
import { pathKey, stem } from '../../notes/path.ts';
import { cutText, LineIndex } from '../../notes/text.ts';
import { boundsOf, groupNamed, groupsOf, type Rect, readingOrder, rectOf } from './geometry.ts';
import { type Canvas, type CanvasData, type CanvasItem, parseCanvas, textOf } from './model.ts';
import { EDGE_KEYS, KEYS_OF_TYPE, NODE_KEYS, nodeTitle } from './node.ts';
import { type CanvasProblem, canvasProblems } from './problems.ts';
import { canvasReferences } from './references.ts';
import { textsOf } from './text.ts';

/** A query of a canvas: the nodes that meet every given condition, or all nodes. */
export interface CanvasQuery {
  readonly ids?: readonly string[] | undefined;
  readonly type?: string | undefined;
  /** Id or label of a group; nodes inside it at any depth match. */
  readonly group?: string | undefined;
  /** Part of a text, label, file path or URL; case is ignored. */
  readonly text?: string | undefined;
  /** Path or name of a file; nodes that show it or link to it match. */
  readonly file?: string | undefined;
  readonly order: 'reading' | 'z';
  /** Most characters of a node's text. */
  readonly maxText: number;
  /** Number of nodes before the page, and most nodes on it. */
  readonly offset: number;
  readonly limit: number;
  /** Most characters of JSON for the nodes, and again for the edges; the first of each is always included. */
  readonly maxChars: number;
}

/** A node of the answer. */
export interface NodeView {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly rect: Rect | undefined;
  /** The node's other text fields of JSON Canvas; `text` may be cut. */
  readonly fields: Readonly<Record<string, string>>;
  /** Length of the whole text, UTF-16 code units, when it is cut. */
  readonly textChars: number | undefined;
  /** Ids of the groups that contain it, innermost first. */
  readonly groups: readonly string[];
  /** Keys of plugins, and fields whose value is not a text. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** 1-based line of the file. */
  readonly line: number;
}

/**
 * An edge of the answer; titles and files are those of its end nodes, undefined for a node that does not exist.
 */
export interface EdgeView {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly fromTitle: string | undefined;
  readonly toTitle: string | undefined;
  /** Files that the ends show, so that the caller can use their titles. */
  readonly fromFile: string | undefined;
  readonly fromSubpath: string | undefined;
  readonly toFile: string | undefined;
  readonly toSubpath: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly line: number;
}

/** The answer to a {@link CanvasQuery}. */
export interface CanvasView {
  readonly nodes: readonly NodeView[];
  /** Edges of the nodes on the page. */
  readonly edges: readonly EdgeView[];
  readonly edgesTotal: number;
  /** Number of nodes that match the query. */
  readonly matching: number;
  readonly allNodes: number;
  readonly allEdges: number;
  /** The smallest rectangle around the matching nodes. */
  readonly bounds: Rect | undefined;
  readonly problems: readonly CanvasProblem[];
  readonly problemsTotal: number;
  /** True when there are too many groups and nodes to compute which contain which. */
  readonly groupsUnknown: boolean;
}

const MOST_PROBLEMS = 20;
const MOST_EDGES = 1000;

/**
 * Answers a query of a canvas with one page of nodes and their edges.
 *
 * @throws LecternError `invalid_input` for a broken canvas, `not_found` and `ambiguous` for the group
 */
export function viewCanvas(text: string, query: CanvasQuery): CanvasView {
  const canvas = parseCanvas(text);
  const groups = groupsOf(canvas.nodes);
  const matching = matchingNodes(canvas, query, groups);
  const ordered = query.order === 'reading' ? readingOrder(matching, groups) : matching;
  const lines = new LineIndex(text);
  const page = ordered.slice(query.offset, query.offset + query.limit);
  const shown = fitting(
    page.map((node) => nodeView(node, query.maxText, groups?.get(node) ?? [], lines)),
    query.maxChars,
  );
  const onPage = new Set(shown.map(({ id }) => id));
  const byId = new Map(canvas.nodes.map((node) => [node.id, node]));
  // Edges without any existing end belong to no node; only the first page of the whole canvas lists them.
  const isWhole = query.offset === 0 && matching.length === canvas.nodes.length;
  const edges = canvas.edges.filter(({ data }) => {
    const ends = [textOf(data, 'fromNode') ?? '', textOf(data, 'toNode') ?? ''];
    return ends.some((end) => onPage.has(end)) || (isWhole && !ends.some((end) => byId.has(end)));
  });
  const problems = canvasProblems(canvas);
  return {
    nodes: shown,
    edges: fitting(
      edges.slice(0, MOST_EDGES).map((edge) => edgeView(edge, byId, lines)),
      query.maxChars,
    ),
    edgesTotal: edges.length,
    matching: matching.length,
    allNodes: canvas.nodes.length,
    allEdges: canvas.edges.length,
    bounds: boundsOf(matching.flatMap(({ data }) => rectOf(data) ?? [])),
    problems: problems.slice(0, MOST_PROBLEMS),
    problemsTotal: problems.length,
    groupsUnknown: groups === undefined,
  };
}

/** The first views whose JSON fits into `room` characters, and at least one. */
function fitting<View extends NodeView | EdgeView>(views: readonly View[], room: number): readonly View[] {
  let left = room;
  const end = views.findIndex((view, at) => {
    left -= JSON.stringify(view).length;
    return left < 0 && at > 0;
  });
  return end === -1 ? views : views.slice(0, end);
}

function matchingNodes(
  canvas: Canvas,
  { ids, type, group, text, file }: CanvasQuery,
  groups: ReadonlyMap<CanvasItem, readonly CanvasItem[]> | undefined,
): readonly CanvasItem[] {
  const { nodes } = canvas;
  const wantedIds = ids && new Set(ids);
  const frame = group === undefined ? undefined : oneGroup(nodes, group);
  const wanted = text === undefined ? undefined : key(text);
  const naming = file === undefined ? undefined : nodesNaming(canvas, file);
  return nodes.filter(
    (node) =>
      (wantedIds === undefined || wantedIds.has(node.id)) &&
      (type === undefined || node.type === type) &&
      (frame === undefined || groups?.get(node)?.includes(frame) === true) &&
      (wanted === undefined || textsOf(node.data).some((one) => key(one).includes(wanted))) &&
      (naming === undefined || naming.has(node.id)),
  );
}

function oneGroup(nodes: readonly CanvasItem[], name: string): CanvasItem {
  const found = groupNamed(nodes, name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const all = found.length > 0 ? found : nodes.filter(({ type }) => type === 'group');
  const candidates = all.slice(0, 5).map(({ id, data }) => `${id} "${nodeTitle(data)}"`);
  throw new LecternError(
    only === undefined ? 'not_found' : 'ambiguous',
    only === undefined
      ? `The canvas has no group ${JSON.stringify(name.slice(0, 80))}.`
      : `${found.length} groups are called ${JSON.stringify(name.slice(0, 80))}.`,
    {
      details: { group: name.slice(0, 80), candidates },
      next: candidates.length === 0 ? 'It has no groups.' : `Groups: ${candidates.join('; ')}.`,
    },
  );
}

/** Ids of the nodes whose reference, as written, matches a file's path or name. */
function nodesNaming(canvas: Canvas, file: string): ReadonlySet<string> {
  const wanted = withoutMd(pathKey(file.replace(/^\/+/, '')));
  const isName = !wanted.includes('/');
  const names = (target: string) => {
    const written = withoutMd(pathKey(target));
    if (written === wanted) return true;
    return isName
      ? written.endsWith(`/${wanted}`) || pathKey(stem(target)) === wanted
      : wanted.endsWith(`/${written}`) && written !== '';
  };
  return new Set(
    canvasReferences(canvas)
      .filter(({ target }) => names(target))
      .map(({ node }) => node),
  );
}

function withoutMd(path: string): string {
  return path.replace(/\.md$/, '');
}

function key(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

const OF_EVERY_NODE: ReadonlySet<string> = new Set(['id', 'type', 'x', 'y', 'width', 'height']);

function nodeView(
  { id, type, data, span }: CanvasItem,
  maxText: number,
  groups: readonly CanvasItem[],
  lines: LineIndex,
): NodeView {
  const own = new Set([...(KEYS_OF_TYPE[type] ?? NODE_KEYS), 'color']);
  const { fields, extra } = partsOf(data, (name) => own.has(name), OF_EVERY_NODE);
  const text = fields.text;
  const isCut = text !== undefined && text.length > maxText;
  return {
    id,
    type,
    title: nodeTitle(data),
    rect: rectOf(data),
    fields: isCut ? { ...fields, text: cutText(text, maxText) } : fields,
    textChars: isCut ? text.length : undefined,
    groups: groups.map((group) => group.id),
    extra,
    line: lines.lineAt(span.start),
  };
}

const OF_EVERY_EDGE: ReadonlySet<string> = new Set(['id', 'fromNode', 'toNode']);
const EDGE_FIELDS: ReadonlySet<string> = new Set(EDGE_KEYS);

function edgeView(
  { id, data, span }: CanvasItem,
  nodes: ReadonlyMap<string, CanvasItem>,
  lines: LineIndex,
): EdgeView {
  const from = textOf(data, 'fromNode') ?? '';
  const to = textOf(data, 'toNode') ?? '';
  const [fromNode, toNode] = [nodes.get(from), nodes.get(to)];
  return {
    id,
    from,
    to,
    fromTitle: fromNode && nodeTitle(fromNode.data),
    toTitle: toNode && nodeTitle(toNode.data),
    fromFile: fromNode && textOf(fromNode.data, 'file'),
    fromSubpath: fromNode && textOf(fromNode.data, 'subpath'),
    toFile: toNode && textOf(toNode.data, 'file'),
    toSubpath: toNode && textOf(toNode.data, 'subpath'),
    ...partsOf(data, (name) => EDGE_FIELDS.has(name), OF_EVERY_EDGE),
    line: lines.lineAt(span.start),
  };
}

/**
 * Splits data into known text fields and other keys; a known field that is not a text counts as another key.
 */
function partsOf(
  data: CanvasData,
  isOwn: (key: string) => boolean,
  elsewhere: ReadonlySet<string>,
): { readonly fields: Record<string, string>; readonly extra: Record<string, unknown> } {
  const fields: Record<string, string> = {};
  const extra: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(data)) {
    if (elsewhere.has(name)) continue;
    if (isOwn(name) && typeof value === 'string') fields[name] = value;
    else extra[name] = value;
  }
  return { fields, extra };
}
