import type { Heading, NoteStructure, Span } from '../model.ts';
import { headingKey, namesNoHeading } from './heading-key.ts';

/** The spans of a heading's section. */
export interface Section {
  readonly headingIndex: number;
  /** From the heading's line to the next heading of the same or a higher level, or the end of the text. */
  readonly span: Span;
  /** `span` without the heading's own line or lines. */
  readonly bodySpan: Span;
  /** From after the heading to the next heading of any level: the section without its subsections. */
  readonly ownSpan: Span;
}

/** The section of a heading. @returns undefined when there is no heading with that index */
export function sectionOf(note: NoteStructure, headingIndex: number): Section | undefined {
  const { headings, text } = note;
  const heading = headings[headingIndex];
  if (heading === undefined) return undefined;
  const following = headings.slice(headingIndex + 1);
  const next = following.find((other) => other.level <= heading.level);
  const [child] = following;
  const end = next === undefined ? text.length : lineStart(text, next.span.start);
  const bodyStart = afterLine(text, heading.span.end);
  return {
    headingIndex,
    span: { start: lineStart(text, heading.span.start), end },
    bodySpan: { start: bodyStart, end },
    ownSpan: { start: bodyStart, end: child === undefined ? end : lineStart(text, child.span.start) },
  };
}

/** The texts from the outermost heading to this one. */
export function headingPath(note: NoteStructure, headingIndex: number): readonly string[] {
  return ancestry(note, headingIndex).map((index) => note.headings[index]?.text ?? '');
}

/** Addresses a heading: its text, the text with `##` for its level, or a chain `A > B`, `A#B`, `['A', 'B']`. */
export type HeadingAddress = string | readonly string[];

export interface HeadingCandidate {
  readonly index: number;
  readonly path: readonly string[];
  readonly line: number;
}

export type HeadingLookup =
  | { readonly kind: 'found'; readonly index: number; readonly heading: Heading }
  | { readonly kind: 'none' }
  /** The first candidates, and the number of all. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly HeadingCandidate[]; readonly total: number };

/** Most candidates that are returned, as a note may have 10,000 headings with the same text. */
const MAX_CANDIDATES = 20;

/**
 * Finds a heading by its address, for reads and writes that must not guess. Headings are compared by
 * `headingKey`; the earlier parts of a chain must be headings above the last one.
 *
 * @param occurrence 1-based number among several matches
 */
export function findHeading(
  note: NoteStructure,
  address: HeadingAddress,
  occurrence?: number,
): HeadingLookup {
  const matches = preferExact(note, address, matching(note, address));
  const index = occurrence === undefined ? matches[0] : matches[occurrence - 1];
  const heading = index === undefined ? undefined : note.headings[index];
  if (index === undefined || heading === undefined) return { kind: 'none' };
  if (occurrence !== undefined || matches.length === 1) return { kind: 'found', index, heading };
  const candidates = matches.slice(0, MAX_CANDIDATES).map((match) => ({
    index: match,
    path: headingPath(note, match),
    line: note.headings[match]?.line ?? 0,
  }));
  return { kind: 'ambiguous', candidates, total: matches.length };
}

const LEVEL_MARKS = /^\s*(#{1,6})\s+/;

interface Wanted {
  /**
   * The exact text for a part that looks like a block id or footnote, which matches only a heading written so.
   */
  readonly exact: string | undefined;
  readonly key: string;
  readonly level: number | undefined;
}

/** Indices of the headings that match an address, in source order. */
function matching(note: NoteStructure, address: HeadingAddress): readonly number[] {
  const chains = readings(address);
  return note.headings.flatMap((_, index) =>
    chains.some((chain) => matchesChain(note, index, chain)) ? [index] : [],
  );
}

/**
 * The possible meanings of an address: a string may be a heading's whole text or a chain, and both are
 * searched.
 */
function readings(address: HeadingAddress): readonly (readonly Wanted[])[] {
  if (typeof address !== 'string') return [address.map(wanted)];
  const chain = address
    .split(/\s+>\s+/)
    .flatMap(chainParts)
    .map(wanted);
  return chain.length < 2 ? [[wanted(address)]] : [[wanted(address)], chain];
}

/** Splits `A#B` into two parts; marks (`## A`) stay with the part that follows them. */
function chainParts(piece: string): string[] {
  const marks = LEVEL_MARKS.exec(piece)?.[0] ?? '';
  const parts = piece
    .slice(marks.length)
    .split('#')
    .filter((part) => headingKey(part) !== '');
  const [first, ...rest] = parts;
  return first === undefined ? [] : [marks + first, ...rest];
}

function wanted(part: string): Wanted {
  const marks = LEVEL_MARKS.exec(part);
  const name = part.replace(/^[\s#]+/, '').trim();
  const exact = namesNoHeading(name) ? name : undefined;
  return { exact, key: headingKey(part), level: marks?.[1]?.length };
}

function matchesChain(note: NoteStructure, index: number, chain: readonly Wanted[]): boolean {
  const last = chain.at(-1);
  if (last === undefined || last.key === '' || !matchesOne(note.headings[index], last)) return false;
  if (chain.length === 1) return true;
  let part = chain.length - 2;
  for (const ancestor of ancestry(note, index).slice(0, -1).reverse()) {
    const one = chain[part];
    if (one !== undefined && matchesOne(note.headings[ancestor], one)) part -= 1;
  }
  return part < 0;
}

function matchesOne(heading: Heading | undefined, one: Wanted): boolean {
  if (heading === undefined || headingKey(heading.text) !== one.key) return false;
  if (one.exact !== undefined && heading.text !== one.exact) return false;
  return one.level === undefined || one.level === heading.level;
}

/**
 * Of several matches the only one with exactly the given text, or the only one whose full path is the chain.
 */
function preferExact(
  note: NoteStructure,
  address: HeadingAddress,
  matches: readonly number[],
): readonly number[] {
  if (matches.length < 2) return matches;
  if (typeof address === 'string') {
    const text = address.replace(LEVEL_MARKS, '').trim();
    const exact = matches.filter((index) => note.headings[index]?.text === text);
    if (exact.length === 1) return exact;
  }
  const chain = readings(address).at(-1) ?? [];
  if (chain.length < 2) return matches;
  const complete = matches.filter((index) => ancestry(note, index).length === chain.length);
  return complete.length === 1 ? complete : matches;
}

/** The indices from the outermost heading to this one. */
function ancestry(note: NoteStructure, headingIndex: number): readonly number[] {
  const path: number[] = [];
  let level = 7;
  for (let index = headingIndex; index >= 0 && level > 1; index -= 1) {
    const heading = note.headings[index];
    if (heading === undefined || heading.level >= level) continue;
    path.unshift(index);
    level = heading.level;
  }
  return path;
}

function lineStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r' && text[at - 1] !== '\ufeff') at -= 1;
  return at;
}

function afterLine(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1;
  if (text[at] === '\r' && text[at + 1] === '\n') return at + 2;
  return Math.min(at + 1, text.length);
}
