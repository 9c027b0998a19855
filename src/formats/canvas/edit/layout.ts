import type { Span } from '../../../notes/model.ts';
import type { JsonObject } from '../../json-spans.ts';

/**
 * The text between the parts of a written object: white space, plus the comma in `between` and the colon in
 * `colon`.
 */
export interface ObjectLayout {
  /** After the opening brace. */
  readonly open: string;
  /** From the end of a key to its value. */
  readonly colon: string;
  /** From the end of a member to the start of the next. */
  readonly between: string;
  /** Before the closing brace. */
  readonly close: string;
}

/** The same for a list. */
export type ListLayout = Omit<ObjectLayout, 'colon'>;

/** How values are printed. */
export interface TextLayout {
  /** Whether every character outside ASCII is written as an escape. */
  readonly ascii: boolean;
  /** The indentation of one level of nesting. */
  readonly unit: string;
}

/** The spans of a member's key and value. */
interface MemberSpan {
  readonly key: Span;
  readonly value: Span;
}

/** The layout of an object in the source text; undefined for an object without members. */
export function layoutOf(text: string, { members, span }: JsonObject): ObjectLayout | undefined {
  return layoutOfMembers(
    text,
    span,
    members.map(({ key, value }) => ({ key: key.span, value: value.span })),
  );
}

/**
 * The layout of an object given by its spans; undefined without members.
 *
 * @param span of the object, with braces
 */
export function layoutOfMembers(
  text: string,
  span: Span,
  members: readonly MemberSpan[],
): ObjectLayout | undefined {
  const [first] = members;
  const [before, last] = members.length > 1 ? members.slice(-2) : [undefined, first];
  if (first === undefined || last === undefined) return undefined;
  const open = text.slice(span.start + 1, first.key.start);
  const colon = text.slice(last.key.end, last.value.start);
  return {
    open,
    colon,
    between:
      before === undefined
        ? `,${open === '' ? spaceAfter(colon) : open}`
        : text.slice(before.value.end, last.key.start),
    close: text.slice(last.value.end, span.end - 1),
  };
}

/** The space after commas: a program that writes a space after colons writes one after commas. */
export function spaceAfter(colon: string): string {
  return colon.endsWith(' ') ? ' ' : '';
}

/** The layout of an object on one line, as Obsidian writes a node. */
export function compact(colon: string): ObjectLayout {
  return { open: '', colon, between: `,${spaceAfter(colon)}`, close: '' };
}

/** The layout of an object with one member per line, one level deeper than `indent`. */
export function spread(eol: string, indent: string, unit: string, colon: string): ObjectLayout {
  const inner = `${eol}${indent}${unit}`;
  return { open: inner, colon, between: `,${inner}`, close: `${eol}${indent}` };
}

/** The layout of an object nested one level deeper. */
function indented(layout: ObjectLayout, unit: string): ObjectLayout {
  const deeper = (space: string) => (/[\r\n]/.test(space) ? space + unit : space);
  return {
    open: deeper(layout.open),
    colon: layout.colon,
    between: deeper(layout.between),
    close: deeper(layout.close),
  };
}

/** The JSON text of an object in a layout. */
export function printObject(
  entries: readonly (readonly [string, unknown])[],
  layout: ObjectLayout,
  text: TextLayout,
): string {
  if (entries.length === 0) return '{}';
  const { open, between, close } = layout;
  const members = entries.map(([key, value]) => printMember(key, value, layout, text));
  return `{${open}${members.join(between)}${close}}`;
}

/** The JSON text of a member: key, colon and value. */
export function printMember(key: string, value: unknown, layout: ObjectLayout, text: TextLayout): string {
  return printText(key, text) + layout.colon + printValue(value, layout, text);
}

/** The JSON text of a value inside an object of this layout. */
export function printValue(value: unknown, layout: ObjectLayout, text: TextLayout): string {
  if (typeof value === 'string') return printText(value, text);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = indented(layout, text.unit);
  if (!Array.isArray(value)) return printObject(Object.entries(value), inner, text);
  if (value.length === 0) return '[]';
  return `[${inner.open}${value.map((item) => printValue(item, inner, text)).join(inner.between)}${inner.close}]`;
}

function printText(value: string, { ascii }: TextLayout): string {
  const json = JSON.stringify(value);
  return ascii ? json.replace(/[\u007f-\uffff]/g, escapeOf) : json;
}

/** Whether a key or a text has a lone surrogate, which JSON permits and Unicode does not. */
export function hasLoneSurrogate(value: unknown): boolean {
  // JSON.stringify escapes only lone surrogates; a backslash of the text itself is doubled.
  return /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(JSON.stringify(value) ?? '');
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Orders entries: keys of `sample` in its order, then each other key after its predecessor in `usual`. */
export function inOrder(
  entries: readonly (readonly [string, unknown])[],
  sample: readonly string[],
  usual: readonly string[],
): (readonly [string, unknown])[] {
  const given = new Map(entries);
  const keys = sample.filter((key) => given.has(key));
  for (const key of [...usual, ...given.keys()]) {
    if (!given.has(key) || keys.includes(key)) continue;
    keys.splice(placeAmong(keys, key, usual), 0, key);
  }
  return keys.map((key) => [key, given.get(key)] as const);
}

/**
 * The index at which a key is inserted: after its nearest predecessor in the usual order; at the start when it
 * has none there; at the end when it is not in the usual order.
 */
export function placeAmong(keys: readonly string[], key: string, usual: readonly string[]): number {
  const rank = usual.indexOf(key);
  for (let at = rank - 1; at >= 0; at--) {
    const found = keys.indexOf(usual[at] ?? '');
    if (found !== -1) return found + 1;
  }
  return rank === -1 ? keys.length : 0;
}
