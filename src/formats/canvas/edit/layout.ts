import type { Span } from '../../../notes/model.ts';
import type { JsonObject } from '../../json-spans.ts';

/** How an object is written: what stands between its parts. All white space, but for one comma in `between` and one colon in `colon`. */
export interface ObjectLayout {
  /** Behind the opening brace. */
  readonly open: string;
  /** From the end of a key to its value. */
  readonly colon: string;
  /** From the end of a member to the next. */
  readonly between: string;
  /** Before the closing brace. */
  readonly close: string;
}

/** The same of a list. */
export type ListLayout = Omit<ObjectLayout, 'colon'>;

/** How values are written. */
export interface TextLayout {
  /** Every character outside ASCII is written as an escape. */
  readonly ascii: boolean;
  /** What one level of nesting adds to the indentation. */
  readonly unit: string;
}

/** A member of an object: where its key begins and ends, and its value. */
interface MemberSpan {
  readonly key: Span;
  readonly value: Span;
}

/** How the object is written; undefined for one without members, which tells nothing. */
export function layoutOf(text: string, { members, span }: JsonObject): ObjectLayout | undefined {
  return layoutOfMembers(
    text,
    span,
    members.map(({ key, value }) => ({ key: key.span, value: value.span })),
  );
}

/** @param span the object, braces included */
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

/** Who writes a space behind colons writes one behind commas. */
export function spaceAfter(colon: string): string {
  return colon.endsWith(' ') ? ' ' : '';
}

/** Members in one line, as Obsidian writes a node. */
export function compact(colon: string): ObjectLayout {
  return { open: '', colon, between: `,${spaceAfter(colon)}`, close: '' };
}

/** Members in lines of their own, one level inside `indent`. */
export function spread(eol: string, indent: string, unit: string, colon: string): ObjectLayout {
  const inner = `${eol}${indent}${unit}`;
  return { open: inner, colon, between: `,${inner}`, close: `${eol}${indent}` };
}

/** The same layout so many levels further in: of an object that is written in lines. */
function indented(layout: ObjectLayout, unit: string): ObjectLayout {
  const deeper = (space: string) => (/[\r\n]/.test(space) ? space + unit : space);
  return {
    open: deeper(layout.open),
    colon: layout.colon,
    between: deeper(layout.between),
    close: deeper(layout.close),
  };
}

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

export function printMember(key: string, value: unknown, layout: ObjectLayout, text: TextLayout): string {
  return printText(key, text) + layout.colon + printValue(value, layout, text);
}

/** A value inside an object of this layout. */
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

/** Half a surrogate pair, in a key or a text: JSON can hold it, and it is no character. */
export function hasHalfCharacter(value: unknown): boolean {
  // Well-formed characters are never escaped; a backslash of the text itself is two.
  return /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(JSON.stringify(value) ?? '');
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Entries in an order: those of `sample` as it has them, others each behind the one that comes before it in `usual`. */
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

/** Where a key goes among others: behind the nearest of those that come before it in the usual order, else at the end. */
export function placeAmong(keys: readonly string[], key: string, usual: readonly string[]): number {
  const rank = usual.indexOf(key);
  for (let at = rank - 1; at >= 0; at--) {
    const found = keys.indexOf(usual[at] ?? '');
    if (found !== -1) return found + 1;
  }
  return rank === -1 ? keys.length : 0;
}
