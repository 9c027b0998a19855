import { LecternError } from '../../errors.ts';
import { propertyByName } from '../frontmatter.ts';
import { addToListProperty, setProperty } from '../frontmatter-edit.ts';
import type { Dialect, ParsedNote, Tag } from '../model.ts';
import type { Splice } from '../splice.ts';
import { isTagName, tagKey } from '../tags.ts';
import { type Edit, exactly, type NoteInEdit } from './edit.ts';
import type { CheckedOp } from './op.ts';

/** Adds a tag to the `tags` property, unless the note has it already, there or in its text. */
export function addTag(note: NoteInEdit, op: CheckedOp<'add_tag'>): Edit {
  const name = tagName(op.tag, note.dialect);
  const key = tagKey(name);
  if (note.parsed.tags.some((tag) => tagKey(tag.name) === key)) return exactly([]);
  return exactly(addToListProperty(note.text, note.dialect, 'tags', name));
}

/**
 * Removes every mention of exactly this tag: its entry in the `tags` property, and in the text the tag with
 * one space. Nested tags below it stay. A note without it is left as it is.
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

/** @throws LecternError `invalid_input` when no tag can have that name */
export function tagName(given: string, dialect: Dialect): string {
  const name = given.trim().replace(/^#/, '').replace(/\/+$/, '');
  const plain = isTagName(name);
  // SilverBullet's `#<a b>` and Logseq's `#[[a b]]` allow what needs no list or link syntax.
  const bracketed =
    dialect !== 'obsidian' && /^[^\s<>[\],#"|][^<>[\],#"|\r\n\t]*$/.test(name) && !/^\d+$/.test(name);
  if (plain || bracketed) return name;
  throw new LecternError('invalid_input', `"${given}" cannot be a tag.`, {
    details: { wrong: ['tag'] },
    next: 'A tag has no spaces and no punctuation but - _ /, and is not made of digits only.',
  });
}

/** Where a tag in the text starts and ends with its `#` and brackets (`#[[two words]]`, `#<two words>`). */
export function wholeTag(text: string, { span: { start, end } }: Tag): { start: number; end: number } {
  if (text.startsWith('#[[', start - 3) && text.startsWith(']]', end))
    return { start: start - 3, end: end + 2 };
  if (text.startsWith('#<', start - 2) && text.startsWith('>', end))
    return { start: start - 2, end: end + 1 };
  let last = end;
  while (text[last] === '/') last++;
  return { start: start - 1, end: last };
}

function inlineRemovals(text: string, tags: readonly Tag[]): readonly Splice[] {
  const splices: Splice[] = [];
  let free = 0;
  for (const tag of tags) {
    const { start, end } = wholeTag(text, tag);
    const before = start - 1 >= free && isSpace(text[start - 1]) && !opensLine(text, start);
    const after = !before && isSpace(text[end]);
    free = after ? end + 1 : end;
    splices.push({ start: before ? start - 1 : start, end: free, insert: '' });
  }
  return splices;
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}

/** True when nothing but indentation and block marks stands between the start of the line and `offset`. */
function opensLine(text: string, offset: number): boolean {
  let at = offset;
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') {
    at--;
    if (offset - at > 200) return false;
  }
  return /^[ \t>]*(?:#{1,6}|[-*+]|\d{1,9}[.)])?[ \t]*(?:\[.\][ \t]*)?$/u.test(text.slice(at, offset));
}

/** The `tags` property without the entry. */
function withoutEntry(note: NoteInEdit, key: string): readonly Splice[] {
  const property = propertyByName(note.parsed.frontmatter, 'tags');
  if (property === undefined) return [];
  const { value } = property;
  if (Array.isArray(value)) {
    const kept = value.filter((one) => typeof one !== 'string' || tagKey(one.trim()) !== key);
    return setProperty(note.text, note.dialect, property.key, kept);
  }
  if (typeof value !== 'string') return [];
  const names = note.dialect === 'silverbullet' ? value.split(/[\s,]+/) : [value.trim()];
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
