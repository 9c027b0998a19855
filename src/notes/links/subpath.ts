import { DIALECT_RULES } from '../dialects/rules.ts';
import type { Dialect, Heading, Link } from '../model.ts';
import { headingKey, namesNoHeading } from '../structure/heading-key.ts';
import { percentDecode } from './markdown.ts';

/**
 * The subpath of a link: `#Heading`, `#A#B`, `#^block`, `#[^footnote]`. Names of headings and of blocks never
 * meet, although headings are compared without their punctuation: `#^a` is a block whatever headings there are.
 */
export interface Subpath {
  /** Parts that name headings, as written, without their `#`. */
  readonly headings: readonly string[];
  /** What follows them as written, with its `#`: from the first part that names a block or a footnote. */
  readonly rest: string;
  /** Percent-encoded as written. */
  readonly encoded: boolean;
  /** A part is a heading's very text: SilverBullet's wikilinks, in which `#` may belong to it. */
  readonly exact: boolean;
}

/** A link's subpath as it is written: percent-encoded in a Markdown link. */
export function writtenSubpath(text: string, link: Pick<Link, 'syntax' | 'subpath' | 'subpathSpan'>): string {
  // That of a wikilink in a quoted property is read through its quotes.
  return isEncoded(link.syntax) ? text.slice(link.subpathSpan.start, link.subpathSpan.end) : link.subpath;
}

/** Takes a subpath apart as it is written (see `writtenSubpath`), with its `#`. */
export function readSubpath(written: string, syntax: Link['syntax'], dialect: Dialect): Subpath {
  return partsOf(written, isEncoded(syntax), isExact(syntax, dialect));
}

/** Takes the subpath apart that is meant: decoded before it is split, as a link is followed. */
export function followedSubpath(meant: string, syntax: Link['syntax'], dialect: Dialect): Subpath {
  return partsOf(meant, false, isExact(syntax, dialect));
}

function isEncoded(syntax: Link['syntax']): boolean {
  return syntax === 'markdown' || syntax === 'reference';
}

function isExact(syntax: Link['syntax'], dialect: Dialect): boolean {
  return DIALECT_RULES[dialect].exactHeadingLinks && !isEncoded(syntax);
}

function partsOf(subpath: string, encoded: boolean, exact: boolean): Subpath {
  if (exact) return { headings: subpath.startsWith('#') ? [subpath.slice(1)] : [], rest: '', encoded, exact };
  const parts = subpath.split('#').slice(1);
  const other = parts.findIndex((part) => namesNoHeading(encoded ? percentDecode(part) : part));
  const count = other < 0 ? parts.length : other;
  const rest = parts.slice(count).map((part) => `#${part}`);
  return { headings: parts.slice(0, count), rest: rest.join(''), encoded, exact };
}

/** A part in the form it is compared with headings in; empty when it names none. */
export function partKey(part: string, { encoded, exact }: Subpath): string {
  const text = encoded ? percentDecode(part) : part;
  return exact ? text.normalize('NFC').trim() : headingKey(text);
}

/**
 * The places of the headings a subpath passes through, as Obsidian follows it: from the top, each further part
 * must match a heading of a deeper level than the part before; the first full match wins.
 *
 * @param renamed one of the headings has this text by now
 * @returns undefined when it leads to no heading
 */
export function headingChain(
  headings: readonly Pick<Heading, 'text' | 'level'>[],
  subpath: Subpath,
  renamed?: { readonly index: number; readonly to: string },
): readonly number[] | undefined {
  const keys = subpath.headings.map((part) => partKey(part, subpath)).filter((key) => key !== '');
  const chain: number[] = [];
  let level = 0;
  for (const [index, heading] of headings.entries()) {
    if (chain.length === keys.length) break;
    if (heading.level <= level) continue;
    const text = index === renamed?.index ? renamed.to : heading.text;
    const key = subpath.exact ? text.normalize('NFC').trim() : headingKey(text);
    if (key !== keys[chain.length]) continue;
    chain.push(index);
    level = heading.level;
  }
  return keys.length > 0 && chain.length === keys.length ? chain : undefined;
}
