import { isDeepStrictEqual } from 'node:util';
import { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { type ClientFormat, type Command, ENTRY_NAME, type McpClient } from './client.ts';
import {
  CannotEdit,
  type Entry,
  type EntryEdit,
  type EntryFormat,
  type EntryPlace,
  type Insertion,
} from './formats/entry-format.ts';
import { jsonFormat } from './formats/json-entry.ts';
import { tomlFormat } from './formats/toml-entry.ts';
import { yamlFormat } from './formats/yaml-entry.ts';

const FORMATS: Readonly<Record<ClientFormat, EntryFormat>> = {
  json: jsonFormat,
  yaml: yamlFormat,
  toml: tomlFormat,
};

/**
 * The servers in a client's file, by name.
 *
 * @param file its path, for the error
 * @throws LecternError `invalid_input` for a file that is not well-formed
 */
export function serversIn(client: McpClient, file: string, text: string): ReadonlyMap<string, Entry> {
  return guarded(client, file, () => {
    const document = FORMATS[client.format].parse(text);
    const servers = at(document, client.keys(document));
    const entries: (readonly [string, unknown])[] = Array.isArray(servers)
      ? servers.map((server) => [isRecord(server) ? String(server.name) : '', server] as const)
      : Object.entries(isRecord(servers) ? servers : {});
    return new Map(entries.flatMap(([name, entry]) => (isRecord(entry) ? [[name, entry] as const] : [])));
  });
}

/**
 * Adds or updates our entry in the text of a client's file. Every other byte stays.
 *
 * @param text undefined = the file does not exist
 * @throws LecternError `invalid_input` for a malformed file, `conflict` when no exact edit is possible
 */
export function withEntry(
  client: McpClient,
  file: string,
  text: string | undefined,
  command: Command,
): EntryEdit {
  return guarded(client, file, () => {
    const format = FORMATS[client.format];
    const before = text === undefined ? undefined : format.parse(text);
    const place = placeOf(client, before);
    const entry = client.entry(command);
    const edit = format.put(text ?? '', place, entry);
    const after = format.parse(edit.text);
    const found = entryAt(after, place);
    const expected = { ...entryAt(before, place), ...entry };
    const fresh = before === undefined ? place.fresh : {};
    if (
      !isDeepStrictEqual(found, expected) ||
      !isDeepStrictEqual(without(after, place), { ...fresh, ...without(before, place) })
    )
      throw new CannotEdit('what it says would change');
    return edit;
  });
}

/**
 * Removes our entry from the text of a client's file.
 *
 * @param inserted the insertion of {@link withEntry}; exactly these bytes are removed if they are unchanged
 * @throws LecternError as {@link withEntry}
 */
export function withoutEntry(client: McpClient, file: string, text: string, inserted?: Insertion): string {
  return guarded(client, file, () => {
    const format = FORMATS[client.format];
    const before = format.parse(text);
    const place = placeOf(client, before);
    if (entryAt(before, place) === undefined) return text;
    const others = without(before, place);
    const keeps = (result: string, expected: Record<string, unknown>) => {
      const after = attempt(() => ({ is: format.parse(result) }));
      return (
        after !== undefined &&
        entryAt(after.is, place) === undefined &&
        isDeepStrictEqual(without(after.is, place), expected)
      );
    };
    // The further content of a new file is removed with the entry if it is unchanged.
    const unmade = Object.fromEntries(
      Object.entries(others).filter(([key, value]) => !isDeepStrictEqual(value, place.fresh[key])),
    );
    const exact = inserted === undefined ? undefined : withoutInsertion(text, inserted);
    if (exact !== undefined && (keeps(exact, others) || keeps(exact, unmade))) return exact;
    const result = format.take(text, place).find((each) => keeps(each, others));
    if (result === undefined) throw new CannotEdit('the entry is written there in a way of its own');
    return result;
  });
}

function placeOf(client: McpClient, document: unknown): EntryPlace {
  return {
    keys: client.keys(document),
    name: ENTRY_NAME,
    isList: client.isList ?? false,
    fresh: client.fresh ?? {},
  };
}

/** The text without an insertion; undefined when it occurs no longer, or more than once and so is ambiguous. */
function withoutInsertion(text: string, { text: piece, comma }: Insertion): string | undefined {
  const at = text.indexOf(piece);
  if (piece === '' || at < 0 || text.includes(piece, at + 1)) return undefined;
  const rest = text.slice(0, at) + text.slice(at + piece.length);
  if (comma === undefined) return rest;
  return rest[at - comma] === ',' ? rest.slice(0, at - comma) + rest.slice(at - comma + 1) : undefined;
}

function at(document: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    document,
  );
}

function entryAt(document: unknown, { keys, name, isList }: EntryPlace): Entry | undefined {
  const servers = at(document, keys);
  const entry = isList
    ? Array.isArray(servers)
      ? servers.find((server) => isRecord(server) && server.name === name)
      : undefined
    : at(servers, [name]);
  return isRecord(entry) ? entry : undefined;
}

/** A document without the entry; lists and maps that become empty are left out. */
function without(document: unknown, { keys, name, isList }: EntryPlace): Record<string, unknown> {
  const pruned = (value: unknown, path: readonly string[]): unknown => {
    const [key, ...rest] = path;
    if (key === undefined) {
      if (isList && Array.isArray(value)) {
        const others = value.filter((server) => !(isRecord(server) && server.name === name));
        return others.length === 0 ? undefined : others;
      }
      if (!isRecord(value)) return value ?? undefined;
      const { [name]: _, ...others } = value;
      return Object.keys(others).length === 0 ? undefined : others;
    }
    if (!isRecord(value)) return value ?? undefined;
    const { [key]: inner, ...others } = value;
    const left = pruned(inner, rest);
    const all = left === undefined ? others : { ...others, [key]: left };
    return Object.keys(all).length === 0 ? undefined : all;
  };
  const left = pruned(document, keys);
  return isRecord(left) ? left : {};
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function guarded<T>({ name }: McpClient, file: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new LecternError(
        'invalid_input',
        `${file}, the settings of ${name}, is not well-formed: ${error.message}. It is left as it is.`,
        { cause: error, next: 'Correct it, or move it away, and try again.' },
      );
    if (error instanceof CannotEdit)
      throw new LecternError(
        'conflict',
        `${file}, the settings of ${name}, cannot be changed without touching more than the entry: ${error.message}. It is left as it is.`,
        { cause: error, next: 'Change it by hand: lectern init --print shows what belongs into it.' },
      );
    throw error;
  }
}
