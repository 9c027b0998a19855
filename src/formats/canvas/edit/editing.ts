import { LecternError } from '../../../errors.ts';
import { closest } from '../../../nearest.ts';
import { etagOf } from '../../../notes/etag.ts';
import { cutText, encodeText, LineIndex } from '../../../notes/text.ts';
import { contains, groupNamed, type Rect, rectOf } from '../geometry.ts';
import { type Canvas, type CanvasData, type CanvasList, parseCanvas } from '../model.ts';
import { nodeTitle } from '../node.ts';
import { CanvasDocument, type Entry } from './document.ts';
import { newId } from './new-id.ts';
import { type CheckedCanvasOp, wrongOp } from './op.ts';

/** The result of one op of a patch. */
export interface CanvasOpResult {
  /** 0-based index of the op. */
  readonly op: number;
  readonly name: string;
  /** Id of the node or edge. */
  readonly id: string;
  /** The node's new rectangle, when the op placed it. */
  readonly rect?: Rect;
  /** Number of nodes moved along with their group. */
  readonly moved?: number;
  /** Number of nodes inside the new group. */
  readonly inside?: number;
  readonly removedNodes?: number;
  readonly removedEdges?: number;
  /** Path of the file that the op set. */
  readonly file?: string;
}

/** The result of an op without its index and name. */
export type Did = Omit<CanvasOpResult, 'op' | 'name'>;

interface PlacedEntry {
  readonly entry: Entry;
  readonly rect: Rect;
  readonly z: number;
}

/** Most ids that an unknown id is compared with for a suggestion. */
const COMPARED = 5000;
/** Most candidates named in an error. */
const SHOWN = 5;

/** A canvas during a patch, with the look-ups that its ops need. */
export class CanvasEditing {
  readonly document: CanvasDocument;
  readonly #canvas: Canvas;
  readonly #seed: string;
  #placed: { readonly version: number; readonly entries: PlacedEntry[]; looked: number } = {
    version: -1,
    entries: [],
    looked: 0,
  };
  /** The last node added without a position, and the number of nodes in its row. */
  flow: { readonly id: string; readonly count: number } | undefined;

  /** @throws LecternError `invalid_input` for a text that is no canvas */
  constructor(text: string) {
    this.#canvas = parseCanvas(text);
    this.#seed = etagOf(encodeText(text));
    this.document = new CanvasDocument(this.#canvas);
  }

  /**
   * Finds a node or an edge by its id.
   *
   * @throws LecternError `not_found` with candidate ids, `ambiguous` when several have the id
   */
  find(list: CanvasList, id: string, index: number, op: CheckedCanvasOp): Entry {
    const found = this.document.withId(list, id);
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    const what = list === 'nodes' ? 'node' : 'edge';
    if (only !== undefined) {
      const lines = this.#linesOf(found);
      throw new LecternError(
        'ambiguous',
        `ops[${index}] ${op.op}: ${found.length} ${what}s have the id ${shown(id)}${lines.length > 0 ? ` (lines ${lines.join(', ')})` : ''}.`,
        {
          details: { op_index: index, id, lines },
          next: 'Give each an id of its own first, with canvas_write or in an editor; nothing was changed.',
        },
      );
    }
    const all = this.document[list];
    const near = closest(
      id,
      all.slice(0, COMPARED).map((entry) => entry.id),
    );
    const some = all.slice(0, SHOWN).map((entry) => `${entry.id}${titled(entry)}`);
    throw new LecternError('not_found', `ops[${index}] ${op.op}: there is no ${what} ${shown(id)}.`, {
      details: { op_index: index, id, candidates: near === undefined ? some : [near] },
      next:
        near !== undefined
          ? `Did you mean ${near}? Nothing was changed.`
          : `Ids are what canvas_read answers${some.length === 0 ? '' : `: ${some.join('; ')}`}.`,
    });
  }

  /** Finds a group by its id or label. @throws LecternError `not_found`, `ambiguous` */
  group(name: string, index: number, op: CheckedCanvasOp): Entry {
    const found = groupNamed(this.document.nodes, name);
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    const all = this.document.nodes.filter(({ type }) => type === 'group');
    const some = (found.length > 0 ? found : all)
      .slice(0, SHOWN)
      .map((entry) => `${entry.id}${titled(entry)}`);
    throw new LecternError(
      only === undefined ? 'not_found' : 'ambiguous',
      `ops[${index}] ${op.op}: ${only === undefined ? 'there is no group' : `${found.length} groups are called`} ${shown(name)}.`,
      {
        details: { op_index: index, group: name, candidates: some },
        next: some.length === 0 ? 'There are no groups.' : `Name one by its id: ${some.join('; ')}.`,
      },
    );
  }

  /**
   * The rectangle of a node.
   *
   * @throws LecternError `invalid_input` when its numbers are missing or out of range
   */
  rectOf(entry: Entry, index: number, op: CheckedCanvasOp): Rect {
    const rect = rectOf(entry.data);
    if (rect !== undefined) return rect;
    throw wrongOp(index, op.op, `: the node ${entry.id} has no place, as its numbers are no good`, {
      id: entry.id,
    });
  }

  /**
   * The id for a new node or edge: the op's own, or one derived from the canvas and the op.
   *
   * @throws LecternError `invalid_input` for an id that is taken
   */
  newId(index: number, op: CheckedCanvasOp): string {
    const taken = (id: string) =>
      this.document.withId('nodes', id).length + this.document.withId('edges', id).length > 0;
    if (op.id !== undefined) {
      if (!taken(op.id)) return op.id;
      throw wrongOp(index, op.op, `: the id ${shown(op.id)} is taken`, { id: op.id });
    }
    return newId([this.#seed, index, op], taken);
  }

  /** The groups that contain a node, innermost first. */
  groupsAround(node: Entry): readonly PlacedEntry[] {
    const placed = this.placed();
    const own = placed.find(({ entry }) => entry === node);
    if (own === undefined) return [];
    return placed
      .filter((group) => isInside(own, group))
      .sort((a, b) => a.rect.width * a.rect.height - b.rect.width * b.rect.height || b.z - a.z);
  }

  /** The nodes wholly inside a group. */
  inside(group: Entry): readonly Entry[] {
    const placed = this.placed();
    const own = placed.find(({ entry }) => entry === group);
    return own === undefined ? [] : placed.filter((node) => isInside(node, own)).map(({ entry }) => entry);
  }

  /** Every node with a valid rectangle, in z-order. The result is cached until the document changes. */
  placed(): readonly PlacedEntry[] {
    const { nodes, version } = this.document;
    if (this.#placed.version !== version) this.#placed = { version, entries: [], looked: 0 };
    const { entries } = this.#placed;
    // Nodes appended since the last call leave the cached ones valid.
    for (let z = this.#placed.looked; z < nodes.length; z++) {
      const entry = nodes[z];
      const rect = entry && rectOf(entry.data);
      if (entry !== undefined && rect !== undefined) entries.push({ entry, rect, z });
    }
    this.#placed.looked = nodes.length;
    return entries;
  }

  #linesOf(entries: readonly Entry[]): readonly number[] {
    const lines = new LineIndex(this.#canvas.text);
    return entries.flatMap(({ item }) => (item === undefined ? [] : lines.lineAt(item.span.start)));
  }
}

/**
 * The plugin keys that an op sets.
 *
 * @throws LecternError `invalid_input` for a key that is a JSON Canvas field
 */
export function extraOf(
  op: CheckedCanvasOp,
  index: number,
  own: readonly string[],
): Readonly<Record<string, unknown>> {
  const extra = op.extra ?? {};
  const known = Object.keys(extra).filter((key) => own.includes(key));
  if (known.length > 0)
    throw wrongOp(index, op.op, `: extra is for keys of plugins; ${known.join(', ')} is a field`, {
      wrong: ['extra'],
    });
  return extra;
}

/** Refuses data with problems that it did not have before. @throws LecternError `invalid_input` */
export function assertGood(
  data: CanvasData,
  before: readonly string[],
  problemsOf: (data: CanvasData) => readonly string[],
  index: number,
  op: CheckedCanvasOp,
): void {
  const problems = problemsOf(data).filter((problem) => !before.includes(problem));
  if (problems.length > 0) throw wrongOp(index, op.op, `: ${problems.join('; ')}`, { problems });
}

/**
 * Whether a node is inside a group, by the rule of `groupsOf`: of two equal groups the later one is the inner
 * one.
 */
function isInside(node: PlacedEntry, group: PlacedEntry): boolean {
  if (group.entry.type !== 'group' || node.entry === group.entry) return false;
  if (!contains(group.rect, node.rect)) return false;
  return node.entry.type !== 'group' || !contains(node.rect, group.rect) || node.z > group.z;
}

function titled({ data }: Entry): string {
  const title = nodeTitle(data);
  return title === '' ? '' : ` "${cutText(title, 40)}"`;
}

function shown(id: string): string {
  return JSON.stringify(id.length <= 80 ? id : `${id.slice(0, 79)}…`);
}
