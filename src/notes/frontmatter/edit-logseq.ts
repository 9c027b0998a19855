import { LecternError } from '../../errors.ts';
import type { Frontmatter, Property } from '../model.ts';
import { applySplices, type Splice } from '../splice.ts';
import { commonItems } from './common-items.ts';
import { parseFrontmatter } from './frontmatter.ts';
import { propertyToEdit } from './guard.ts';
import { listItems, logseqPropertyName } from './logseq.ts';

const LIST_NAMES = new Set(['tags', 'alias', 'aliases']);

/**
 * Sets a `key:: value` line of a Logseq page. Values are one line of text: lists are joined with commas, and
 * Logseq's own types (`true`, `12`) apply whatever type was passed.
 */
export function setLogseqProperty(
  text: string,
  frontmatter: Frontmatter | undefined,
  key: string,
  value: unknown,
): readonly Splice[] {
  checkName(key);
  const property = frontmatter && propertyToEdit(frontmatter, key);
  const old = property ? text.slice(property.valueSpan.start, property.valueSpan.end) : '';
  const items = itemsOf(key, value);
  const written = items === undefined ? writtenValue(key, value) : writtenList(key, old, items);
  if (property !== undefined) {
    const { start, end } = property.valueSpan;
    if (old === written) return [];
    const spaced = start === end && text[start - 1] === ':' && written !== '' ? ` ${written}` : written;
    return checked(text, [{ start, end, insert: spaced }], key, written);
  }
  const eol = /\r\n/.test(text.slice(0, text.indexOf('\n') + 1)) ? '\r\n' : '\n';
  const line = written === '' ? `${key}::` : `${key}:: ${written}`;
  const last = frontmatter?.properties.at(-1);
  if (last === undefined) {
    const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
    const gap = text.slice(start).trim() === '' ? '' : eol;
    return checked(text, [{ start, end: start, insert: line + eol + gap }], key, written);
  }
  // Below a bullet a property is a continuation line, two spaces deeper than the dash.
  const lead = text.slice(last.span.start, last.keySpan.start).replace('- ', '  ');
  const ends = text[last.span.end - 1] === '\n';
  const insert = ends ? lead + line + eol : eol + lead + line;
  return checked(text, [{ start: last.span.end, end: last.span.end, insert }], key, written);
}

/** Deletes a `key:: value` line of a Logseq page. */
export function deleteLogseqProperty(
  text: string,
  frontmatter: Frontmatter,
  property: Property,
): readonly Splice[] {
  const next = frontmatter.properties[frontmatter.properties.indexOf(property) + 1];
  const bulleted = text.slice(property.span.start, property.keySpan.start).includes('-');
  // The dash stays with the block's other properties.
  if (bulleted && next !== undefined) {
    return [{ start: property.keySpan.start, end: next.keySpan.start, insert: '' }];
  }
  return [{ ...property.span, insert: '' }];
}

/**
 * Adds an item to a list property of a Logseq page, unless the list contains it.
 *
 * @throws LecternError `invalid_input` for an item that Logseq cannot store, `ambiguous` for the key
 */
export function addLogseqItem(
  text: string,
  frontmatter: Frontmatter | undefined,
  key: string,
  item: unknown,
): readonly Splice[] {
  const property = frontmatter && propertyToEdit(frontmatter, key);
  const raw = property ? text.slice(property.valueSpan.start, property.valueSpan.end) : '';
  const written = writtenItem(key, item);
  const name = itemName(key, item);
  if (listItems(raw).some((one) => one.value === name)) return [];
  return setRaw(text, frontmatter, key, raw === '' ? written : `${raw}, ${written}`);
}

function setRaw(
  text: string,
  frontmatter: Frontmatter | undefined,
  key: string,
  raw: string,
): readonly Splice[] {
  return setLogseqProperty(text, frontmatter, key, new Written(raw));
}

/** A value already in Logseq's syntax. */
class Written {
  constructor(readonly raw: string) {}
}

/** The items of a value that is a list; a single text is one under the names that hold lists. */
function itemsOf(key: string, value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' && LIST_NAMES.has(logseqPropertyName(key)) ? [value] : undefined;
}

/** A list in Logseq's syntax. Remaining items keep their form (`[[a]]`, `#a`) and the commas between them. */
function writtenList(key: string, old: string, wanted: readonly unknown[]): string {
  const items = listItems(old);
  const names = items.map(({ value }) => value);
  const wantedNames = wanted.map((item) => {
    const name = typeof item === 'string' ? item : '';
    return names.includes(name) ? name : itemName(key, item);
  });
  const kept = new Map(commonItems(names, wantedNames).map(([from, to]) => [to, from]));
  return wanted
    .map((item, at) => {
      const from = kept.get(at);
      const one = from === undefined ? undefined : items[from];
      const before = from === undefined || kept.get(at - 1) !== from - 1 ? undefined : items[from - 1];
      if (one === undefined) return (at === 0 ? '' : ', ') + writtenItem(key, item);
      if (before !== undefined) return old.slice(before.end, one.end);
      return (at === 0 ? '' : ', ') + old.slice(one.start, one.end);
    })
    .join('');
}

function writtenValue(key: string, value: unknown): string {
  if (value instanceof Written) return value.raw;
  if (value === null) return '';
  if (typeof value === 'object') {
    throw refused(key, 'Logseq properties hold one line of text, not a map');
  }
  const written = String(value);
  if (/[\r\n]/.test(written)) throw refused(key, 'Logseq properties hold one line of text');
  if (written.trim() !== written) throw refused(key, 'Logseq drops spaces at the ends of a property');
  return written;
}

/**
 * An item with a comma is written as a page reference, which a comma does not split. An existing reference or
 * tag is unchanged.
 */
function writtenItem(key: string, item: unknown): string {
  const text = typeof item === 'object' ? '' : String(item);
  if (/^\[\[[^[\]\r\n]+\]\]$/.test(text)) return text;
  if (text === '' || /[\r\n]|\[\[|\]\]/.test(text) || text.trim() !== text) {
    throw refused(key, `Logseq cannot hold the list item ${JSON.stringify(item)}`);
  }
  return text.includes(',') ? `[[${text}]]` : text;
}

/** Normalised form for comparing items: `[[Page]]`, `#Page` and `Page` are equal. */
function itemName(key: string, item: unknown): string {
  const written = writtenItem(key, item);
  return listItems(written)[0]?.value ?? written;
}

function checkName(key: string): void {
  if (/^[^\s:#"'()[\]{},`]+$/.test(key)) return;
  throw refused(key, 'Logseq property names hold no spaces and none of : # , " \' ( ) [ ] { } and backticks');
}

function checked(text: string, splices: readonly Splice[], key: string, written: string): readonly Splice[] {
  const result = applySplices(text, splices);
  const after = parseFrontmatter(result, 'logseq');
  const property = after?.properties.find((one) => one.key === logseqPropertyName(key));
  if (property === undefined || result.slice(property.valueSpan.start, property.valueSpan.end) !== written) {
    throw refused(key, 'it would not read back the same');
  }
  return splices;
}

function refused(key: string, reason: string): LecternError {
  return new LecternError(
    'invalid_input',
    `The property "${key}" cannot be set: ${reason}. Nothing was changed.`,
    {
      details: { key },
      next: 'Pass one line of text, or a list of such.',
    },
  );
}
