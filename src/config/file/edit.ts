import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, Lexer, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { listSplices } from './edit-list.ts';
import { flowText, scalarText, spliced, type TextSplice } from './edit-text.ts';
import { columnOf, lineEnd, rangeOf, trimmedEnd } from './places-in-yaml.ts';

/** A value as set by a user: undefined removes the setting from the file. */
export type EditedValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

type Key = readonly [string, ...string[]];

/**
 * Sets one setting in the text of a configuration file. Every byte outside the value stays: comments, order,
 * quotes, line endings. A new setting is inserted after those of its section.
 *
 * @returns the new text; the same when the value is unchanged
 * @throws LecternError `conflict` when other text would have to change
 */
export function setInConfig(source: string, key: Key, value: EditedValue): string {
  const document = parseDocument(source);
  const before: unknown = document.toJS() ?? {};
  const wanted = withValue(before, key, value);
  if (isDeepStrictEqual(before, wanted)) return source;
  const splices = isMap(document.contents)
    ? setIn(source, document.contents, key, value)
    : [atEnd(source, blockText(key, value, '', eolOf(source)))];
  return checked(source, splices, wanted, key);
}

/**
 * Removes one setting from the text of a configuration file, with its lines; a section that becomes empty is
 * removed too.
 *
 * @throws LecternError as {@link setInConfig}
 */
export function removeFromConfig(source: string, key: Key): string {
  const document = parseDocument(source);
  const before: unknown = document.toJS() ?? {};
  const wanted = without(before, key);
  if (isDeepStrictEqual(before, wanted) || !isMap(document.contents)) return source;
  const splice = removal(source, document.contents, key);
  return checked(source, splice === undefined ? [] : [splice], wanted, key);
}

function setIn(source: string, map: YAMLMap, key: Key, value: EditedValue): readonly TextSplice[] {
  const [name, ...rest] = key;
  const pair = pairOf(map, name);
  if (pair === undefined) return [insertion(source, map, key, value)];
  const node = pair.value;
  const [next, ...others] = rest;
  if (next === undefined) return valueSplices(source, pair, value);
  if (isMap(node)) return setIn(source, node, [next, ...others], value);
  if (node === null || (isScalar(node) && node.value === null)) {
    const indent = `${' '.repeat(columnOf(source, startOf(pair.key)))}  `;
    const eol = eolOf(source);
    const text = blockText([next, ...others], value, indent, eol);
    if (map.flow)
      return [{ ...emptyAfter(source, pair), insert: ` ${flowNested([next, ...others], value)}` }];
    const end = lineEnd(source, afterColon(source, pair));
    return [{ start: end, end, insert: source[end - 1] === '\n' ? text : eol + text.trimEnd() }];
  }
  // A vault given only as a folder so far gets rules of its own.
  if (isScalar(node) && typeof node.value === 'string' && key.length > 1) {
    const [start, end] = rangeOf(node);
    const inside = flowNested([next, ...others], value).replace(/^\{ | \}$/g, '');
    return [{ start, end, insert: `{ path: ${scalarText(node.value, true)}, ${inside} }` }];
  }
  throw byHand(key);
}

/** The pair of a setting that the map does not have yet. */
function insertion(source: string, map: YAMLMap, key: Key, value: EditedValue): TextSplice {
  const last = map.items.at(-1);
  if (map.flow) {
    const inside = flowNested(key, value).replace(/^\{ | \}$/g, '');
    const [start, end] = rangeOf(map);
    if (last === undefined) return { start, end, insert: `{ ${inside} }` };
    const at = contentEnd(source, last);
    return { start: at, end: at, insert: `, ${inside}` };
  }
  const [firstPair] = map.items;
  if (last === undefined || firstPair === undefined) throw byHand(key);
  const indent = ' '.repeat(columnOf(source, startOf(firstPair.key)));
  const end = lineEnd(source, contentEnd(source, last));
  const eol = eolOf(source);
  const text = blockText(key, value, indent, eol);
  if (end > 0 && source[end - 1] !== '\n') return { start: end, end, insert: eol + text };
  return { start: end, end, insert: text };
}

function valueSplices(source: string, pair: Pair, value: EditedValue): readonly TextSplice[] {
  const node = pair.value;
  if (Array.isArray(value) && isSeq(node)) {
    const items = listSplices(source, node, value);
    if (items !== undefined) return items;
  }
  if (node === null || (isScalar(node) && node.value === null && rangeOf(node)[0] === rangeOf(node)[1]))
    return [{ ...emptyAfter(source, pair), insert: ` ${inlineText(value)}` }];
  const [start, end] = rangeOf(node);
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true;
  // A vault with rules of its own gets another folder.
  if (isMap(node) && typeof value === 'string') {
    const folder = pairOf(node, 'path');
    if (folder !== undefined) return valueSplices(source, folder, value);
  }
  if (!isBlock) return [{ start, end, insert: inlineText(value) }];
  return [{ start: afterColon(source, pair), end: trimmedEnd(source, end), insert: ` ${inlineText(value)}` }];
}

function removal(source: string, map: YAMLMap, key: Key): TextSplice | undefined {
  const [name, ...rest] = key;
  const pair = pairOf(map, name);
  if (pair === undefined) return undefined;
  const [next, ...others] = rest;
  if (next !== undefined) {
    if (!isMap(pair.value)) return undefined;
    if (!isAll(pair.value, [next, ...others])) return removal(source, pair.value, [next, ...others]);
  }
  const start = startOf(pair.key);
  const end = contentEnd(source, pair);
  if (!map.flow) return { start: start - columnOf(source, start), end: lineEnd(source, end), insert: '' };
  const at = map.items.indexOf(pair);
  const following = map.items[at + 1];
  if (following !== undefined) return { start, end: startOf(following.key), insert: '' };
  const previous = map.items[at - 1];
  return { start: previous === undefined ? start : contentEnd(source, previous), end, insert: '' };
}

/** Whether a section contains only this setting. */
function isAll(map: YAMLMap, [name, next, ...others]: Key): boolean {
  const inner = pairOf(map, name)?.value;
  return map.items.length === 1 && (next === undefined || (isMap(inner) && isAll(inner, [next, ...others])));
}

/**
 * The text with the splices applied, after checking that it parses to the wanted values and keeps every
 * comment except those of removed lines.
 *
 * @throws LecternError `conflict` when it does not
 */
function checked(source: string, splices: readonly TextSplice[], wanted: unknown, key: Key): string {
  const text = spliced(source, splices);
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isDeepStrictEqual(document.toJS() ?? {}, wanted)) throw byHand(key);
  const removed = splices.filter(({ insert }) => insert === '');
  if (!isDeepStrictEqual(commentsIn(spliced(source, removed)), commentsIn(text))) throw byHand(key);
  return text;
}

function commentsIn(source: string): readonly string[] {
  const comments: string[] = [];
  let before = '';
  for (const token of new Lexer().lex(source)) {
    // The lexer emits this mark before the text of a value, which may start with `#`.
    if (token.startsWith('#') && before !== '\u001f') comments.push(token.trimEnd());
    before = token;
  }
  return comments;
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
}

/** `key: value` in a line, or several for a setting deeper down. */
function blockText(key: Key, value: EditedValue, indent: string, eol: string): string {
  const [name, next, ...others] = key;
  const head = `${indent}${scalarText(name, false)}:`;
  if (next === undefined) return `${head} ${inlineText(value)}${eol}`;
  return `${head}${eol}${blockText([next, ...others], value, `${indent}  `, eol)}`;
}

function flowNested(key: Key, value: EditedValue): string {
  const nested = key.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return flowText(nested);
}

function inlineText(value: EditedValue): string {
  return typeof value === 'object' ? flowText(value) : scalarText(value, false);
}

/** The end of a pair's own text, before a comment and the space in front of it. */
function contentEnd(source: string, pair: Pair): number {
  const node = pair.value;
  if (isMap(node) && !node.flow) {
    const last = node.items.at(-1);
    if (last !== undefined) return contentEnd(source, last);
  }
  if (isSeq(node) && !node.flow) return trimmedEnd(source, lastItemEnd(node.items));
  const end = node === null ? 0 : rangeOf(node)[1];
  return Math.max(end, afterColon(source, pair));
}

function lastItemEnd(items: readonly unknown[]): number {
  return Math.max(0, ...items.map((item) => rangeOf(item)[1]));
}

function emptyAfter(source: string, pair: Pair): { start: number; end: number } {
  const at = afterColon(source, pair);
  return { start: at, end: at };
}

function afterColon(source: string, { key }: Pair): number {
  const end = rangeOf(key)[1];
  const colon = source.indexOf(':', end);
  return source.slice(end, colon).trim() === '' ? colon + 1 : end;
}

function atEnd(source: string, text: string): TextSplice {
  const eol = source === '' || source.endsWith('\n') ? '' : eolOf(source);
  return { start: source.length, end: source.length, insert: eol + text };
}

function eolOf(source: string): string {
  return source.includes('\r\n') ? '\r\n' : '\n';
}

function startOf(node: unknown): number {
  return rangeOf(node)[0];
}

function withValue(before: unknown, key: readonly string[], value: unknown): unknown {
  const [name, ...rest] = key;
  if (name === undefined) {
    // The folder of a vault that also has rules.
    return isRecord(before) && typeof value === 'string' ? { ...before, path: value } : value;
  }
  const map = isRecord(before) ? before : typeof before === 'string' ? { path: before } : {};
  return { ...map, [name]: withValue(map[name], rest, value) };
}

function without(before: unknown, key: readonly string[]): unknown {
  const [name, ...rest] = key;
  if (name === undefined || !isRecord(before) || !Object.hasOwn(before, name)) return before;
  const { [name]: inner, ...others } = before;
  const left = rest.length === 0 ? undefined : without(inner, rest);
  const isEmpty = left === undefined || (isRecord(left) && Object.keys(left).length === 0);
  return isEmpty ? others : { ...others, [name]: left };
}

function byHand(key: Key): LecternError {
  return new LecternError(
    'conflict',
    `${key.join('.')} cannot be changed in the configuration file without touching what is around it.`,
    { next: 'Change it there by hand: lectern config path says where it is.' },
  );
}
