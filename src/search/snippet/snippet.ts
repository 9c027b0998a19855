import { singleSpaced } from '../../notes/structure/single-spaced.ts';
import type { Occurrence } from '../text/words.ts';
import { findPassage, type Highlights } from './densest-passage.ts';
import { frontMatterEnd, headingLines } from './heading-lines.ts';

export interface Snippet {
  /** One line, at most {@link SNIPPET_LENGTH} characters, matches marked `**…**`, `…` where it was cut. */
  readonly snippet: string;
  /** 1-based line of the snippet's first character in the file as stored. */
  readonly line: number;
  /** The section the snippet begins in: its heading and those above it, outermost first. */
  readonly headings: readonly string[];
  /** Where matches stand: in a heading's line, in any other line. */
  readonly inHeading: boolean;
  readonly inBody: boolean;
}

export const SNIPPET_LENGTH = 240;
/** Text shown before the first match when its line is long. */
const LEAD = 60;
const MAX_HEADING = 120;
const HEADING_START = /^#{1,6}[ \t]/;
/** Stretches a mark must not cut: code, links, addresses, HTML, math, tags, what is bold already. */
const ATOM =
  /`+[^`\n]*`+|!?\[\[[^\]\n]*\]\]|!?\[[^\]\n]*\]\([^)\n]*\)|<[^<>\n]*>|\bhttps?:\/\/\S+|\$[^$\n]+\$|(?<!\S)#[^\s#]+|\*\*[^*\n]+\*\*|__[^_\n]+__/g;

/**
 * The best passage of a note for what is looked for; the beginning of its body when nothing matches in it.
 * @param within the stretch that satisfied the query, when not just any place in the note does
 */
export function makeSnippet(text: string, highlights: Highlights, within?: Occurrence): Snippet {
  const bodyStart = frontMatterEnd(text);
  const passage = findPassage(text, bodyStart, highlights, within);
  const found = within !== undefined || passage.matches.length > 0;
  const first = found ? passage.start : firstText(text, bodyStart);
  const start = found ? passageStart(text, first, first < bodyStart ? 0 : bodyStart) : first;
  const { inHeading, inBody } = matchedLines(text, bodyStart, passage.matches);
  return {
    snippet: render(text, start, Math.max(passage.end, start), passage.matches),
    ...locate(text, start, bodyStart),
    inHeading,
    inBody: inBody || (within !== undefined && !inHeading),
  };
}

/** The first text that is no heading, since hits carry their headings separately; a heading when there is no other text. */
function firstText(text: string, from: number): number {
  const first = skipBlank(text, from);
  let at = first;
  while (markOf(text, at) === '#' && HEADING_START.test(text.slice(at, at + 8))) {
    const feed = text.indexOf('\n', at);
    if (feed < 0) break;
    at = skipBlank(text, feed + 1);
  }
  if (at < text.length) return at;
  return first < text.length ? first : from;
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** The start of the match's line, or a little before the match when that is far. */
function passageStart(text: string, match: number, floor: number): number {
  const line = Math.max(floor, match === 0 ? 0 : text.lastIndexOf('\n', match - 1) + 1);
  if (match - line <= LEAD + 20) return line + leadingSpace(text, line, match);
  const space = text.slice(match - LEAD, match).search(/\s/);
  return wholeCharacter(text, space < 0 ? match - LEAD : match - LEAD + space + 1);
}

function leadingSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text.charCodeAt(at) <= 32) at += 1;
  return at - from;
}

function render(text: string, start: number, mustShow: number, matches: readonly Occurrence[]): string {
  const cutBefore =
    start > 0 &&
    !/[\n\r\ufeff]/.test(text.charAt(start - 1)) &&
    text.slice(text.lastIndexOf('\n', start - 1) + 1, start).trim() !== '';
  const limit = passageEnd(text, start, mustShow);
  const marks = placeMarks(text, start, limit, matches);
  let result = cutBefore ? '…' : '';
  let at = start;
  for (const mark of [...marks, { start: limit, end: limit }]) {
    const room = SNIPPET_LENGTH - 1 - result.length;
    const plain = singleSpaced(text.slice(at, mark.start));
    if (plain.length > room) return `${result}${cut(plain, room)}…`;
    const marked = singleSpaced(text.slice(mark.start, mark.end));
    if (marked !== '' && plain.length + marked.length + 4 > room) {
      const space = room - plain.length - 4;
      return space < 8 ? `${(result + plain).trimEnd()}…` : `${result}${plain}**${cut(marked, space)}**…`;
    }
    result += marked === '' ? plain : `${plain}**${marked}**`;
    at = mark.end;
  }
  const more = limit < text.length && text.charAt(limit) !== '\n' && text.charAt(limit) !== '\r';
  return more ? `${result.trimEnd()}…` : result.trimEnd();
}

/** Up to a snippet's length, but not into the next section. */
function passageEnd(text: string, start: number, mustShow: number): number {
  const most = wholeCharacter(text, Math.min(text.length, start + SNIPPET_LENGTH * 2));
  for (let feed = text.indexOf('\n', start); feed >= 0 && feed < most; feed = text.indexOf('\n', feed + 1)) {
    if (feed < mustShow) continue;
    const next = text.slice(feed + 1, feed + 12);
    if (/^ {0,3}#{1,6}[ \t]/.test(next) || next.startsWith('---')) return feed;
  }
  return most;
}

/** Matches inside the passage as marks that keep the Markdown around them intact. */
function placeMarks(text: string, start: number, end: number, matches: readonly Occurrence[]): Occurrence[] {
  const atoms: Occurrence[] = [];
  for (const atom of text.slice(start, end).matchAll(ATOM)) {
    atoms.push({ start: start + atom.index, end: start + atom.index + atom[0].length });
  }
  const marks: { start: number; end: number }[] = [];
  for (const match of matches) {
    if (match.start < start || match.end > end || match.end <= match.start) continue;
    const atom = atoms.find((each) => each.start < match.end && match.start < each.end);
    if (atom && /^(?:\*\*|__)/.test(text.slice(atom.start, atom.start + 2))) continue;
    const mark = {
      start: Math.min(match.start, atom?.start ?? match.start),
      end: wholeCharacter(text, Math.max(match.end, atom?.end ?? match.end), true),
    };
    const last = marks.at(-1);
    if (last && mark.start <= last.end + 1 && !/[\n\r]/.test(text.slice(last.end, mark.start))) {
      last.end = Math.max(last.end, mark.end);
    } else marks.push(mark);
  }
  return marks;
}

/** At most `length` characters, at a space when one is near, never inside a character. */
function cut(text: string, length: number): string {
  const end = wholeCharacter(text, Math.max(0, length));
  const space = text.lastIndexOf(' ', end);
  return text.slice(0, space > end - 30 && space > 0 ? space : end).trimEnd();
}

/** Moves an offset off the inside of a surrogate pair, combining sequence or joined emoji. */
function wholeCharacter(text: string, at: number, forward = false): number {
  let offset = at;
  for (let step = 0; step < 16 && offset > 0 && offset < text.length; step += 1) {
    const char = text.charAt(offset);
    const joined = char === '\u200d' || text.charAt(offset - 1) === '\u200d';
    const inside = joined || /[\udc00-\udfff]/.test(char) || /\p{M}/u.test(char);
    if (!inside) break;
    offset += forward ? 1 : -1;
  }
  return offset;
}

function matchedLines(
  text: string,
  bodyStart: number,
  matches: readonly Occurrence[],
): { inHeading: boolean; inBody: boolean } {
  let inHeading = false;
  let inBody = false;
  // The text is gone through for its headings only once a match may stand in one.
  let headings: Generator<{ readonly start: number }> | undefined;
  let heading = -1;
  for (const { start } of matches) {
    if (inHeading && inBody) break;
    const line = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
    if (line >= bodyStart && mayBeHeading(text, line)) {
      headings ??= headingLines(text, bodyStart);
      while (heading < line) heading = headings.next().value?.start ?? Number.POSITIVE_INFINITY;
    }
    if (heading === line) inHeading = true;
    else inBody = true;
  }
  return { inHeading, inBody };
}

/** A cheap look: begins with `#`, or what follows may underline it. */
function mayBeHeading(text: string, line: number): boolean {
  if (markOf(text, line) === '#') return true;
  const feed = text.indexOf('\n', line);
  const below = feed < 0 ? '' : markOf(text, feed + 1);
  return below === '=' || below === '-';
}

/** The line an offset is in, and the headings of the section that line is in or opens. */
function locate(text: string, offset: number, bodyStart: number): { line: number; headings: string[] } {
  const chain: { level: number; text: string }[] = [];
  for (const heading of headingLines(text, bodyStart, offset)) {
    while ((chain.at(-1)?.level ?? 0) >= heading.level) chain.pop();
    chain.push({ level: heading.level, text: shortened(heading.text) });
  }
  let line = 1;
  for (let feed = text.indexOf('\n'); feed >= 0 && feed < offset; feed = text.indexOf('\n', feed + 1))
    line += 1;
  return { line, headings: chain.map((heading) => heading.text) };
}

function shortened(heading: string): string {
  return heading.length > MAX_HEADING ? `${cut(heading, MAX_HEADING)}…` : heading;
}

/** The first character of a line behind at most three spaces. */
function markOf(text: string, start: number): string {
  let at = start;
  while (at < start + 3 && text.charCodeAt(at) === 32) at += 1;
  return text.charAt(at);
}
