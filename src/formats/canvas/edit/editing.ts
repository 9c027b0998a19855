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

/** What one op of a patch did. */
export interface CanvasOpResult {
  /** Its place among the ops, from 0. */
  readonly op: number;
  readonly name: string;
  /** Of the node or edge. */
  readonly id: string;
  /** Where the node is now, when the op put it there. */
  readonly rect?: Rect;
  /** Nodes in a group that went with it. */
  readonly moved?: number;
  /** Nodes that lie inside the new group. */
  readonly inside?: number;
  readonly removedNodes?: number;
  readonly removedEdges?: number;
  /** Path of the file that a node was told to show. */
  readonly file?: string;
}

/** What it did, but for which op it is. */
export type Did = Omit<CanvasOpResult, 'op' | 'name'>;

interface PlacedEntry {
  readonly entry: Entry;
  readonly rect: Rect;
  readonly z: number;
}

/** Ids that a wrong one is compared with. */
const COMPARED = 5000;
/** Candidates named in an error. */
const SHOWN = 5;

/** A canvas in the middle of a patch, and what its ops ask of it. */
export class CanvasEditing {
  readonly document: CanvasDocument;
  readonly #canvas: Canvas;
  readonly #seed: string;
  #placed: { readonly version: number; readonly entries: PlacedEntry[]; looked: number } = {
    version: -1,
    entries: [],
    looked: 0,
  };
  /** The node that was last put somewhere without a word on where, and how many stand in its row. */
  flow: { readonly id: string; readonly count: number } | undefined;

  /** @throws LecternError `invalid_input` for what is no canvas */
  constructor(text: string) {
    this.#canvas = parseCanvas(text);
    this.#seed = etagOf(encodeText(text));
    this.document = new CanvasDocument(this.#canvas);
  }

  /** @throws LecternError `not_found` with ids that may be meant, `ambiguous` for an id that two have */
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

  /** @throws LecternError `not_found`, `ambiguous` */
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

  /** @throws LecternError `invalid_input` for a node whose numbers cannot be used */
  rectOf(entry: Entry, index: number, op: CheckedCanvasOp): Rect {
    const rect = rectOf(entry.data);
    if (rect !== undefined) return rect;
    throw wrongOp(index, op.op, `: the node ${entry.id} has no place, as its numbers are no good`, {
      id: entry.id,
    });
  }

  /**
   * The id of what is added: the one that was asked for, else one that is made of the canvas and the op.
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

  /** Groups around a node, the innermost first. */
  groupsAround(node: Entry): readonly PlacedEntry[] {
    const placed = this.placed();
    const own = placed.find(({ entry }) => entry === node);
    if (own === undefined) return [];
    return placed
      .filter((group) => isInside(own, group))
      .sort((a, b) => a.rect.width * a.rect.height - b.rect.width * b.rect.height || b.z - a.z);
  }

  /** Nodes wholly inside a group. */
  inside(group: Entry): readonly Entry[] {
    const placed = this.placed();
    const own = placed.find(({ entry }) => entry === group);
    return own === undefined ? [] : placed.filter((node) => isInside(node, own)).map(({ entry }) => entry);
  }

  /** Every node that has a place, in z-order. Many ops ask for it between two changes. */
  placed(): readonly PlacedEntry[] {
    const { nodes, version } = this.document;
    if (this.#placed.version !== version) this.#placed = { version, entries: [], looked: 0 };
    const { entries } = this.#placed;
    // What was added at the end since changes nothing about those before it.
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

/** Keys of a plugin that an op sets. @throws LecternError for one that JSON Canvas has a field for */
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

/** Refuses data that are worse than they were. @throws LecternError `invalid_input` */
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

/** As `groupsOf` has it: of two groups of one size the later one is the inner one. */
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
