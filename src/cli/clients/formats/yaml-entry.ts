import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { flowText, spliced } from '../../../config/file/edit-text.ts';
import { columnOf, lineEnd, lineStart, rangeOf, trimmedEnd } from '../../../config/file/places-in-yaml.ts';
import { isRecord } from '../../../is-record.ts';
import {
  CannotEdit,
  type Entry,
  type EntryEdit,
  type EntryFormat,
  type EntryPlace,
  lineEndingOf,
} from './entry-format.ts';

/** YAML. An entry is written in block style or flow style, like the others in the file. */
export const yamlFormat: EntryFormat = {
  parse: (text) => read(text).toJS() ?? undefined,

  put(text, place, entry): EntryEdit {
    const [key, ...deeper] = place.keys;
    if (deeper.length > 0) throw new CannotEdit('its servers are more than one level deep');
    const document = read(text);
    const root = document.contents;
    const eol = lineEndingOf(text);
    if (root === null) {
      const head = stringify(place.fresh, { lineWidth: 0 });
      return append(
        text,
        lines(isEmptyRecord(place.fresh) ? '' : head, eol) + section(place, entry, eol),
        eol,
      );
    }
    if (!isMap(root) || root.flow) throw new CannotEdit('it is no list of settings, one on each line');
    const pair = pairOf(root, key);
    if (pair === undefined) {
      if (/^\.\.\.\s*$/m.test(text))
        throw new CannotEdit('it ends with a mark behind which nothing can stand');
      return append(text, section(place, entry, eol), eol);
    }
    const found = entryNode(pair.value, place);
    if (found !== undefined) return replace(text, found, place, entry, eol);
    return insert(text, pair, place, entry, eol);
  },

  take(text, place): readonly string[] {
    const root = read(text).contents;
    const pair = isMap(root) ? pairOf(root, place.keys[0]) : undefined;
    const servers = pair?.value;
    if (pair === undefined || !(isMap(servers) || isSeq(servers))) return [];
    const at = indexOf(servers, place);
    if (at < 0) return [];
    const nodes = servers.items.map(spanOf);
    const [start, end] = nodes[at] ?? [0, 0];
    if (servers.flow) {
      const next = nodes[at + 1];
      const previous = nodes[at - 1];
      if (next !== undefined) return [spliced(text, [{ start, end: next[0], insert: '' }])];
      const from = previous === undefined ? start : trimmedEnd(text, previous[1]);
      return [spliced(text, [{ start: from, end, insert: '' }])];
    }
    const until = lineEnd(text, trimmedEnd(text, end));
    const bare = withoutLines(text, lineStart(text, start), until);
    // Without its last server the key would have no value, so it is removed too; the second result keeps it.
    return servers.items.length === 1
      ? [withoutLines(text, lineStart(text, rangeOf(pair.key)[0]), until), bare]
      : [bare];
  },
};

function read(text: string): Document {
  const document = parseDocument(text, { uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) throw new SyntaxError(error.message.split('\n', 1)[0]);
  return document;
}

/** The text of the servers' key with the first entry. */
function section({ keys: [key], isList, name }: EntryPlace, entry: Entry, eol: string): string {
  const value = { [key]: isList ? [entry] : { [name]: entry } };
  return lines(stringify(value, { lineWidth: 0 }), eol);
}

function append(text: string, added: string, eol: string): EntryEdit {
  const isOpen = text !== '' && text !== '\ufeff' && !text.endsWith('\n');
  // A file without a final line ending keeps none.
  const inserted = isOpen ? eol + added.slice(0, -eol.length) : added;
  return { text: text + inserted, inserted: { text: inserted } };
}

function insert(text: string, pair: Pair, place: EntryPlace, entry: Entry, eol: string): EntryEdit {
  const servers = pair.value;
  const own = place.isList ? [entry] : { [place.name]: entry };
  if (servers === null || (isScalar(servers) && servers.value === null)) {
    if (isScalar(servers) && servers.source)
      throw new CannotEdit(`${place.keys[0]} is said to be nothing there`);
    const outer = columnOf(text, rangeOf(pair.key)[0]);
    return afterLine(text, rangeOf(pair.key)[1], block(own, outer + 2, eol), eol);
  }
  if (!(place.isList ? isSeq(servers) : isMap(servers)))
    throw new CannotEdit(`${place.keys[0]} is something else there`);
  const list = servers as YAMLMap | YAMLSeq;
  const last = list.items.at(-1);
  if (list.flow) {
    const inside = flowText(own).replace(/^[[{] ?| ?[\]}]$/g, '');
    if (last === undefined) return between(text, rangeOf(list)[0] + 1, inside);
    const at = trimmedEnd(text, spanOf(last)[1]);
    return between(text, at, `, ${inside}`);
  }
  const [first] = list.items;
  if (first === undefined || last === undefined) throw new CannotEdit(`${place.keys[0]} is nothing there`);
  const column = columnOf(text, isSeq(list) ? dashOf(text, first) : spanOf(first)[0]);
  return afterLine(text, trimmedEnd(text, spanOf(last)[1]), block(own, column, eol), eol);
}

/** Updates an entry; keys that others added to it stay. */
function replace(text: string, node: YAMLMap, place: EntryPlace, entry: Entry, eol: string): EntryEdit {
  const before: unknown = node.toJSON();
  const merged = { ...(isRecord(before) ? before : {}), ...entry };
  if (isDeepStrictEqual(before, merged)) return { text };
  const [start, end] = rangeOf(node);
  if (node.flow) return { text: spliced(text, [{ start, end, insert: flowText(merged) }]) };
  const column = columnOf(text, start);
  const written = block(merged, column, eol).slice(column, -eol.length);
  const until = trimmedEnd(text, end);
  if (place.isList || column > 0) return { text: spliced(text, [{ start, end: until, insert: written }]) };
  throw new CannotEdit('the entry is not indented');
}

/** The node of our entry; undefined when there is none. @throws CannotEdit when it is no map */
function entryNode(servers: unknown, place: EntryPlace): YAMLMap | undefined {
  if (!isMap(servers) && !isSeq(servers)) return undefined;
  const item: unknown = servers.items[indexOf(servers, place)];
  const node = isMap(servers) && item !== undefined ? (item as Pair).value : item;
  if (item !== undefined && !isMap(node)) throw new CannotEdit(`${place.name} is something else there`);
  return node as YAMLMap | undefined;
}

function indexOf(servers: YAMLMap | YAMLSeq, { name, isList }: EntryPlace): number {
  if (isMap(servers)) return isList ? -1 : servers.items.findIndex((pair) => nameOf(pair) === name);
  if (!isList) return -1;
  return servers.items.findIndex((item) => isMap(item) && String(item.get('name')) === name);
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find((pair) => nameOf(pair) === name);
}

function nameOf({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

/** The lines of a value in block style, indented by `column` spaces. */
function block(value: unknown, column: number, eol: string): string {
  const text = stringify(value, { lineWidth: 0 });
  return lines(text.replace(/^(?=.)/gm, ' '.repeat(column)), eol);
}

function lines(text: string, eol: string): string {
  return text.replaceAll('\n', eol);
}

function afterLine(text: string, at: number, added: string, eol: string): EntryEdit {
  const end = lineEnd(text, at);
  const isOpen = text[end - 1] !== '\n';
  return between(text, end, isOpen ? eol + added.slice(0, -eol.length) : added);
}

function between(text: string, at: number, insert: string): EntryEdit {
  return { text: spliced(text, [{ start: at, end: at, insert }]), inserted: { text: insert } };
}

/** Removes whole lines; if the file had no final line ending, the result has none. */
function withoutLines(text: string, start: number, end: number): string {
  const isOpen = end === text.length && text[end - 1] !== '\n';
  const before = isOpen ? text.slice(0, start).replace(/\r?\n$/, '') : text.slice(0, start);
  return before + text.slice(end);
}

/** The span of a list item, or of a key with its value. */
function spanOf(item: unknown): readonly [number, number] {
  if (item instanceof Object && 'key' in item) {
    const { key, value } = item as Pair;
    return [rangeOf(key)[0], Math.max(rangeOf(key)[1], rangeOf(value)[1])];
  }
  return rangeOf(item);
}

function dashOf(text: string, item: unknown): number {
  return text.lastIndexOf('-', rangeOf(item)[0]);
}

function isEmptyRecord(value: Entry): boolean {
  return Object.keys(value).length === 0;
}
