import { LecternError } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import { etagOf } from '../../../notes/etag.ts';
import { encodeText } from '../../../notes/text.ts';
import { isSize, type Rect, rectOf } from '../geometry.ts';
import { type CanvasData, type CanvasList, parseCanvas, textOf } from '../model.ts';
import { EDGE_KEYS, NODE_KEYS } from '../node.ts';
import { freePlace, usualSize } from '../place.ts';
import { edgeProblems, nodeProblems } from '../problems.ts';
import { CanvasDocument, type Entry } from './document.ts';
import { hasLoneSurrogate } from './layout.ts';
import { newId } from './new-id.ts';

/** Keys that canvas_read adds to those of the file. */
const COMPUTED: ReadonlySet<string> = new Set([
  'title',
  'line',
  'groups',
  'missing',
  'text_chars',
  'extra',
  'from_title',
  'to_title',
]);
/** Most problems named in an error. */
const MAX_LISTED = 5;

/**
 * Creates a canvas or replaces its content. Nodes and edges that stay the same keep their bytes; plugin keys of
 * nodes and of the top level stay unless the new canvas sets them.
 *
 * @param text the current text; empty for a new canvas
 * @param given a JSON Canvas with `nodes` and `edges`; ids, positions and sizes may be missing
 * @returns the new text
 * @throws LecternError `invalid_input` with the problems of the given canvas, or for a broken current text
 */
export function replaceCanvas(text: string, given: Readonly<Record<string, unknown>>): string {
  const document = new CanvasDocument(parseCanvas(text));
  if (hasLoneSurrogate(given)) throw notGood(['it holds half of a surrogate pair']);
  const nodes = listIn(given, 'nodes');
  const edges = listIn(given, 'edges');
  const taken = new Set([...nodes, ...edges].flatMap((item) => textOf(item, 'id') ?? []));
  const newIds = new NewIds(etagOf(encodeText(text)), taken);
  const wholeNodes = completeNodes(nodes, newIds);
  const wholeEdges = completeEdges(edges, newIds);
  const problems: string[] = [];
  const ids = new Set<string>();
  const nodeIds = new Set(wholeNodes.map((node) => textOf(node, 'id')));
  const look = (list: CanvasList, item: CanvasData, at: number, found: readonly string[]) => {
    const id = textOf(item, 'id') ?? '';
    const twice = ids.has(id) && id !== '' ? [`the id ${JSON.stringify(id)} is there twice`] : [];
    ids.add(id);
    for (const problem of [...found, ...twice]) problems.push(`${list}[${at}]: ${problem}`);
  };
  for (const [at, node] of wholeNodes.entries())
    look('nodes', node, at, [...nodeProblems(node), ...computedIn(node, document.nodes)]);
  for (const [at, edge] of wholeEdges.entries()) {
    const dangling = ['fromNode', 'toNode'].flatMap((key) => {
      const end = textOf(edge, key);
      return end === undefined || nodeIds.has(end) ? [] : [`${key} names no node: ${JSON.stringify(end)}`];
    });
    look('edges', edge, at, [...edgeProblems(edge), ...dangling, ...computedIn(edge, document.edges)]);
  }
  if (problems.length > 0) throw notGood(problems);
  arrange(document, 'nodes', wholeNodes);
  arrange(document, 'edges', wholeEdges);
  for (const [key, value] of Object.entries(given))
    if (key !== 'nodes' && key !== 'edges') document.setRoot(key, value);
  const printed = document.print();
  // A new canvas without nodes and edges is written as JSON, not as an empty file.
  return printed === '' ? '{\n\t"nodes":[],\n\t"edges":[]\n}' : printed;
}

function listIn(given: Readonly<Record<string, unknown>>, key: CanvasList): readonly CanvasData[] {
  const list = given[key] ?? [];
  if (!Array.isArray(list)) throw notGood([`"${key}" is not a list`]);
  return list.map((item: unknown, at) => {
    if (isRecord(item)) return item;
    throw notGood([`${key}[${at}] is not an object`]);
  });
}

/** Adds missing ids, positions and sizes. */
function completeNodes(nodes: readonly CanvasData[], ids: NewIds): CanvasData[] {
  const sized = nodes.map((node, at) => {
    const usual = usualSize(textOf(node, 'type') ?? '', textOf(node, 'text'));
    const { width = usual.width, height = usual.height } = node;
    return { id: node.id ?? ids.next('nodes', at, node), ...node, width, height };
  });
  const placed: Rect[] = sized.flatMap((node) => rectOf(node) ?? []);
  return sized.map((node: CanvasData) => {
    const { x, y, width, height } = node;
    if (x !== undefined || y !== undefined || !isSize(width) || !isSize(height)) return node;
    const place = freePlace({ size: { width, height } }, placed) ?? { x: 0, y: 0 };
    placed.push({ ...place, width, height });
    return { ...node, ...place };
  });
}

function completeEdges(edges: readonly CanvasData[], ids: NewIds): CanvasData[] {
  return edges.map((edge, at) => ({ id: edge.id ?? ids.next('edges', at, edge), ...edge }));
}

/** Generates ids that are not taken. */
class NewIds {
  readonly #seed: string;
  readonly #taken: Set<string>;

  constructor(seed: string, taken: Set<string>) {
    this.#seed = seed;
    this.#taken = taken;
  }

  next(list: CanvasList, at: number, item: CanvasData): string {
    const id = newId([this.#seed, list, at, item], (one) => this.#taken.has(one));
    this.#taken.add(id);
    return id;
  }
}

/** Problems for keys that only canvas_read adds, except where the file itself has such a key from a plugin. */
function computedIn(item: CanvasData, there: readonly Entry[]): readonly string[] {
  const keys = Object.keys(item).filter((key) => COMPUTED.has(key));
  if (keys.length === 0) return [];
  const own = there.find(({ id }) => id === item.id)?.data ?? {};
  const added = keys.filter((key) => !Object.hasOwn(own, key));
  return added.length === 0 ? [] : [`${added.join(', ')} is what canvas_read adds; leave it out`];
}

/** Makes a list of the document equal to the given items. */
function arrange(document: CanvasDocument, list: CanvasList, items: readonly CanvasData[]): void {
  const known = list === 'nodes' ? NODE_KEYS : EDGE_KEYS;
  const byId = new Map<string, Entry>();
  for (const entry of document[list]) if (entry.id !== '' && !byId.has(entry.id)) byId.set(entry.id, entry);
  const entries = items.map((item) => {
    const id = textOf(item, 'id') ?? '';
    const there = byId.get(id);
    if (there === undefined) return document.add(list, item);
    const gone = known.filter((key) => !Object.hasOwn(item, key));
    document.update(there, item, gone);
    return there;
  });
  document.arrange(list, entries);
}

function notGood(problems: readonly string[]): LecternError {
  const shown = problems.slice(0, MAX_LISTED);
  const more = problems.length - shown.length;
  return new LecternError(
    'invalid_input',
    `The canvas is not good: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
    {
      details: { problems: shown, total: problems.length },
      next: 'Nothing was changed. Nodes need id, type, x, y, width, height; edges id, fromNode, toNode.',
    },
  );
}
