import { LecternError } from '../../errors.ts';
import { DIALECT_RULES } from '../dialects/rules.ts';
import { addToListProperty, setProperty } from '../frontmatter/edit.ts';
import { propertyByName } from '../frontmatter/frontmatter.ts';
import type { Dialect, ParsedNote, Tag } from '../model.ts';
import type { Splice } from '../splice.ts';
import { isTagName, tagKey } from '../structure/tags.ts';
import { type Edit, exactly, type NoteInEdit } from './edit.ts';
import type { CheckedOp } from './op.ts';

/** Most white space that is removed around a list's comma, UTF-16 code units. */
const MAX_GAP = 20;
/** Longest distance from a tag back to the start of its `tags::` line, UTF-16 code units. */
const MAX_LIST = 2000;

/** Adds a tag to the `tags` property, unless the note has it already. @throws LecternError `invalid_input` */
export function addTag(note: NoteInEdit, op: CheckedOp<'add_tag'>): Edit {
  const name = tagName(op.tag, note.dialect);
  const key = tagKey(name);
  if (note.parsed.tags.some((tag) => tagKey(tag.name) === key)) return exactly([]);
  return exactly(addToListProperty(note.text, note.dialect, 'tags', name));
}

/**
 * Removes every occurrence of exactly this tag: its entry in the `tags` property, and in the text the tag with
 * one adjacent space. Nested tags stay. A note without the tag is unchanged.
 */
export function removeTag(note: NoteInEdit, op: CheckedOp<'remove_tag'>): Edit {
  const key = tagKey(op.tag);
  const isIt = (tag: Tag): boolean => tagKey(tag.name) === key;
  const mentions = note.parsed.tags.filter(isIt);
  const inline = inlineRemovals(
    note.text,
    mentions.filter(({ property }) => property === undefined),
  );
  const listed = mentions.some(({ property }) => property !== undefined) ? withoutEntry(note, key) : [];
  const left = marks(note.parsed.tags.filter((tag) => !isIt(tag)));
  const outline = shape(note.parsed);
  return {
    attempts: [[...listed, ...inline]],
    contained: false,
    problemIn: (after) =>
      marks(after.tags) === left && shape(after) === outline
        ? undefined
        : 'what stands next to the tag would become something else',
  };
}

/**
 * The name of a tag, without `#` and final slashes.
 *
 * @throws LecternError `invalid_input` for an invalid name
 */
export function tagName(given: string, dialect: Dialect): string {
  const name = given.trim().replace(/^#/, '').replace(/\/+$/, '');
  const plain = isTagName(name);
  // SilverBullet's `#<a b>` and Logseq's `#[[a b]]` allow any characters except those of lists and links.
  const bracketed =
    DIALECT_RULES[dialect].tagBrackets !== undefined &&
    /^[^\s<>[\],#"|][^<>[\],#"|\r\n\t]*$/.test(name) &&
    !/^\d+$/.test(name);
  if (plain || bracketed) return name;
  throw new LecternError('invalid_input', `"${given}" cannot be a tag.`, {
    details: { wrong: ['tag'] },
    next: 'A tag has no spaces and no punctuation but - _ /, and is not made of digits only.',
  });
}

/** The span of a tag in the text with its `#` and brackets (`#[[two words]]`, `#<two words>`). */
export function wholeTag(text: string, { span: { start, end } }: Tag): { start: number; end: number } {
  if (text.startsWith('#[[', start - 3) && text.startsWith(']]', end))
    return { start: start - 3, end: end + 2 };
  if (text.startsWith('#<', start - 2) && text.startsWith('>', end))
    return { start: start - 2, end: end + 1 };
  // An unmarked page in the list of a Logseq block's `tags::`.
  if (text[start - 1] !== '#') return { start, end };
  let last = end;
  while (text[last] === '/') last++;
  return { start: start - 1, end: last };
}

function inlineRemovals(text: string, tags: readonly Tag[]): readonly Splice[] {
  const splices: Splice[] = [];
  let free = 0;
  for (const tag of tags) {
    const { start, end } = wholeTag(text, tag);
    if (start === tag.span.start || isListed(text, start)) {
      const splice = withoutListItem(text, start, end, free);
      free = splice.end;
      splices.push(splice);
      continue;
    }
    const before = start - 1 >= free && isSpace(text[start - 1]) && !opensLine(text, start);
    const after = !before && isSpace(text[end]);
    free = after ? end + 1 : end;
    splices.push({ start: before ? start - 1 : start, end: free, insert: '' });
  }
  return splices;
}

/** Whether an offset is in the list of a `tags::` line. */
function isListed(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - MAX_LIST), offset);
  return /^[ \t]*(?:- )?tags::[ \t]/i.test(before.slice(before.lastIndexOf('\n') + 1));
}

/** Removes a list item with the comma after it, or before it when it is the last. */
function withoutListItem(text: string, start: number, end: number, free: number): Splice {
  const after = /^[ \t]*,[ \t]*/.exec(text.slice(end, end + MAX_GAP))?.[0].length ?? 0;
  if (after > 0) return { start, end: end + after, insert: '' };
  const before = /[ \t]*,[ \t]*$/.exec(text.slice(Math.max(free, start - MAX_GAP), start))?.[0].length ?? 0;
  return { start: start - before, end, insert: '' };
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}

/** Whether only indentation and block markers precede `offset` on its line. */
function opensLine(text: string, offset: number): boolean {
  let at = offset;
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') {
    at--;
    if (offset - at > 200) return false;
  }
  return /^[ \t>]*(?:#{1,6}|[-*+]|\d{1,9}[.)])?[ \t]*(?:\[.\][ \t]*)?$/u.test(text.slice(at, offset));
}

/** Removes the entry from the `tags` property. */
function withoutEntry(note: NoteInEdit, key: string): readonly Splice[] {
  const property = propertyByName(note.parsed.frontmatter, 'tags');
  if (property === undefined) return [];
  const { value } = property;
  if (Array.isArray(value)) {
    const kept = value.filter((one) => typeof one !== 'string' || tagKey(one.trim()) !== key);
    return setProperty(note.text, note.dialect, property.key, kept);
  }
  if (typeof value !== 'string') return [];
  const { tagSeparator } = DIALECT_RULES[note.dialect];
  const names = tagSeparator === undefined ? [value.trim()] : value.split(tagSeparator);
  const kept = names.filter((name) => name !== '' && tagKey(name) !== key);
  const joined = kept.join(value.includes(',') ? ', ' : ' ');
  return setProperty(note.text, note.dialect, property.key, joined === '' ? null : joined);
}

function marks(tags: readonly Tag[]): string {
  return tags.map(({ name, property }) => `${property === undefined ? '#' : ''}${name}`).join(' ');
}

function shape(note: ParsedNote): string {
  return [...note.headings.map(({ level }) => level), note.tasks.length, note.blocks.length].join(' ');
}
