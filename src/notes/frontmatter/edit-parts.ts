import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { isRecord } from '../../is-record.ts';
import type { Property, Span } from '../model.ts';
import type { Splice } from '../splice.ts';
import { commonItems } from './common-items.ts';
import { dashPrefix, endOfLine, removeFromFlowOrBlock } from './edit-list.ts';
import { endWithComments } from './inner-comments.ts';
import { pairLines, type RenderStyle, renderInline } from './render.ts';
import { quoteOf, spanOf, valueNode } from './shape.ts';

/** A list or map being edited: the positions of its nodes in the note, and the style for new ones. */
interface Place {
  readonly text: string;
  readonly base: number;
  readonly limit: number;
  readonly style: RenderStyle;
}

/**
 * For two lists or two maps: edits only the items and pairs that differ, at any depth. Everything else keeps
 * its quotes, comments and layout.
 *
 * @returns undefined when the change requires rewriting the whole value
 */
export function changeParts(
  text: string,
  property: Property,
  wanted: unknown,
  style: RenderStyle,
): readonly Splice[] | undefined {
  const node = valueNode(text, property);
  if (!isSeq(node) && !isMap(node)) return undefined;
  const place = { text, base: property.span.start, limit: property.valueSpan.end, style };
  return changeCollection(place, node, property.value, wanted)?.toSorted((a, b) => a.start - b.start);
}

function changeCollection(
  place: Place,
  node: unknown,
  old: unknown,
  wanted: unknown,
): readonly Splice[] | undefined {
  if (isSeq(node) && Array.isArray(old) && Array.isArray(wanted))
    return changeItems(place, node, old, wanted);
  if (isMap(node) && isRecord(old) && isRecord(wanted)) return changePairs(place, node, old, wanted);
  return undefined;
}

/** Equal items stay with their comments; between them, old and new ones are matched in order. */
function changeItems(
  place: Place,
  node: YAMLSeq,
  old: readonly unknown[],
  wanted: readonly unknown[],
): readonly Splice[] | undefined {
  if (node.items.length !== old.length || old.length === 0 || wanted.length === 0) return undefined;
  const splices: Splice[] = [];
  const kept = old.map(() => true);
  let [from, to] = [0, 0];
  for (const [oldAt, wantedAt] of [...commonItems(old, wanted), [old.length, wanted.length] as const]) {
    for (; from < oldAt && to < wantedAt; from += 1, to += 1) {
      const change = changeItem(place, node, from, old[from], wanted[to]);
      if (change === undefined) return undefined;
      splices.push(...change);
    }
    kept.fill(false, from, oldAt);
    const more = newItems(place, node, from, wanted.slice(to, wantedAt));
    if (more === undefined) return undefined;
    splices.push(...more);
    [from, to] = [oldAt + 1, wantedAt + 1];
  }
  const items = node.items.map((item) => spanOf(item, place.base, place.limit));
  const kind = node.flow === true ? 'flow-list' : 'block-list';
  const removed = removeFromFlowOrBlock(place.text, { kind, items }, kept);
  return removed && [...splices, ...removed];
}

function changeItem(
  place: Place,
  node: YAMLSeq,
  index: number,
  old: unknown,
  wanted: unknown,
): readonly Splice[] | undefined {
  if (isDeepStrictEqual(old, wanted)) return [];
  const item = node.items[index];
  const inside = changeCollection(place, item, old, wanted);
  if (inside !== undefined) return inside;
  const span = written(place, item);
  if (node.flow !== true && !isBehindDash(place.text, span)) return undefined;
  return [replaced(place, item, span, wanted, node.flow === true)];
}

/** Whether an item starts on the line of its dash; an empty item may follow the dash directly. */
function isBehindDash(text: string, { start, end }: Span): boolean {
  return (
    dashPrefix(text, start) !== undefined || (start === end && /(?:^|\n) *-$/.test(text.slice(0, start)))
  );
}

function changePairs(
  place: Place,
  node: YAMLMap,
  old: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): readonly Splice[] | undefined {
  const keys = node.items.map(keyOf);
  // Merge keys and keys that are not text are read differently from how they are written.
  if (keys.length !== Object.keys(old).length || keys.some((key) => !Object.hasOwn(old, key)))
    return undefined;
  const splices: Splice[] = [];
  for (const [i, pair] of node.items.entries()) {
    const key = keys[i] ?? '';
    const change = Object.hasOwn(wanted, key)
      ? changeValue(place, node, pair, old[key], wanted[key])
      : withoutPair(place, node, pair);
    if (change === undefined) return undefined;
    splices.push(...change);
  }
  const added = Object.keys(wanted).filter((key) => !Object.hasOwn(old, key));
  if (added.length === 0) return Object.keys(wanted).length === 0 ? undefined : splices;
  const last = node.items.findLast((_, i) => Object.hasOwn(wanted, keys[i] ?? ''));
  const below = newPairs(place, node, last, wanted, added);
  return below && [...splices, below];
}

function changeValue(
  place: Place,
  node: YAMLMap,
  pair: Pair,
  old: unknown,
  wanted: unknown,
): readonly Splice[] | undefined {
  if (isDeepStrictEqual(old, wanted)) return [];
  const inside = changeCollection(place, pair.value, old, wanted);
  if (inside !== undefined) return inside;
  // A value of several lines does not fit after the colon.
  const span = written(place, pair.value);
  if (!isScalar(pair.value) || /[\r\n]/.test(place.text.slice(span.start, span.end))) {
    return undefined;
  }
  return [replaced(place, pair.value, span, wanted, node.flow === true)];
}

/** The pair's lines with the comments in its value, without those of a comment above. */
function withoutPair(place: Place, node: YAMLMap, pair: Pair): readonly Splice[] | undefined {
  if (node.flow === true) return undefined;
  const { text } = place;
  const key = written(place, pair.key);
  const start = text.lastIndexOf('\n', key.start - 1) + 1;
  if (text.slice(start, key.start).trim() !== '') return undefined;
  const newline = text.indexOf('\n', Math.max(key.end, written(place, pair.value).end));
  if (newline < 0) return undefined;
  const lines = { start, end: newline + 1 };
  return [{ start, end: endWithComments(text, lines, key.start - start, text.length), insert: '' }];
}

/** Inserts new pairs below the last one that stays. */
function newPairs(
  place: Place,
  node: YAMLMap,
  last: Pair | undefined,
  wanted: Readonly<Record<string, unknown>>,
  added: readonly string[],
): Splice | undefined {
  const { text, style } = place;
  const [first] = node.items;
  if (node.flow === true || first === undefined || last === undefined) return undefined;
  const key = written(place, first.key).start;
  const indent = text.slice(text.lastIndexOf('\n', key - 1) + 1, key).replace(/-/g, ' ');
  if (indent.trim() !== '') return undefined;
  const end = Math.max(written(place, last.key).end, written(place, last.value).end);
  const at = endOfLine(text, end);
  const lines = added.flatMap((name) => pairLines(name, wanted[name], { ...style, string: 'plain', indent }));
  return { start: at, end: at, insert: lines.map((line) => eolAt(text, at) + line).join('') };
}

/** Inserts new items after the item before `at`, or before the first. */
function newItems(
  place: Place,
  node: YAMLSeq,
  at: number,
  added: readonly unknown[],
): readonly Splice[] | undefined {
  if (added.length === 0) return [];
  const { text } = place;
  const before = at === 0 ? undefined : written(place, node.items[at - 1]);
  const first = written(place, node.items[0]);
  if (node.flow === true) {
    const items = added.map((item) => renderInline(item, place.style, true));
    const pair = at < 2 ? node.items.slice(0, 2) : node.items.slice(at - 2, at);
    const [left, right] = pair.map((item) => written(place, item));
    const between = left === undefined || right === undefined ? '' : text.slice(left.end, right.start);
    const separator = /^\s*,\s*$/.test(between) ? between : ', ';
    return before === undefined
      ? [{ start: first.start, end: first.start, insert: items.map((item) => item + separator).join('') }]
      : [{ start: before.end, end: before.end, insert: items.map((item) => separator + item).join('') }];
  }
  const prefix = dashPrefix(text, (before ?? first).start) ?? dashPrefix(text, first.start);
  if (prefix === undefined) return undefined;
  const lines = added.map((item) => prefix + renderInline(item, place.style));
  if (before === undefined) {
    const start = first.start - prefix.length;
    return [{ start, end: start, insert: lines.map((line) => line + eolAt(text, start)).join('') }];
  }
  const end = endOfLine(text, before.end);
  return [{ start: end, end, insert: lines.map((line) => eolAt(text, end) + line).join('') }];
}

/** Replaces a node's value; quotes are kept. */
function replaced(place: Place, node: unknown, span: Span, wanted: unknown, inBrackets: boolean): Splice {
  const quote = quoteOf(node);
  const string = quote === 'single' || quote === 'double' ? quote : 'plain';
  const value = renderInline(wanted, { ...place.style, string }, inBrackets);
  const spaced =
    span.start === span.end && !/\s/.test(place.text[span.start - 1] ?? '') ? ` ${value}` : value;
  return { ...span, insert: spaced };
}

/** A node's text without the line ends that belong to a block. */
function written({ text, base, limit }: Place, node: unknown): Span {
  const { start, end } = spanOf(node, base, limit);
  let last = end;
  while (last > start && /\s/.test(text[last - 1] ?? '')) last -= 1;
  return { start, end: last };
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

function eolAt(text: string, from: number): string {
  const newline = text.indexOf('\n', from);
  return text[newline - 1] === '\r' ? '\r\n' : '\n';
}
