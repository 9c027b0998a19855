import { DIALECT_RULES } from '../dialects/rules.ts';
import type { Dialect, Heading, Link } from '../model.ts';
import { headingKey, namesNoHeading } from '../structure/heading-key.ts';
import { percentDecode } from './markdown.ts';

/**
 * The subpath of a link: `#Heading`, `#A#B`, `#^block`, `#[^footnote]`. `#^a` always names a block and never
 * the heading `a`, although headings are compared without punctuation.
 */
export interface Subpath {
  /** The parts that name headings, as written, without `#`. */
  readonly headings: readonly string[];
  /** The rest as written, with its `#`: from the first part that names a block or a footnote. */
  readonly rest: string;
  /** Whether the parts are percent-encoded. */
  readonly encoded: boolean;
  /** Whether a part must equal the heading's text, which may contain `#`, as in SilverBullet's wikilinks. */
  readonly exact: boolean;
}

/** A link's subpath as written in the source; in a Markdown link it is percent-encoded. */
export function writtenSubpath(text: string, link: Pick<Link, 'syntax' | 'subpath' | 'subpathSpan'>): string {
  // In a wikilink the parsed subpath is used, in which the escapes of a quoted property are resolved.
  return isEncoded(link.syntax) ? text.slice(link.subpathSpan.start, link.subpathSpan.end) : link.subpath;
}

/** Parses a subpath as written (see `writtenSubpath`), with its `#`. */
export function readSubpath(written: string, syntax: Link['syntax'], dialect: Dialect): Subpath {
  return partsOf(written, isEncoded(syntax), isExact(syntax, dialect));
}

/** Parses a decoded subpath, as programs do when they follow a link: it is decoded before it is split. */
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

/** The form in which a part is compared with headings; empty when it names none. */
export function partKey(part: string, { encoded, exact }: Subpath): string {
  const text = encoded ? percentDecode(part) : part;
  return exact ? text.normalize('NFC').trim() : headingKey(text);
}

/**
 * The indices of the headings that a subpath passes through, by Obsidian's rule: from the top, each further
 * part must match a heading of a deeper level than the previous part; the first complete match counts.
 *
 * @param renamed replaces the text of one of the headings
 * @returns undefined when the subpath leads to no heading
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
