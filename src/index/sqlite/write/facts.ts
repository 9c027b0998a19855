import type { ParsedNote } from '../../../notes/model.ts';
import { pathKey, stem } from '../../../notes/path.ts';
import { tagKey } from '../../../notes/structure/tags.ts';
import { noteTitle } from '../../../notes/title.ts';
import { countWords } from '../../../notes/word-count.ts';
import type { StoreEntry } from '../../../stores/store.ts';
import type { OwnedRow } from './owned-rows.ts';

/** The title from the store, or else from the note, or else the file name without extension. */
export function fileTitle(entry: StoreEntry, parsed: ParsedNote | undefined): string {
  const stored = entry.facts?.title?.trim();
  if (stored) return stored;
  return parsed === undefined ? stem(entry.path) : noteTitle(parsed, entry.path);
}

/** The distinct tags of a note in source order, in their first spelling, then the store's own; without `#`. */
export function noteTags(entry: StoreEntry, parsed: ParsedNote | undefined): string[] {
  const byKey = new Map<string, string>();
  const add = (name: string): void => {
    const key = tagKey(name);
    if (key !== '' && !byKey.has(key)) byKey.set(key, name.replace(/^#/, ''));
  };
  for (const tag of parsed?.tags ?? []) add(tag.name);
  for (const tag of entry.facts?.tags ?? []) add(tag);
  return [...byKey.values()];
}

/** The key of a tag and the keys of its parents: `a/b` → `a/b`, `a`. */
export function tagLineage(key: string): string[] {
  const lineage = [key];
  for (let slash = key.lastIndexOf('/'); slash > 0; slash = key.lastIndexOf('/', slash - 1)) {
    lineage.push(key.slice(0, slash));
  }
  return lineage;
}

export interface PropertyValue {
  readonly key: string;
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'json';
  readonly value: string;
}

/** A value in the form of the property table: text in NFC, numbers and booleans printed, others as JSON. */
export function scalarValue(value: unknown): Omit<PropertyValue, 'key'> {
  if (value === null || value === undefined) return { type: 'null', value: '' };
  if (typeof value === 'string') return { type: 'string', value: value.normalize('NFC') };
  if (typeof value === 'number' || typeof value === 'bigint') return { type: 'number', value: String(value) };
  if (typeof value === 'boolean') return { type: 'boolean', value: String(value) };
  return { type: 'json', value: JSON.stringify(value) ?? '' };
}

const MAX_VALUES_PER_NOTE = 2000;
const MAX_DEPTH = 8;
/** A marker key for a note that has more values than are stored. */
export const MORE_VALUES = '\0more';

/** All property values of a note: lists by element, maps as JSON and also under dotted keys. */
function propertyValues(data: Readonly<Record<string, unknown>>): PropertyValue[] {
  const found = new Map<string, PropertyValue>();
  const visit = (key: string, value: unknown, depth: number): void => {
    if (found.size >= MAX_VALUES_PER_NOTE || depth > MAX_DEPTH) {
      found.set(MORE_VALUES, { key: MORE_VALUES, type: 'null', value: '' });
      return;
    }
    // A list is stored as its elements; an empty one as a value of its own.
    if (Array.isArray(value) && value.some((item) => item !== null)) {
      for (const item of value) if (item !== null) visit(key, item, depth + 1);
      return;
    }
    const scalar = { key, ...scalarValue(value) };
    found.set(`${key}\0${scalar.type}\0${scalar.value}`, scalar);
    if (typeof value === 'object' && value !== null) {
      for (const [inner, item] of Object.entries(value)) visit(`${key}.${pathKey(inner)}`, item, depth + 1);
    }
  };
  for (const [key, value] of Object.entries(data)) visit(pathKey(key), value, 0);
  return [...found.values()];
}

/**
 * The rows of `property` for a note's properties as JSON, computed alike when they are inserted and deleted.
 */
export function propertyRows(frontmatter: string | undefined): OwnedRow[] {
  if (frontmatter === undefined || frontmatter === '{}') return [];
  return propertyValues(JSON.parse(frontmatter)).map(({ key, type, value }) => [key, type, value]);
}

/** The number of words of a note's body (Unicode segmentation), without front matter. */
export function wordCount({ text, bodyStart }: ParsedNote): number {
  return countWords(text.slice(bodyStart));
}

const CONTEXT_LENGTH = 300;

/** The line around an offset (UTF-16 code units), trimmed and cut to 300 code units around it. */
export function lineContext(text: string, offset: number): string {
  // Only a part of the line is read, so that many links on one huge line stay cheap.
  const low = Math.max(0, offset - 2 * CONTEXT_LENGTH);
  const before = text.slice(low, offset);
  const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
  const after = text.slice(offset, offset + 2 * CONTEXT_LENGTH);
  const end = after.search(/[\r\n]/);
  const left = before.slice(lineStart).replaceAll('\0', ' ').trimStart();
  const right = (end === -1 ? after : after.slice(0, end)).replaceAll('\0', ' ').trimEnd();
  if (left.length + right.length <= CONTEXT_LENGTH) return wellFormed(left + right);
  const start = Math.max(
    0,
    Math.min(left.length - CONTEXT_LENGTH / 3, left.length + right.length - CONTEXT_LENGTH),
  );
  return wellFormed((left + right).slice(Math.floor(start), Math.floor(start) + CONTEXT_LENGTH));
}

/** Removes a lone surrogate at either end, which a cut may leave. */
function wellFormed(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
