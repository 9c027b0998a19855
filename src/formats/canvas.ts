import { LecternError } from '../errors.ts';
import type { Link, Span } from '../notes/model.ts';
import { parseNote } from '../notes/parse.ts';
import {
  type JsonNode,
  type JsonObject,
  type JsonString,
  member,
  parseJson,
  plainValue,
  sourceOffsets,
} from './json-spans.ts';

/** JSON Canvas 1.0 (jsoncanvas.org/spec/1.0), read with exact places. All spans are in `Canvas.text`. */
export interface Canvas {
  readonly text: string;
  /** Z-order ascending. */
  readonly nodes: readonly CanvasNode[];
  readonly edges: readonly CanvasEdge[];
  /** The document itself; undefined for an empty file, which Obsidian takes for an empty canvas. */
  readonly root: JsonObject | undefined;
}

export interface CanvasNode {
  readonly id: string;
  /** `text`, `file`, `link`, `group`, or what an extension calls it. */
  readonly type: string;
  /** The node's object, braces included. */
  readonly span: Span;
  readonly file: JsonString | undefined;
  readonly subpath: JsonString | undefined;
  /** A group's background image. */
  readonly background: JsonString | undefined;
  readonly content: JsonString | undefined;
  /** Every field as plain JSON, unknown ones included. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface CanvasEdge {
  readonly id: string;
  readonly fromNode: string;
  readonly toNode: string;
  readonly span: Span;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A place in a canvas that names a file, as a move has to find it. */
export interface CanvasReference {
  readonly node: string;
  /** `file` = the path of a file node or a group's background, exact from the vault root; `text` = a link in a text node. */
  readonly kind: 'file' | 'text';
  readonly target: string;
  readonly subpath: string;
  readonly display: string | undefined;
  readonly embed: boolean;
  /** The path part in the canvas's source, inside the JSON string: replace it with `jsonStringContent(…)`. */
  readonly targetSpan: Span;
  /** The subpath with its `#` in the canvas's source; undefined where there is none. */
  readonly subpathSpan: Span | undefined;
  readonly displaySpan: Span | undefined;
  /** The link inside a text node's decoded text; undefined for paths. */
  readonly link: Link | undefined;
  /** The file path, or the text around, cut to 300 characters. */
  readonly context: string;
}

const CONTEXT_LENGTH = 300;

/**
 * @throws LecternError `invalid_input` for broken JSON (with the position) and for a document that is no canvas
 */
export function parseCanvas(text: string): Canvas {
  if (/^\ufeff?\s*$/.test(text)) return { text, nodes: [], edges: [], root: undefined };
  const root = parseJson(text, 'The canvas');
  if (root.kind !== 'object') throw notCanvas('its top level is not an object', root);
  const nodes = objectsIn(root, 'nodes').map(nodeOf);
  const edges = objectsIn(root, 'edges').map(edgeOf);
  return { text, nodes, edges, root };
}

/** Every place that names a file: file nodes, group backgrounds, and the links inside text nodes, in z-order. */
export function canvasReferences(canvas: Canvas): readonly CanvasReference[] {
  return canvas.nodes.flatMap((node) => {
    if (node.type === 'file' && node.file !== undefined)
      return [fileReference(node, node.file, node.subpath)];
    if (node.type === 'group' && node.background !== undefined) return [fileReference(node, node.background)];
    if (node.type === 'text' && node.content !== undefined) {
      return textReferences(canvas.text, node.id, node.content);
    }
    return [];
  });
}

/** The same in the shape the index stores. */
export function canvasLinks(
  canvas: Canvas,
): readonly Pick<CanvasReference, 'target' | 'subpath' | 'display' | 'embed' | 'context'>[] {
  return canvasReferences(canvas).map(({ target, subpath, display, embed, context }) => ({
    target,
    subpath,
    display,
    embed,
    context,
  }));
}

/** What a search in a canvas looks through: texts, labels, file paths and addresses, one per line. */
export function canvasText(canvas: Canvas): string {
  const fields = ['text', 'label', 'file', 'url'];
  const parts = [...canvas.nodes, ...canvas.edges].flatMap(({ data }) => fields.map((field) => data[field]));
  return parts.filter((part) => typeof part === 'string' && part !== '').join('\n');
}

function fileReference(node: CanvasNode, file: JsonString, path?: JsonString): CanvasReference {
  const subpath = path?.value ?? '';
  return {
    node: node.id,
    kind: 'file',
    target: file.value,
    subpath,
    display: undefined,
    embed: true,
    targetSpan: insideQuotes(file),
    subpathSpan: path && insideQuotes(path),
    displaySpan: undefined,
    link: undefined,
    context: cut(file.value + subpath),
  };
}

function textReferences(source: string, node: string, content: JsonString): readonly CanvasReference[] {
  const { links } = parseNote(content.value, { dialect: 'obsidian' });
  if (links.length === 0) return [];
  const toSource = sourceOffsets(source, content);
  const inSource = (span: Span): Span => ({ start: toSource(span.start), end: toSource(span.end) });
  return links.map((link) => ({
    node,
    kind: 'text',
    target: link.target,
    subpath: link.subpath,
    display: link.display,
    embed: link.embed,
    targetSpan: inSource(link.targetSpan),
    subpathSpan: inSource(link.subpathSpan),
    displaySpan: link.displaySpan && inSource(link.displaySpan),
    link,
    context: cut(content.value.trim()),
  }));
}

function nodeOf(object: JsonObject): CanvasNode {
  return {
    id: stringField(object, 'id')?.value ?? '',
    type: stringField(object, 'type')?.value ?? '',
    span: object.span,
    file: stringField(object, 'file'),
    subpath: stringField(object, 'subpath'),
    background: stringField(object, 'background'),
    content: stringField(object, 'text'),
    data: plainValue(object) as Record<string, unknown>,
  };
}

function edgeOf(object: JsonObject): CanvasEdge {
  return {
    id: stringField(object, 'id')?.value ?? '',
    fromNode: stringField(object, 'fromNode')?.value ?? '',
    toNode: stringField(object, 'toNode')?.value ?? '',
    span: object.span,
    data: plainValue(object) as Record<string, unknown>,
  };
}

function stringField(object: JsonObject, key: string): JsonString | undefined {
  const value = member(object, key);
  return value?.kind === 'string' ? value : undefined;
}

function objectsIn(root: JsonObject, key: string): readonly JsonObject[] {
  const list = member(root, key);
  if (list === undefined) return [];
  if (list.kind !== 'array') throw notCanvas(`its "${key}" is not a list`, list);
  return list.items.map((item) => {
    if (item.kind !== 'object') throw notCanvas(`an entry of "${key}" is not an object`, item);
    return item;
  });
}

function insideQuotes(string: JsonString): Span {
  return { start: string.span.start + 1, end: string.span.end - 1 };
}

/** Cuts between characters, never inside a surrogate pair. */
function cut(text: string): string {
  if (text.length <= CONTEXT_LENGTH) return text;
  return text.slice(0, CONTEXT_LENGTH).replace(/[\ud800-\udbff]$/, '');
}

function notCanvas(reason: string, node: JsonNode): LecternError {
  return new LecternError('invalid_input', `The file is not a canvas: ${reason}.`, {
    details: { offset: node.span.start },
    next: 'Repair the file in an editor first; nothing was changed.',
  });
}
