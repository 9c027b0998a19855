import { isDeepStrictEqual } from 'node:util';
import { spliced } from '../../../config/file/edit-text.ts';
import { CannotEdit, type Entry, type EntryEdit, type EntryFormat, lineEndingOf } from './entry-format.ts';
import { blanksFrom, type JsonNode, type JsonProperty, jsonValue, parseJsonc } from './jsonc.ts';

type JsonObject = Extract<JsonNode, { kind: 'object' }>;

/** JSON, with or without comments. A trailing comma is added only where the last property already has one. */
export const jsonFormat: EntryFormat = {
  parse: (text) => {
    const root = parseJsonc(text);
    return root === undefined ? undefined : jsonValue(root);
  },

  put(text, { keys, name, fresh }, entry): EntryEdit {
    const eol = lineEndingOf(text);
    const root = parseJsonc(text);
    if (root === undefined) {
      const value = { ...fresh, ...nested([...keys, name], entry) };
      const gap = text.replace('\ufeff', '') === '' || text.endsWith('\n') ? '' : eol;
      return inserted(text, text.length, gap + printed(value, '  ', '', eol) + eol);
    }
    let object = asObject(root);
    for (const [depth, key] of [...keys, name].entries()) {
      const property = propertyOf(object, key);
      if (property === undefined)
        return insert(text, object, key, nested([...keys, name].slice(depth + 1), entry), eol);
      if (depth === keys.length) return replace(text, object, property, entry, eol);
      object = asObject(property.value);
    }
    throw new Error('A path of keys has at least one.');
  },

  take(text, { keys, name }): readonly string[] {
    const root = parseJsonc(text);
    let object = root === undefined ? undefined : asObject(root);
    for (const key of keys) {
      const value = object === undefined ? undefined : propertyOf(object, key)?.value;
      object = value === undefined ? undefined : asObject(value);
    }
    const property = object === undefined ? undefined : propertyOf(object, name);
    return object === undefined || property === undefined ? [] : [withoutProperty(text, object, property)];
  },
};

function insert(text: string, object: JsonObject, key: string, value: unknown, eol: string): EntryEdit {
  const step = indentStep(text, object);
  const last = object.properties.at(-1);
  const outer = lineIndent(text, object.start);
  const isInline = last !== undefined && !startsLine(text, last.start);
  const indent = last === undefined || isInline ? outer + step : lineIndent(text, last.start);
  const property = (pad: string | undefined) =>
    `${JSON.stringify(key)}: ${pad === undefined ? JSON.stringify(value) : printed(value, step, pad, eol)}`;

  if (last === undefined) {
    // After the last comment of an object without properties.
    const inside = blanksFrom(text, object.start + 1);
    const at = inside.comments.at(-1)?.end ?? object.start + 1;
    const closes = text.slice(at, inside.end).includes('\n') ? '' : eol + outer;
    return inserted(text, at, eol + indent + property(indent) + closes);
  }
  const behind = blanksFrom(text, last.end);
  const hasComma = text[behind.end] === ',';
  const from = hasComma ? behind.end + 1 : last.end;
  // A comment on the same line belongs to that property.
  const comment = blanksFrom(text, from)
    .comments.filter(({ start }) => !text.slice(from, start).includes('\n'))
    .at(-1);
  const at = comment?.end ?? from;
  const ownLine = !isInline || (comment !== undefined && text.startsWith('//', comment.start));
  const what = (ownLine ? eol + indent : ' ') + property(ownLine ? indent : undefined);
  if (hasComma) return inserted(text, at, `${what},`);
  if (at === last.end) return inserted(text, at, `,${what}`);
  const withComma = spliced(text, [{ start: last.end, end: last.end, insert: ',' }]);
  const edit = inserted(withComma, at + 1, what);
  return { text: edit.text, inserted: { text: what, comma: at + 1 - last.end } };
}

/** Updates an entry; keys that others added to it stay. */
function replace(
  text: string,
  object: JsonObject,
  { value: node, start }: JsonProperty,
  entry: Entry,
  eol: string,
): EntryEdit {
  const before = node.kind === 'object' ? (jsonValue(node) as Entry) : {};
  const merged = { ...before, ...entry };
  if (node.kind === 'object' && isDeepStrictEqual({ ...before }, merged)) return { text };
  const isInline = !startsLine(text, start);
  const indent = lineIndent(text, start);
  const value = isInline ? JSON.stringify(merged) : printed(merged, indentStep(text, object), indent, eol);
  return { text: spliced(text, [{ start: node.start, end: node.end, insert: value }]) };
}

function withoutProperty(text: string, object: JsonObject, property: JsonProperty): string {
  const at = object.properties.indexOf(property);
  const previous = object.properties[at - 1];
  const behind = blanksFrom(text, property.end);
  const hasComma = text[behind.end] === ',';
  // Text before it up to the last comment, comma or brace stays.
  const from = previous === undefined ? object.start + 1 : commaAfter(text, previous) + 1;
  const start = blanksFrom(text, from).comments.at(-1)?.end ?? from;
  const own = { start, end: hasComma ? behind.end + 1 : property.end, insert: '' };
  if (hasComma || previous === undefined) return spliced(text, [own]);
  const comma = commaAfter(text, previous);
  return spliced(text, [{ start: comma, end: comma + 1, insert: '' }, own]);
}

function commaAfter(text: string, property: JsonProperty): number {
  return blanksFrom(text, property.end).end;
}

function propertyOf(object: JsonObject, key: string): JsonProperty | undefined {
  const [property, twin] = object.properties.filter((each) => each.key === key);
  if (twin !== undefined) throw new CannotEdit(`it has ${JSON.stringify(key)} twice in one place`);
  return property;
}

function asObject(node: JsonNode): JsonObject {
  if (node.kind === 'object') return node;
  throw new CannotEdit('it has something else where an object with names should be');
}

function inserted(text: string, at: number, insert: string): EntryEdit {
  return { text: spliced(text, [{ start: at, end: at, insert }]), inserted: { text: insert } };
}

function nested(keys: readonly string[], value: unknown): Record<string, unknown> {
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;
}

/** Prints a value over several lines; each line except the first is indented for its position. */
function printed(value: unknown, step: string, indent: string, eol: string): string {
  return JSON.stringify(value, undefined, step).replaceAll('\n', eol + indent);
}

/** The indentation of one level, taken from the first property that starts a line. */
function indentStep(text: string, object: JsonObject): string {
  const [first] = object.properties;
  if (first === undefined || !startsLine(text, first.start)) return firstIndent(text) ?? '  ';
  const outer = lineIndent(text, object.start);
  const inner = lineIndent(text, first.start);
  return inner.length > outer.length && inner.startsWith(outer)
    ? inner.slice(outer.length)
    : (firstIndent(text) ?? '  ');
}

function firstIndent(text: string): string | undefined {
  return /^([ \t]+)"/m.exec(text)?.[1];
}

function lineIndent(text: string, at: number): string {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(line, at))?.[0] ?? '';
}

function startsLine(text: string, at: number): boolean {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  return line > 0 && text.slice(line, at).trim() === '';
}
