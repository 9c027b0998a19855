import { isDeepStrictEqual } from 'node:util';
import { LecternError } from '../../errors.ts';
import { DIALECT_RULES } from '../dialects/rules.ts';
import type { Dialect, Frontmatter } from '../model.ts';
import type { Splice } from '../splice.ts';
import { addToJson, deleteFromJson, setInJson } from './edit-json.ts';
import { addLogseqItem, deleteLogseqProperty, setLogseqProperty } from './edit-logseq.ts';
import { changeParts } from './edit-parts.ts';
import { setExisting } from './edit-value.ts';
import { parseFrontmatter } from './frontmatter.ts';
import { checkEdited, editableFrontmatter, firstThatHolds, jsonValue, propertyToEdit } from './guard.ts';
import { endWithComments } from './inner-comments.ts';
import { MAX_KEY_LENGTH, pairLines } from './render.ts';
import { styleNearby } from './style.ts';

export { applySplices, type Splice } from '../splice.ts';

/**
 * Sets one property and changes no byte outside its key and value: comments, blank lines, quotes, order, line
 * endings and BOM stay. The value is written in its previous style, or in that of its neighbours; remaining
 * list items keep their bytes. A property block is created when there is none; in a Logseq page this is
 * a line `key:: value`.
 *
 * @param key matched regardless of case; written as given when new
 * @param value any JSON value; reads back with the same type
 * @returns splices for `text`, empty when the value is unchanged
 * @throws LecternError `invalid_input` when the block cannot be edited safely (names line and reason) or the
 *   value is not JSON; `ambiguous` when two keys differ in case only
 */
export function setProperty(text: string, dialect: Dialect, key: string, value: unknown): readonly Splice[] {
  const wanted = jsonValue(value);
  checkKey(key);
  const frontmatter = editableFrontmatter(text, dialect);
  if (isLogseq(frontmatter, dialect)) return setLogseqProperty(text, frontmatter, key, wanted);
  if (frontmatter === undefined) {
    const eol = eolOf(text);
    const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
    const splices = [{ start, end: start, insert: createFrontmatter([[key, wanted]], eol) }];
    return checkEdited(text, dialect, splices, { change: 'create', key, value: wanted });
  }
  const property = propertyToEdit(frontmatter, key);
  if (property === undefined) return addProperty(text, dialect, frontmatter, key, wanted);
  if (isDeepStrictEqual(property.value, wanted)) return [];
  const style = styleNearby(text, frontmatter, property);
  const ways = isJson(text, frontmatter)
    ? [() => setInJson(property, wanted)]
    : [
        () => changeParts(text, property, wanted, style),
        () => setExisting(text, property, wanted, style),
        // An indented comment below the pair would become part of a block.
        () => setExisting(text, property, wanted, { ...style, literal: false, list: 'flow' }),
      ];
  return firstThatHolds(text, dialect, ways, { change: 'set', key: property.key, value: wanted });
}

/**
 * Deletes one property with its lines, and with the comments below it at the indentation of its value. A
 * block left empty is deleted too, as in Obsidian; one with comments stays.
 *
 * @returns splices for `text`, empty when there is no such property
 * @throws LecternError see {@link setProperty}
 */
export function deleteProperty(text: string, dialect: Dialect, key: string): readonly Splice[] {
  const frontmatter = editableFrontmatter(text, dialect);
  const property = frontmatter && propertyToEdit(frontmatter, key);
  if (frontmatter === undefined || property === undefined) return [];
  if (frontmatter.kind === 'logseq') return deleteLogseqProperty(text, frontmatter, property);
  if (isJson(text, frontmatter)) {
    const done = { change: 'delete', key: property.key } as const;
    return checkEdited(text, dialect, deleteFromJson(text, frontmatter, property), done);
  }
  const { span, contentSpan } = frontmatter;
  const { start } = property.span;
  const end = endWithComments(text, property.span, 0, contentSpan.end);
  const done = { change: 'delete', key: property.key, span: { start, end } } as const;
  const rest = text.slice(contentSpan.start, start) + text.slice(end, contentSpan.end);
  const line: readonly Splice[] = [{ start, end, insert: '' }];
  if (rest.trim() !== '') return checkEdited(text, dialect, line, done);
  // A body that starts with its own `---` … `---` must not become the properties.
  const bare = text.slice(0, span.start) + text.slice(span.end);
  const whole = parseFrontmatter(bare, dialect) === undefined;
  return whole ? [{ ...span, insert: '' }] : checkEdited(text, dialect, line, done);
}

/**
 * Adds one item to a list property: a flow list stays flow, a block list keeps indent and dash. A single
 * value becomes a list of that value and the item; a missing or empty property becomes a list of the item.
 *
 * @returns splices for `text`, empty when the list contains the item already
 * @throws LecternError see {@link setProperty}; `invalid_input` when the property is a map
 */
export function addToListProperty(
  text: string,
  dialect: Dialect,
  key: string,
  item: unknown,
): readonly Splice[] {
  const wanted = jsonValue(item);
  checkKey(key);
  const frontmatter = editableFrontmatter(text, dialect);
  if (isLogseq(frontmatter, dialect)) return addLogseqItem(text, frontmatter, key, wanted);
  const property = frontmatter && propertyToEdit(frontmatter, key);
  const value = property?.value ?? null;
  if (frontmatter === undefined || property === undefined || value === null) {
    return setProperty(text, dialect, key, [wanted]);
  }
  const items = Array.isArray(value) ? value : listOf(property.key, value, dialect);
  if (items.some((one) => isDeepStrictEqual(one, wanted))) return [];
  return setProperty(text, dialect, property.key, [...items, wanted]);
}

/**
 * A whole front matter block in Obsidian's layout: block lists indented by two, quotes only where needed.
 *
 * @param entries keys and JSON values in the order to write them
 * @param eol the note's line ending
 */
export function createFrontmatter(
  entries: Iterable<readonly [string, unknown]>,
  eol: '\n' | '\r\n' = '\n',
): string {
  const style = styleNearby('', undefined, undefined);
  const lines = [...entries].flatMap(([key, value]) => {
    checkKey(key);
    return pairLines(key, jsonValue(value), style);
  });
  return ['---', ...lines, '---', ''].join(eol);
}

function addProperty(
  text: string,
  dialect: Dialect,
  frontmatter: Frontmatter,
  key: string,
  value: unknown,
): readonly Splice[] {
  const done = { change: 'add', key, value } as const;
  if (isJson(text, frontmatter)) {
    return checkEdited(text, dialect, addToJson(text, frontmatter, key, value), done);
  }
  const at = frontmatter.contentSpan.end;
  const eol = eolOf(text);
  const lines = pairLines(key, value, styleNearby(text, frontmatter, undefined));
  return checkEdited(text, dialect, [{ start: at, end: at, insert: lines.join(eol) + eol }], done);
}

/** SilverBullet reads `tags: a, b` as two tags; elsewhere a single text is one item. */
function listOf(key: string, value: unknown, dialect: Dialect): readonly unknown[] {
  if (typeof value === 'object') {
    throw new LecternError(
      'invalid_input',
      `The property "${key}" holds a map, not a list; nothing was changed.`,
      {
        details: { key },
        next: 'Set the whole property instead.',
      },
    );
  }
  const separator = key.toLowerCase() === 'tags' ? DIALECT_RULES[dialect].tagSeparator : undefined;
  return separator !== undefined && typeof value === 'string'
    ? value.split(separator).filter((tag) => tag !== '')
    : [value];
}

function checkKey(key: string): void {
  if (key.trim() === '' || key.length > MAX_KEY_LENGTH || /[\r\n]/.test(key)) {
    throw new LecternError('invalid_input', 'A property name must be one line of 1 to 1000 characters.', {
      next: 'Pass a name such as "status".',
    });
  }
}

function isLogseq(frontmatter: Frontmatter | undefined, dialect: Dialect): boolean {
  return frontmatter === undefined ? DIALECT_RULES[dialect].propertyLines : frontmatter.kind === 'logseq';
}

/** JSON, or a YAML flow map, between the fences. */
function isJson(text: string, { contentSpan }: Frontmatter): boolean {
  return /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*\{(?!\{)/.test(text.slice(contentSpan.start, contentSpan.end));
}

function eolOf(text: string): '\n' | '\r\n' {
  const newline = text.indexOf('\n');
  return newline > 0 && text[newline - 1] === '\r' ? '\r\n' : '\n';
}
