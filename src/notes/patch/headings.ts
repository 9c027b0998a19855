import { LecternError } from '../../errors.ts';
import { quotedLike } from '../frontmatter/property-quote.ts';
import { headingFragment } from '../links/link-text.ts';
import { percentDecode } from '../links/markdown.ts';
import type { Dialect, Heading, Link } from '../model.ts';
import type { Splice } from '../splice.ts';
import { headingKey } from '../structure/heading-key.ts';
import type { Edit, NoteInEdit, RenamedHeading } from './edit.ts';
import { headingAt } from './heading-address.ts';
import type { CheckedOp } from './op.ts';

/**
 * Changes a heading's text, and in this note the links that lead to it. A block id at its end stays.
 * The result is refused when the new text would not read back as that heading, or when a link of this
 * note would lead elsewhere.
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
  // Two uses of one reference definition share its place.
  const rewritten = [
    ...new Map(links.flatMap((link) => rewrite(note, link, base)).map((one) => [one.start, one])).values(),
  ];
  const renamed: RenamedHeading = { ...base, links: rewritten.length };

  const targetIn = (headings: readonly Heading[], link: Link) =>
    chainOf(headings, wanted(link.subpath, link.syntax, note.dialect))?.at(-1);
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
 * The subpath a link to the renamed heading must have now, as it is written between `#` and the link's
 * end, or undefined when the link does not pass through that heading.
 *
 * @param raw the subpath as written, with its `#`; percent-encoded in a Markdown link
 */
export function renamedSubpath(
  renamed: Pick<RenamedHeading, 'outline' | 'index' | 'to'>,
  raw: string,
  syntax: Link['syntax'],
  dialect: Dialect,
): string | undefined {
  const { parts, exact } = wanted(raw, syntax, dialect);
  const decoded = isEncoded(syntax) ? parts.map(percentDecode) : parts;
  const chain = chainOf(renamed.outline, { parts: decoded, exact });
  if (chain === undefined) return undefined;
  const at = chain.indexOf(renamed.index);
  if (at < 0) return undefined;
  // Where headings are compared exactly, nothing may be smoothed away.
  const isWritable = exact && !/[|\]]/.test(renamed.to);
  const fragment = isWritable
    ? renamed.to
    : headingFragment(renamed.to, isEncoded(syntax) ? 'markdown' : 'wiki');
  let named = -1;
  const now = parts.map((part, index) => {
    if (headingKey(decoded[index] ?? '') === '') return part;
    named++;
    return named === at ? fragment : part;
  });
  return `#${now.join('#')}`;
}

/**
 * Whether a link leads to the same heading before and after the rename, and in between changes from one
 * subpath to the other; a link that led to no heading may lead anywhere.
 *
 * @param before the subpath as written, with its `#`; `after` the one it has now
 */
export function leadsToTheSame(
  renamed: Pick<RenamedHeading, 'outline' | 'index' | 'to'>,
  before: string,
  after: string,
  syntax: Link['syntax'],
  dialect: Dialect,
): boolean {
  const decode = isEncoded(syntax) ? percentDecode : (text: string) => text;
  const target = chainOf(renamed.outline, wanted(decode(before), syntax, dialect))?.at(-1);
  if (target === undefined) return true;
  return chainOf(renamed.outline, wanted(decode(after), syntax, dialect), renamed)?.at(-1) === target;
}

interface Wanted {
  /** Without their `#`. */
  readonly parts: readonly string[];
  /** A part is a heading's very text. */
  readonly exact: boolean;
}

/** What a subpath asks for: a chain of headings, but in SilverBullet's wikilinks one, whose text may hold `#`. */
function wanted(subpath: string, syntax: Link['syntax'], dialect: Dialect): Wanted {
  const exact = dialect === 'silverbullet' && !isEncoded(syntax);
  if (!exact) return { parts: subpath.split('#').slice(1), exact };
  return { parts: subpath.startsWith('#') ? [subpath.slice(1)] : [], exact };
}

function isEncoded(syntax: Link['syntax']): boolean {
  return syntax === 'markdown' || syntax === 'reference';
}

/**
 * Heading places that the parts of a subpath match, as a link follows them; undefined when it leads nowhere.
 * @param renamed one of the headings has this text by now
 */
function chainOf(
  headings: readonly Heading[],
  { parts, exact }: Wanted,
  renamed?: Pick<RenamedHeading, 'index' | 'to'>,
): readonly number[] | undefined {
  const keyOf = exact ? (text: string) => text.normalize('NFC').trim() : headingKey;
  const keys = parts.map(keyOf).filter((key) => key !== '');
  const chain: number[] = [];
  let level = 0;
  for (const [index, heading] of headings.entries()) {
    if (chain.length === keys.length) break;
    if (heading.level <= level) continue;
    const text = index === renamed?.index ? renamed.to : heading.text;
    if (keyOf(text) !== keys[chain.length]) continue;
    chain.push(index);
    level = heading.level;
  }
  return keys.length > 0 && chain.length === keys.length ? chain : undefined;
}

function isHeadingLink(note: NoteInEdit, link: Link): boolean {
  return link.subpath !== '' && !link.subpath.startsWith('#^') && note.isSelfLink(link);
}

function rewrite(
  note: NoteInEdit,
  link: Link,
  renamed: Pick<RenamedHeading, 'outline' | 'index' | 'to'>,
): Splice[] {
  const { start, end } = link.subpathSpan;
  const raw = note.text.slice(start, end);
  const subpath = renamedSubpath(renamed, raw, link.syntax, note.dialect);
  if (subpath === undefined || subpath === raw) return [];
  return [{ start, end, insert: quotedLike(note.parsed, link, subpath) }];
}

/** A block id at the end with the space in front of it, or nothing. */
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
