import type { MarkdownNode } from '../markdown.ts';
import type { Link, Span } from '../model.ts';
import { cleanSubpath } from './wiki.ts';

/**
 * Markdown links, images and reference links that the parser found, with the spans of their parts in the
 * source. Links to other systems (`https:`, `mailto:`, `//host`) are not links between notes.
 */

interface Destination {
  /** Without angle brackets. */
  readonly span: Span;
  readonly angle: boolean;
}

export type Definitions = ReadonlyMap<string, Destination & { readonly url: string }>;

const EXTERNAL = /^(?:[a-z][a-z0-9+.-]+:|\/\/|[a-z]:[\\/])/i;
/** Most `](` in an image's description that are tried as its end. */
const MAX_LABEL_ENDS = 200;

/** Link definitions by normalised label; of several the first takes precedence (CommonMark 4.7). */
export function readDefinitions(text: string, nodes: readonly MarkdownNode[]): Definitions {
  const definitions = new Map<string, Destination & { url: string }>();
  for (const node of nodes) {
    if (node.kind !== 'definition' || definitions.has(node.identifier)) continue;
    const colon = definitionColon(text, node);
    const destination = colon === undefined ? undefined : readDestination(text, colon + 1, node.end);
    if (destination !== undefined) definitions.set(node.identifier, { ...destination, url: node.url });
  }
  return definitions;
}

/** The link of a parser node; undefined for an external link and for an autolink. */
export function markdownLink(
  text: string,
  node: MarkdownNode,
  definitions: Definitions,
  line: number,
): Link | undefined {
  const embed = node.kind === 'image' || node.kind === 'imageReference';
  const labelStart = node.start + (embed ? 2 : 1);
  if (text[labelStart - 1] !== '[') return undefined;
  if (node.kind === 'linkReference' || node.kind === 'imageReference') {
    const definition = definitions.get(node.identifier);
    const labelEnd = definition === undefined ? undefined : referenceLabelEnd(text, labelStart, node.end);
    if (definition === undefined || labelEnd === undefined) return undefined;
    return buildLink(text, {
      syntax: 'reference',
      embed,
      span: { start: node.start, end: node.end },
      label: { start: labelStart, end: labelEnd },
      destination: definition,
      url: definition.url,
      line,
    });
  }
  const labelEnd =
    node.kind === 'link' ? linkLabelEnd(text, node, labelStart) : imageLabelEnd(text, labelStart, node.end);
  const destination = labelEnd === undefined ? undefined : readResource(text, labelEnd + 1, node.end);
  if (labelEnd === undefined || destination === undefined) return undefined;
  return buildLink(text, {
    syntax: 'markdown',
    embed,
    span: { start: node.start, end: node.end },
    label: { start: labelStart, end: labelEnd },
    destination,
    url: node.url,
    line,
  });
}

export interface LinkParts {
  readonly syntax: 'markdown' | 'reference';
  readonly embed: boolean;
  readonly span: Span;
  readonly label: Span;
  readonly destination: Destination;
  /** The destination with escapes and entities resolved. */
  readonly url: string;
  readonly line: number;
}

/** Builds a link from its parts. @returns undefined when the destination is external or empty */
export function buildLink(text: string, parts: LinkParts): Link | undefined {
  const { destination, url, label } = parts;
  if (EXTERNAL.test(url)) return undefined;
  const raw = text.slice(destination.span.start, destination.span.end);
  const hash = url.indexOf('#');
  const rawHash = hash < 0 ? raw.length : rawFragmentStart(raw);
  const splitAt = destination.span.start + rawHash;
  const target = percentDecode(hash < 0 ? url : url.slice(0, hash));
  const subpath = cleanSubpath(hash < 0 ? '' : percentDecode(url.slice(hash)));
  if (target === '' && subpath === '') return undefined;
  return {
    syntax: parts.syntax,
    embed: parts.embed,
    property: undefined,
    target,
    subpath,
    display: text.slice(label.start, label.end),
    span: parts.span,
    targetSpan: { start: destination.span.start, end: splitAt },
    subpathSpan: { start: splitAt, end: destination.span.end },
    displaySpan: label,
    angle: destination.angle,
    line: parts.line,
  };
}

/** Percent-decodes as UTF-8; escapes that are not valid UTF-8 stay as written. */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

/**
 * Parses `(destination "title")`.
 *
 * @param at offset of the opening parenthesis
 * @param end offset after the closing parenthesis
 * @returns undefined when the resource does not end exactly there
 */
export function readResource(text: string, at: number, end: number): Destination | undefined {
  if (text[at] !== '(' || text[end - 1] !== ')') return undefined;
  const destination = readDestination(text, at + 1, end - 1);
  if (destination === undefined) return undefined;
  const rest = text.slice(destination.span.end + (destination.angle ? 1 : 0), end - 1);
  return isTitle(rest) ? destination : undefined;
}

/** Whether a text may follow a destination: nothing, white space, or white space and a quoted title. */
function isTitle(rest: string): boolean {
  const start = afterBlanks(rest, 0, rest.length);
  const title = rest.slice(start).trimEnd();
  if (title === '') return true;
  if (title.length < 2 || start === 0) return false;
  const close = title.startsWith('(') ? ')' : title[0];
  return (close === ')' || close === '"' || close === "'") && title.endsWith(close);
}

/** Skips white space and the `>` of block quotes that a link may span. */
function afterBlanks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && /[\s>]/.test(text[at] ?? '')) at += 1;
  return at;
}

function readDestination(text: string, from: number, end: number): Destination | undefined {
  const start = afterBlanks(text, from, end);
  if (text[start] === '<') {
    for (let at = start + 1; at < end; at += 1) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === '>') return { span: { start: start + 1, end: at }, angle: true };
    }
    return undefined;
  }
  let depth = 0;
  let at = start;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) break;
    if (code === 0x5c) at += 1;
    else if (code === 0x28) depth += 1;
    else if (code === 0x29) {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  return { span: { start, end: Math.min(at, end) }, angle: false };
}

function linkLabelEnd(text: string, node: MarkdownNode, labelStart: number): number | undefined {
  const content = node.contentStart === node.end ? labelStart : node.contentEnd;
  const at = afterBlanks(text, content, node.end);
  return text[at] === ']' ? at : undefined;
}

/**
 * The end of an image's description, which the parser does not give: the first `](` whose resource ends the
 * node.
 */
function imageLabelEnd(text: string, from: number, end: number): number | undefined {
  let at = from - 1;
  for (let tries = 0; tries < MAX_LABEL_ENDS; tries += 1) {
    at = text.indexOf('](', at + 1);
    if (at < 0 || at >= end) return undefined;
    if (readResource(text, at + 1, end) !== undefined) return at;
  }
  return undefined;
}

/** The end of the displayed part of `[text][label]`, `[label][]` and `[label]`. */
function referenceLabelEnd(text: string, from: number, end: number): number | undefined {
  if (text[end - 1] !== ']') return undefined;
  let open = text.lastIndexOf('[', end - 1);
  while (open > from && text[open - 1] === '\\') open = text.lastIndexOf('[', open - 1);
  return open > from && text[open - 1] === ']' ? open - 1 : end - 1;
}

function definitionColon(text: string, node: MarkdownNode): number | undefined {
  for (let at = node.start + 1; at < node.end; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === ']') return text[at + 1] === ':' ? at + 1 : undefined;
  }
  return undefined;
}

/** The offset of the `#` that starts the fragment, which is neither part of an entity (`&#35;`) nor escaped. */
function rawFragmentStart(raw: string): number {
  for (let at = 0; at < raw.length; at += 1) {
    if (raw[at] === '#' && raw[at - 1] !== '&' && raw[at - 1] !== '\\') return at;
  }
  return raw.length;
}
