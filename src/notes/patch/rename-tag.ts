import { DIALECT_RULES } from '../dialects/rules.ts';
import { setProperty } from '../frontmatter/edit.ts';
import {
  frontmatterScalars,
  type PropertyScalar,
  parseFrontmatter,
  propertyByName,
} from '../frontmatter/frontmatter.ts';
import { renderInline } from '../frontmatter/render.ts';
import { type MentionKind, mentionKind } from '../links/mentions.ts';
import type { Dialect, Heading, ParsedNote, Span, Tag } from '../model.ts';
import { parseNote } from '../parse.ts';
import { spanAt } from '../spans.ts';
import { applySplices, type Splice } from '../splice.ts';
import { tagEnd, tagKey } from '../structure/tags.ts';
import { LineIndex } from '../text.ts';
import { assertSplices } from './places.ts';
import { tagName, wholeTag } from './tags.ts';

/** An occurrence of the tag's name that is no tag. */
export interface SkippedMention {
  readonly line: number;
  /** `text`: in a link or URL, or directly next to other text. */
  readonly kind: MentionKind | 'text';
}

export interface TagRename {
  readonly text: string;
  /**
   * One splice per tag, in source order, with offsets in the old text; in `text` merged tags are listed once.
   */
  readonly changes: readonly Splice[];
  readonly skipped: readonly SkippedMention[];
  /** The headings of the old text. */
  readonly headings: readonly Heading[];
}

/**
 * Renames a tag and its nested tags, in the text and in the `tags` property. Nothing else changes: code, URLs,
 * link fragments and longer tags stay; the first of them are reported.
 *
 * @param from with or without `#`; case is ignored
 * @param to written as given; the rest of a nested tag keeps its spelling
 * @throws LecternError `invalid_input` when one of the two cannot be a tag, `too_large` for too many places
 */
export function renameTag(text: string, dialect: Dialect, from: string, to: string): TagRename {
  const key = tagKey(tagName(from, dialect));
  const name = tagName(to, dialect);
  const parsed = parseNote(text, { dialect });
  const scalars = parsed.frontmatter === undefined ? [] : frontmatterScalars(parsed.frontmatter, text);
  const changes: Splice[] = [];
  const names: Span[] = [];
  for (const tag of parsed.tags) {
    const length = matchedLength(tag.name, key);
    if (length === undefined) continue;
    names.push(tag.span);
    const splice =
      tag.property === undefined
        ? inText(text, dialect, tag, length, name)
        : inProperty(text, scalars, tag, length, name);
    if (text.slice(splice.start, splice.end) !== splice.insert) changes.push(splice);
  }
  assertSplices(text, changes);
  return {
    text: withoutRepeats(applySplices(text, changes), parsed, dialect),
    changes,
    skipped: skippedMentions(parsed, key, names),
    headings: parsed.headings,
  };
}

/** The occurrences of a tag's name, or of a nested tag's, that are no tags. */
export function tagMentions(note: ParsedNote, dialect: Dialect, tag: string): readonly SkippedMention[] {
  return skippedMentions(
    note,
    tagKey(tagName(tag, dialect)),
    note.tags.map(({ span }) => span),
  );
}

/** @param names sorted spans of the note's tags */
function skippedMentions(note: ParsedNote, key: string, names: readonly Span[]): readonly SkippedMention[] {
  const { text, bodyStart, opaque } = note;
  const lines = new LineIndex(text);
  const inBody = mentions(text, bodyStart, key)
    .filter((at) => spanAt(names, at + 1) === undefined)
    .map((at): SkippedMention => {
      const span = spanAt(opaque, at);
      return { line: lines.lineAt(at), kind: span === undefined ? 'text' : mentionKind(text, span, at) };
    });
  const inProperties = unreadMentions(note, key).map(
    (at): SkippedMention => ({ line: lines.lineAt(at), kind: 'properties' }),
  );
  return [...inProperties, ...inBody];
}

/** Offsets of the name in unreadable properties, of which no tags are known. */
function unreadMentions({ text, frontmatter }: ParsedNote, key: string): readonly number[] {
  if (!frontmatter?.problems.some(({ severity }) => severity === 'error')) return [];
  const found: number[] = [];
  const { start, end } = frontmatter.contentSpan;
  for (const match of text.slice(start, end).matchAll(/[^\s#,"'[\]{}:]+/g))
    if (matchedLength(match[0], key) !== undefined) found.push(start + match.index);
  return found;
}

/** Removes a renamed tag that its list already contains. Repetitions from before the renaming stay. */
function withoutRepeats(text: string, before: ParsedNote, dialect: Dialect): string {
  const frontmatter = parseFrontmatter(text, dialect);
  const property = propertyByName(frontmatter, 'tags');
  const old = propertyByName(before.frontmatter, 'tags')?.value;
  const now = property?.value;
  if (property === undefined || !Array.isArray(now) || !Array.isArray(old)) return text;
  if (frontmatter?.problems.some(({ severity }) => severity === 'error')) return text;
  const unique = uniqueTags(now);
  if (unique.length === now.length || uniqueTags(old).length < old.length) return text;
  return applySplices(text, setProperty(text, dialect, property.key, unique));
}

function uniqueTags(list: readonly unknown[]): unknown[] {
  const first = new Map<unknown, unknown>();
  for (const one of list) {
    const key = typeof one === 'string' ? tagKey(one) : one;
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()];
}

/**
 * The length of the part of a tag's name that is the wanted tag: all of it, or up to a `/`; undefined when
 * none.
 */
function matchedLength(name: string, key: string): number | undefined {
  for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1)) {
    if (tagKey(name.slice(0, end)) === key) return end;
  }
  return tagKey(name) === key ? name.length : undefined;
}

function inText(text: string, dialect: Dialect, tag: Tag, length: number, to: string): Splice {
  const { start, end } = tag.span;
  // A tag with a space needs the dialect's brackets.
  const { tagBrackets } = DIALECT_RULES[dialect];
  if (tagBrackets !== undefined && /\s/.test(to) && wholeTag(text, tag).start === start - 1) {
    const name = to + tag.name.slice(length);
    return { start: start - 1, end, insert: tagBrackets.open + name + tagBrackets.close };
  }
  return { start, end: start + length, insert: to };
}

/** Replaces only the name, or the whole value when it needs quotes to stay a text (`true`). */
function inProperty(
  text: string,
  scalars: readonly PropertyScalar[],
  tag: Tag,
  length: number,
  to: string,
): Splice {
  const { start, end } = tag.span;
  const written = text.slice(start, end) === tag.name;
  const scalar = scalars.find(({ span }) => span.start <= start && end <= span.end);
  if (scalar === undefined) return { start, end: start + length, insert: to };
  const plain = scalar.style === 'plain';
  const quote = scalar.style === 'single' ? 'single' : 'double';
  const style = {
    indent: '',
    string: plain ? 'plain' : quote,
    quote,
    list: 'flow',
    listIndent: '',
    padding: '',
    literal: false,
  } as const;
  const value = scalar.value.replace(tag.name, () => to + tag.name.slice(length));
  const rendered = renderInline(value, style, true);
  const alone = scalar.value === tag.name;
  if (!written || (plain && alone && rendered !== value)) return { ...scalar.span, insert: rendered };
  return { start, end: start + length, insert: to };
}

/** Offsets of every `#` in the body that the wanted tag's name follows. */
function mentions(text: string, from: number, key: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf('#', from); at !== -1; at = text.indexOf('#', at + 1)) {
    const end = tagEnd(text, at + 1);
    if (end !== undefined && matchedLength(text.slice(at + 1, end), key) !== undefined) found.push(at);
  }
  return found;
}
