import { createMdastHandle, dropHandle, type Features, MdastReader, serializeHandle } from 'satteri';
import { DIALECT_RULES } from './dialects/rules.ts';
import type { Dialect } from './model.ts';
import { hasHostileEmphasis, hideEmphasis, showEmphasis } from './structure/emphasis.ts';
import { limitNesting } from './structure/nesting.ts';

/**
 * The Markdown structure of a text. Only this file uses the parser. Nodes are a flat list in source order, with
 * offsets in the whole note. The parser's arena is read directly, as building a tree took most of the time of a
 * parse.
 */

export type MarkdownNodeKind =
  | 'root'
  | 'paragraph'
  | 'heading'
  | 'thematicBreak'
  | 'blockquote'
  | 'list'
  | 'listItem'
  | 'html'
  | 'code'
  | 'definition'
  | 'inlineCode'
  | 'link'
  | 'image'
  | 'linkReference'
  | 'imageReference'
  | 'footnoteDefinition'
  | 'footnoteReference'
  | 'table'
  | 'tableRow'
  | 'tableCell'
  | 'math'
  | 'inlineMath';

/** A node of the Markdown structure. Offsets are UTF-16 code units of the whole note. */
export interface MarkdownNode {
  readonly kind: MarkdownNodeKind;
  readonly start: number;
  readonly end: number;
  /** The nearest enclosing node of a listed kind; undefined for the root. */
  readonly parent: MarkdownNode | undefined;
  /** The node before this one under the same parent. */
  readonly previous: MarkdownNode | undefined;
  /** Headings: 1 to 6. */
  readonly depth: number;
  /** Links, images, definitions: the destination with escapes and entities resolved, not percent-decoded. */
  readonly url: string;
  /** References and definitions: the normalised label. */
  readonly identifier: string;
  /** Links and headings: start and end of their content; both equal `end` when it is empty. */
  readonly contentStart: number;
  readonly contentEnd: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Node tags of the parser's arena (mdast names). Other tags are ignored. */
const KINDS: readonly (MarkdownNodeKind | undefined)[] = [
  'root',
  'paragraph',
  'heading',
  'thematicBreak',
  'blockquote',
  'list',
  'listItem',
  'html',
  'code',
  'definition',
  undefined, // text
  undefined, // emphasis
  undefined, // strong
  'inlineCode',
  undefined, // break
  'link',
  'image',
  'linkReference',
  'imageReference',
  'footnoteDefinition',
  'footnoteReference',
  'table',
  'tableRow',
  'tableCell',
  undefined, // delete
  undefined, // yaml
  undefined, // toml
  'math',
  'inlineMath',
];

const NO_PARENT = 0xffffffff;
const BOM = 0xfeff;

// Our own scanner finds `$…$`, as the parser would read the prices in "$5 and $6" as math.
const WITH_MATH: Features = { frontmatter: false, math: { singleDollarTextMath: false } };
const WITHOUT_MATH: Features = { frontmatter: false };

/**
 * Parses the part of a note after its front matter.
 * @param body Markdown without front matter
 * @param base offset of `body` in the note, which is added to every offset
 * @param math false reads `$$` as text, as SilverBullet does
 */
export function parseMarkdown(
  body: string,
  base: number,
  dialect: Dialect,
  math = true,
): readonly MarkdownNode[] {
  // The parser removes a BOM and counts offsets from after it.
  const bom = body.charCodeAt(0) === BOM ? 1 : 0;
  const written = bom === 1 ? body.slice(1) : body;
  const hidden = hasHostileEmphasis(written);
  const source = limitNesting(hidden ? hideEmphasis(written) : written);
  const handle = createMdastHandle(
    source,
    math && DIALECT_RULES[dialect].math ? WITH_MATH : WITHOUT_MATH,
    true,
  );
  const buffer = serializeHandle(handle);
  dropHandle(handle);
  return readNodes(new MdastReader(buffer), source, base + bom, hidden ? showEmphasis : asIs);
}

const asIs = (text: string): string => text;

function readNodes(
  reader: MdastReader,
  source: string,
  base: number,
  show: (text: string) => string,
): MarkdownNode[] {
  const count = reader.nodeCount;
  const nodes: MarkdownNode[] = [];
  /** Arena id → the listed node that it is or is inside of. */
  const owners: (Mutable<MarkdownNode> | undefined)[] = new Array(count);
  const lastChild = new Map<MarkdownNode, Mutable<MarkdownNode>>();
  let sorted = true;
  for (let id = 0; id < count; id += 1) {
    const parentId = reader.getParentId(id);
    const parent = parentId === NO_PARENT ? undefined : owners[parentId];
    const kind = KINDS[reader.getNodeType(id)];
    const measuresContent = parent !== undefined && (parent.kind === 'link' || parent.kind === 'heading');
    if (kind === undefined && !measuresContent) {
      owners[id] = parent;
      continue;
    }
    const position = reader.getPosition(id);
    if (position?.start.offset === undefined || position.end.offset === undefined) {
      owners[id] = parent;
      continue;
    }
    const start = base + position.start.offset;
    const end = base + position.end.offset;
    if (measuresContent) {
      if (parent.contentStart === parent.end) parent.contentStart = start;
      parent.contentEnd = Math.max(end, parent.contentStart === start ? 0 : parent.contentEnd);
    }
    if (kind === undefined) {
      owners[id] = parent;
      continue;
    }
    const node: Mutable<MarkdownNode> = {
      kind,
      start,
      end,
      parent,
      previous: undefined,
      depth: kind === 'heading' ? reader.fieldU8(id, 0, 1) : 0,
      url:
        kind === 'link' || kind === 'image' || kind === 'definition' ? show(reader.fieldString(id, 0)) : '',
      identifier: identifierOf(reader, id, kind),
      contentStart: end,
      contentEnd: end,
    };
    if (parent !== undefined) {
      const previous = lastChild.get(parent);
      // The parser may include the next line's start in HTML at the end of a nested container.
      if (previous !== undefined && previous.end > start && previous.start < start) {
        previous.end = base + source.slice(0, start - base).trimEnd().length;
      }
      node.previous = previous;
      lastChild.set(parent, node);
    }
    const before = nodes.at(-1);
    if (before !== undefined && before.start > start) sorted = false;
    nodes.push(node);
    owners[id] = node;
  }
  // Definitions are last in the arena.
  if (!sorted) nodes.sort((a, b) => a.start - b.start || b.end - a.end);
  return nodes;
}

function identifierOf(reader: MdastReader, id: number, kind: MarkdownNodeKind): string {
  switch (kind) {
    case 'linkReference':
    case 'imageReference':
      return reader.fieldString(id, 0);
    case 'definition':
      return reader.fieldString(id, 16);
    default:
      return '';
  }
}
