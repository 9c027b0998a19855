import { LecternError } from '../../errors.ts';
import { quotedLike } from '../frontmatter/property-quote.ts';
import { headingFragment } from '../links/link-text.ts';
import { percentDecode } from '../links/markdown.ts';
import { followedSubpath, headingChain, partKey, readSubpath, writtenSubpath } from '../links/subpath.ts';
import type { Dialect, Heading, Link } from '../model.ts';
import type { Splice } from '../splice.ts';
import { headingKey } from '../structure/heading-key.ts';
import type { Edit, NoteInEdit, RenamedHeading } from './edit.ts';
import { headingAt } from './heading-address.ts';
import type { CheckedOp } from './op.ts';

/**
 * Changes a heading's text and the links to it in this note. A block id at its end stays. The edit is refused
 * when the new text would not parse as that heading, or when a link of this note would lead to another heading.
 *
 * @throws LecternError `not_found` and `ambiguous` for the heading, `invalid_input` for the new text
 */
export function renameHeading(note: NoteInEdit, op: CheckedOp<'rename_heading'>): Edit {
  const { parsed, text } = note;
  const heading = headingAt(note, op.from, op.occurrence);
  const index = parsed.headings.indexOf(heading);
  const id = trailingId(heading.text);
  const from = heading.text.slice(0, heading.text.length - id.length);
  const to = newText(op.to, heading, id);
  const { start, end } = heading.textSpan;
  const gap = start === end && text[start - 1] === '#' ? ' ' : '';
  const renamedAt: Splice = { start, end: end - id.length, insert: gap + to };

  const same = headingKey(heading.text);
  const occurrence = parsed.headings
    .slice(0, index + 1)
    .filter((one) => headingKey(one.text) === same).length;
  const base = {
    from,
    to,
    level: heading.level,
    line: heading.line,
    occurrence,
    outline: parsed.headings,
    index,
  };
  const links = parsed.links.filter((link) => isHeadingLink(note, link));
  // Several uses of one reference definition give the same splice.
  const rewritten = [
    ...new Map(links.flatMap((link) => rewrite(note, link, base)).map((one) => [one.start, one])).values(),
  ];
  const renamed: RenamedHeading = { ...base, links: rewritten.length };

  const targetIn = (headings: readonly Heading[], link: Link) =>
    headingChain(headings, followedSubpath(link.subpath, link.syntax, note.dialect))?.at(-1);
  const targets = links.map((link) => targetIn(parsed.headings, link));
  return {
    attempts: [[renamedAt, ...rewritten].sort((a, b) => a.start - b.start)],
    contained: false,
    next: 'Choose another text for the heading.',
    renamed,
    problemIn: (after) => {
      const now = after.headings[index];
      if (
        after.headings.length !== parsed.headings.length ||
        now?.text !== to + id ||
        now.level !== heading.level
      ) {
        return `"${to}" would not read back as the text of a level ${heading.level} heading`;
      }
      const nowLinks = after.links.filter((link) => isHeadingLink(note, link));
      const stray =
        nowLinks.length !== links.length ||
        nowLinks.some((link, at) => targetIn(after.headings, link) !== targets[at]);
      return stray ? `a link in this note would then lead to another heading named "${to}"` : undefined;
    },
  };
}

/**
 * The new subpath of a link to the renamed heading, in the form in which it is written.
 *
 * @param raw the subpath as written, with its `#`; percent-encoded in a Markdown link
 * @returns undefined when the link does not pass through that heading
 */
export function renamedSubpath(
  renamed: Pick<RenamedHeading, 'outline' | 'index' | 'to'>,
  raw: string,
  syntax: Link['syntax'],
  dialect: Dialect,
): string | undefined {
  const subpath = readSubpath(raw, syntax, dialect);
  const at = headingChain(renamed.outline, subpath)?.indexOf(renamed.index) ?? -1;
  if (at < 0) return undefined;
  // When headings are compared exactly, the fragment must equal the text.
  const isWritable = subpath.exact && !/[|\]]/.test(renamed.to);
  const fragment = isWritable
    ? renamed.to
    : headingFragment(renamed.to, subpath.encoded ? 'markdown' : 'wiki');
  let named = -1;
  const now = subpath.headings.map((part) => {
    if (partKey(part, subpath) === '') return part;
    named++;
    return named === at ? fragment : part;
  });
  return `#${now.join('#')}${subpath.rest}`;
}

/**
 * Whether a link leads to the same heading before and after the rename; true for a link that led to no heading.
 *
 * @param before the old subpath as written, with its `#`
 * @param after the new one
 */
export function leadsToTheSame(
  renamed: Pick<RenamedHeading, 'outline' | 'index' | 'to'>,
  before: string,
  after: string,
  syntax: Link['syntax'],
  dialect: Dialect,
): boolean {
  const isEncoded = syntax === 'markdown' || syntax === 'reference';
  const chain = (written: string, now?: typeof renamed) => {
    const meant = isEncoded ? percentDecode(written) : written;
    return headingChain(renamed.outline, followedSubpath(meant, syntax, dialect), now);
  };
  const target = chain(before)?.at(-1);
  return target === undefined || chain(after, renamed)?.at(-1) === target;
}

/** Whether a link refers to this note and its subpath names a heading. */
function isHeadingLink(note: NoteInEdit, link: Link): boolean {
  if (link.subpath === '' || !note.isSelfLink(link)) return false;
  return followedSubpath(link.subpath, link.syntax, note.dialect).headings.length > 0;
}

function rewrite(
  note: NoteInEdit,
  link: Link,
  renamed: Pick<RenamedHeading, 'outline' | 'index' | 'to'>,
): Splice[] {
  const written = writtenSubpath(note.text, link);
  const subpath = renamedSubpath(renamed, written, link.syntax, note.dialect);
  if (subpath === undefined || subpath === written) return [];
  return [{ ...link.subpathSpan, insert: quotedLike(note.parsed, link, subpath) }];
}

/** A block id at the end of a text with the white space before it; empty when there is none. */
function trailingId(text: string): string {
  const mark = /\^[0-9A-Za-z-]+$/.exec(text)?.[0];
  if (mark === undefined) return '';
  const rest = text.slice(0, -mark.length);
  return rest.trimEnd() === rest ? '' : text.slice(rest.trimEnd().length);
}

function newText(given: string, heading: Heading, id: string): string {
  const marks = /^\s*(#{1,6})\s+(?=\S)/.exec(given);
  const level = marks?.[1]?.length;
  if (level !== undefined && level !== heading.level) {
    throw new LecternError(
      'invalid_input',
      `rename_heading cannot turn a level ${heading.level} heading into level ${level}.`,
      {
        details: { wrong: ['to'] },
        next: 'Give the new text alone. To change the level, use replace_text on the heading’s line.',
      },
    );
  }
  const text = given.slice(marks?.[0].length ?? 0).trim();
  if (/[\r\n]/.test(text)) {
    throw new LecternError('invalid_input', 'A heading’s text is one line.', {
      details: { wrong: ['to'] },
      next: 'Give the new text of the heading alone.',
    });
  }
  return id !== '' && text.endsWith(id.trim()) ? text.slice(0, -id.trim().length).trimEnd() : text;
}
