import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { isRecord } from '../../../is-record.ts';
import {
  CannotEdit,
  type Entry,
  type EntryEdit,
  type EntryFormat,
  type EntryPlace,
  lineEndingOf,
} from './entry-format.ts';

/** TOML: an entry is a separate table, appended to the file. */
export const tomlFormat: EntryFormat = {
  parse: (text) => {
    const value = parsed(text);
    return Object.keys(value).length === 0 ? undefined : value;
  },

  put(text, place, entry): EntryEdit {
    const eol = lineEndingOf(text);
    const before = valueAt(parsed(text), place);
    if (before === undefined) {
      const body = text.replace('\ufeff', '');
      const isOpen = body !== '' && !body.endsWith('\n');
      const table = tableOf(place, entry, eol);
      const gap = body === '' ? '' : eol;
      const inserted = isOpen ? eol + gap + table.slice(0, -eol.length) : gap + table;
      return { text: text + inserted, inserted: { text: inserted } };
    }
    const merged = { ...(isRecord(before) ? before : {}), ...entry };
    if (isDeepStrictEqual({ ...(before as object) }, merged)) return { text };
    const own = ownTables(text, place);
    const [table, ...others] = own;
    if (table === undefined) throw new CannotEdit(`${place.name} is written there in a way of its own`);
    const written = tableOf(place, merged, eol);
    const isOpen = !text.slice(table.start, table.end).endsWith('\n');
    let result = text;
    for (const each of others.toReversed()) result = result.slice(0, each.start) + result.slice(each.end);
    return {
      text:
        result.slice(0, table.start) +
        (isOpen ? written.slice(0, -eol.length) : written) +
        result.slice(table.end),
    };
  },

  take(text, place): readonly string[] {
    const own = ownTables(text, place);
    return own.length === 0 ? [] : [own.toReversed().reduce(withoutTable, text)];
  },
};

interface Table {
  readonly path: readonly string[];
  /** Offset of its header line, UTF-16 code units. */
  readonly start: number;
  /** Offset after its last line with content. */
  readonly end: number;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return plain(parse(text.replace(/^\ufeff/, ''))) as Record<string, unknown>;
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message.split('\n', 1)[0] : String(error));
  }
}

/** Converts the parser's tables, which have no prototype, to plain objects, so that they can be compared. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

function valueAt(root: unknown, { keys, name }: EntryPlace): unknown {
  return [...keys, name].reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    root,
  );
}

function tableOf({ keys, name }: EntryPlace, entry: Entry, eol: string): string {
  const value = [...keys, name].reduceRight<Entry>((inner, key) => ({ [key]: inner }), entry);
  return `${stringify(value).trim()}\n`.replaceAll('\n', eol);
}

/** The entry's table and its subtables. */
function ownTables(text: string, { keys, name }: EntryPlace): readonly Table[] {
  const path = [...keys, name];
  return tablesIn(text).filter((table) => path.every((key, at) => table.path[at] === key));
}

/** Removes a table with the blank line before it; if the file had no final line ending, the result has none. */
function withoutTable(text: string, { start, end }: Table): string {
  const isOpen = end === text.length && text[end - 1] !== '\n';
  let before = text.slice(0, start).replace(/(^|\n)\r?\n$/, '$1');
  if (isOpen) before = before.replace(/\r?\n$/, '');
  return before + text.slice(end);
}

const HEADER = /^[ \t]*\[(\[?)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\]#"'])*)\]{1,2}/;
/** Strings and comments, in which brackets, quotes and number signs have no meaning. */
const OPAQUE = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/y;

/** All `[table]`s of a well-formed text with their spans. */
function tablesIn(text: string): readonly Table[] {
  const tables: Table[] = [];
  let depth = 0;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let lineStarts = true;
  let open: { path: readonly string[]; start: number } | undefined;
  let filled = 0;
  const close = () => {
    if (open !== undefined) tables.push({ ...open, end: lineEnd(text, filled) });
  };
  while (at < text.length) {
    if (lineStarts && depth === 0) {
      const header = HEADER.exec(lineAt(text, at));
      if (header !== null) {
        close();
        open = { path: header[1] === '[' ? [] : pathOf(header[2] ?? ''), start: at };
        at += header[0].length;
        filled = at;
        lineStarts = false;
        continue;
      }
    }
    lineStarts = false;
    OPAQUE.lastIndex = at;
    const opaque = OPAQUE.exec(text)?.[0];
    if (opaque !== undefined) {
      // A comment on its own line may belong to the next table.
      const isOwnLine =
        opaque.startsWith('#') && text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '';
      at += opaque.length;
      if (!isOwnLine) filled = at;
      continue;
    }
    const char = text[at];
    if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    at++;
    if (char === '\n') lineStarts = true;
    else if (char !== ' ' && char !== '\t' && char !== '\r') filled = at;
  }
  close();
  return tables;
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  return text.slice(at, end < 0 ? text.length : end);
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** Splits a header such as `a."b.c"` into its names, by the TOML parser. */
function pathOf(header: string): readonly string[] {
  let value: unknown;
  try {
    value = parse(`${header} = true`);
  } catch {
    return [];
  }
  const path: string[] = [];
  while (isRecord(value)) {
    const [key = ''] = Object.keys(value);
    path.push(key);
    value = value[key];
  }
  return path;
}
