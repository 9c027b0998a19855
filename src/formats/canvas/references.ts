import type { Link, Span } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import { cutText } from '../../notes/text.ts';
import { type JsonString, sourceOffsets } from '../json-spans.ts';
import { type Canvas, type CanvasItem, textField } from './model.ts';

/** A reference to a file in a canvas, with the spans that a move rewrites. */
export interface CanvasReference {
  readonly node: string;
  /**
   * `file` = the vault-relative path of a file node or a group's background; `text` = a link in a text node.
   */
  readonly kind: 'file' | 'text';
  readonly target: string;
  readonly subpath: string;
  readonly display: string | undefined;
  readonly embed: boolean;
  /**
   * Span of the path in the canvas's source, inside the JSON string; replace it with `jsonStringContent(…)`.
   */
  readonly targetSpan: Span;
  /** Span of the subpath with its `#` in the canvas's source; undefined when there is none. */
  readonly subpathSpan: Span | undefined;
  readonly displaySpan: Span | undefined;
  /** The link with spans in the text node's decoded text; undefined for a path. */
  readonly link: Link | undefined;
  /** The path with its subpath, or the node's text; cut to 300 characters. */
  readonly context: string;
}

const CONTEXT_LENGTH = 300;

/** All references to files: of file nodes, group backgrounds, and links inside text nodes, in z-order. */
export function canvasReferences(canvas: Canvas): readonly CanvasReference[] {
  return canvas.nodes.flatMap((node) => {
    switch (node.type) {
      case 'file':
        return pathReference(canvas, node, 'file');
      case 'group':
        return pathReference(canvas, node, 'background');
      case 'text':
        return textReferences(canvas, node);
      default:
        return [];
    }
  });
}

/** The references of a canvas in the form the index stores. */
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

function pathReference(
  canvas: Canvas,
  node: CanvasItem,
  key: 'file' | 'background',
): readonly CanvasReference[] {
  if (typeof node.data[key] !== 'string') return [];
  const file = textField(canvas, node, key);
  if (file === undefined) return [];
  const part = key === 'file' ? textField(canvas, node, 'subpath') : undefined;
  const subpath = part?.value ?? '';
  const reference: CanvasReference = {
    node: node.id,
    kind: 'file',
    target: file.value,
    subpath,
    display: undefined,
    embed: true,
    targetSpan: insideQuotes(file),
    subpathSpan: part && insideQuotes(part),
    displaySpan: undefined,
    link: undefined,
    context: cut(file.value + subpath),
  };
  return [reference];
}

function textReferences(canvas: Canvas, node: CanvasItem): readonly CanvasReference[] {
  const { text } = node.data;
  // Every kind of link contains a bracket.
  if (typeof text !== 'string' || !text.includes('[')) return [];
  const { links } = parseNote(text, { dialect: 'obsidian' });
  if (links.length === 0) return [];
  const content = textField(canvas, node, 'text');
  if (content === undefined) return [];
  const toSource = sourceOffsets(canvas.text, content);
  const inSource = (span: Span): Span => ({ start: toSource(span.start), end: toSource(span.end) });
  return links.map((link) => ({
    node: node.id,
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

function insideQuotes(string: JsonString): Span {
  return { start: string.span.start + 1, end: string.span.end - 1 };
}

function cut(text: string): string {
  return text.length <= CONTEXT_LENGTH ? text : cutText(text, CONTEXT_LENGTH);
}
