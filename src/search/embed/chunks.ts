import type { Span } from '../../notes/model.ts';

/**
 * Passages of a note: what is embedded, ranked and shown. They follow sections; a long section is
 * cut where it hurts least; neighbouring small ones are taken together. Offsets are UTF-16 indices
 * into the note's text, and a passage never begins or ends inside a surrogate pair.
 */
export interface Chunk {
  /** Position in the note, from 0. */
  readonly seq: number;
  readonly start: number;
  readonly end: number;
  /** 1-based line of `start`. */
  readonly line: number;
  /** Headings above the passage, outermost first; the headings inside it are part of its text. */
  readonly headings: readonly string[];
}

/** The parts of a parsed note that chunking needs. `ParsedNote` is one. */
export interface ChunkSource {
  readonly text: string;
  readonly bodyStart: number;
  readonly headings: readonly { readonly level: number; readonly text: string; readonly span: Span }[];
  /** Code, math, comments, HTML: not to be cut through. Sorted. */
  readonly opaque: readonly Span[];
}

/** Raised when passages come out differently, so that stored ones are known to be old. */
export const CHUNKER_VERSION = 1;

/** Sizes are in columns: a wide character (Han, kana, Hangul) says about as much as two letters. */
const TARGET = 1_400;
/** A section this much over is kept whole; so is a table or code block. */
const LIMIT = 2_000;
/** No cut leaves less than this in front of it when it can be helped. */
const LEAST = 500;
/** Neighbouring sections are taken together up to this size. */
const TOGETHER = 700;

interface Section {
  readonly start: number;
  readonly end: number;
  readonly chain: readonly string[];
}

/** Cuts a note into passages. A note whose body is blank yields none. Linear in the text's length. */
export function chunkNote(source: ChunkSource): Chunk[] {
  const { text } = source;
  const cuts: Section[] = [];
  let open: Section | undefined;
  for (const section of sectionsOf(source)) {
    const joined: Section | undefined = open && { ...join(open, section) };
    if (joined && (isHeadingOnly(source, open) || columns(text, joined.start, joined.end) <= TOGETHER)) {
      open = joined;
      continue;
    }
    if (open) cuts.push(...split(source, open));
    open = section;
  }
  if (open) cuts.push(...split(source, open));
  return numbered(text, cuts);
}

/**
 * What is embedded for a passage: the note's names and the headings above give short passages their subject.
 * @param names the file's name and the note's title, which may be the same
 */
export function passageText(
  text: string,
  names: readonly string[],
  passage: Pick<Chunk, 'start' | 'end' | 'headings'>,
): string {
  const above = new Set([...names, ...passage.headings]);
  return `${[...above].join('\n')}\n\n${text.slice(passage.start, passage.end)}`;
}

function join(a: Section, b: Section): Section {
  let shared = 0;
  while (shared < a.chain.length && a.chain[shared] === b.chain[shared]) shared += 1;
  return { start: a.start, end: b.end, chain: a.chain.slice(0, shared) };
}

function isHeadingOnly(source: ChunkSource, section: Section | undefined): boolean {
  if (!section) return false;
  const last = lastHeadingBefore(source, section.end);
  const from = last && last.span.start >= section.start ? last.span.end : section.start;
  return source.text.slice(from, section.end).trim() === '';
}

function lastHeadingBefore(source: ChunkSource, offset: number) {
  let low = 0;
  let high = source.headings.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((source.headings[middle]?.span.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return source.headings[low - 1];
}

function* sectionsOf(source: ChunkSource): Generator<Section> {
  const chain: { level: number; text: string }[] = [];
  let start = source.bodyStart;
  let above: readonly string[] = [];
  for (const heading of source.headings) {
    if (heading.span.start < source.bodyStart) continue;
    if (heading.span.start > start) yield { start, end: heading.span.start, chain: above };
    while ((chain.at(-1)?.level ?? 0) >= heading.level) chain.pop();
    above = [...chain.map((parent) => parent.text), heading.text];
    chain.push({ level: heading.level, text: heading.text });
    start = heading.span.start;
  }
  if (source.text.length > start) yield { start, end: source.text.length, chain: above };
}

function isWide(code: number): boolean {
  return code >= 0x2e80 && code < 0xe000;
}

function columns(text: string, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end && sum <= LIMIT; at += 1) sum += isWide(text.charCodeAt(at)) ? 2 : 1;
  return sum;
}

/** Offset that many columns further on, at most `end`. */
function advance(text: string, start: number, end: number, wanted: number): number {
  let sum = 0;
  let at = start;
  while (at < end) {
    sum += isWide(text.charCodeAt(at)) ? 2 : 1;
    if (sum > wanted) break;
    at += 1;
  }
  return at;
}

function split(source: ChunkSource, section: Section): Section[] {
  const parts: Section[] = [];
  let start = section.start;
  while (start < section.end) {
    if (columns(source.text, start, section.end) <= LIMIT) {
      parts.push({ ...section, start });
      break;
    }
    const end = bestCut(source, start, section.end);
    parts.push({ ...section, start, end });
    start = end;
  }
  return parts;
}

/** Where a cut hurts least: between paragraphs, between lines, in a block, after a sentence, between words. */
function bestCut(source: ChunkSource, start: number, sectionEnd: number): number {
  const { text } = source;
  const least = advance(text, start, sectionEnd, LEAST);
  const target = advance(text, start, sectionEnd, TARGET);
  const limit = advance(text, target, sectionEnd, LIMIT - TARGET);
  const near = cutsByLine(source, least, target);
  if (near.paragraph > 0) return near.paragraph;
  if (near.line > 0) return near.line;
  // Inside one long table, code block or paragraph: rather a little longer than cut through it.
  const far = cutsByLine(source, target, limit);
  const beyond = far.paragraphFirst || far.lineFirst;
  if (beyond > 0) return beyond;
  return near.inside || cutInLine(text, least, target);
}

interface LineCuts {
  /** Last and first start of a line after a blank one. 0 = none. */
  paragraph: number;
  paragraphFirst: number;
  /** Last and first start of any line that is not inside a table or an opaque span. */
  line: number;
  lineFirst: number;
  /** Last start of a line inside one. */
  inside: number;
}

function cutsByLine(source: ChunkSource, from: number, to: number): LineCuts {
  const { text } = source;
  const cuts: LineCuts = { paragraph: 0, paragraphFirst: 0, line: 0, lineFirst: 0, inside: 0 };
  let at = from;
  while (at < to) {
    const lineEnd = text.indexOf('\n', at);
    if (lineEnd < 0 || lineEnd + 1 > to) break;
    at = lineEnd + 1;
    if (insideBlock(source, at)) cuts.inside = at;
    else if (isBlankLineBefore(text, at)) {
      cuts.paragraph = at;
      cuts.paragraphFirst ||= at;
    } else {
      cuts.line = at;
      cuts.lineFirst ||= at;
    }
  }
  return cuts;
}

function isBlankLineBefore(text: string, lineStart: number): boolean {
  let at = lineStart - 2;
  while (at >= 0 && /[ \t\r]/.test(text.charAt(at))) at -= 1;
  return at < 0 || text.charAt(at) === '\n';
}

function insideBlock(source: ChunkSource, lineStart: number): boolean {
  const { text, opaque } = source;
  let low = 0;
  let high = opaque.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((opaque[middle]?.start ?? 0) < lineStart) low = middle + 1;
    else high = middle;
  }
  const span = opaque[low - 1];
  if (span && span.start < lineStart && lineStart < span.end) return true;
  // Between two rows of a table: this line and the one before both begin with a bar.
  const before = text.lastIndexOf('\n', lineStart - 2) + 1;
  return text.charAt(lineStart) === '|' && text.charAt(before) === '|';
}

/** Inside one very long line: after the last sentence, else the last blank, else between two characters. */
function cutInLine(text: string, least: number, target: number): number {
  let blank = 0;
  for (let at = target; at > least; at -= 1) {
    const before = text.charAt(at - 1);
    if ('。．！？'.includes(before)) return at;
    if (before === ' ' || before === '\t') {
      if ('.!?'.includes(text.charAt(at - 2))) return at;
      blank ||= at;
    }
  }
  if (blank > 0) return blank;
  const code = text.charCodeAt(target);
  const splitsPair = code >= 0xdc00 && code <= 0xdfff && target > least + 1;
  return splitsPair ? target - 1 : target;
}

/** Blank edges off, blank passages out, line numbers on. */
function numbered(text: string, cuts: readonly Section[]): Chunk[] {
  const chunks: Chunk[] = [];
  let line = 1;
  let counted = 0;
  for (const cut of cuts) {
    const body = text.slice(cut.start, cut.end);
    const trimmed = body.trimEnd();
    if (trimmed.trimStart() === '') continue;
    // Leading blank lines go, indentation of the first line stays.
    const indent = body.length - body.trimStart().length;
    const start = cut.start + (indent === 0 ? 0 : body.lastIndexOf('\n', indent - 1) + 1);
    for (let at = text.indexOf('\n', counted); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) {
      line += 1;
      counted = at + 1;
    }
    chunks.push({ seq: chunks.length, start, end: cut.start + trimmed.length, line, headings: cut.chain });
  }
  return chunks;
}
