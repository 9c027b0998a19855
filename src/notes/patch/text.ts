import { isLecternError, LecternError } from '../../errors.ts';
import { errorsIn } from '../frontmatter/frontmatter.ts';
import type { Span } from '../model.ts';
import { mergeSpans, spanAt } from '../spans.ts';
import { LineIndex } from '../text.ts';
import { findEquivalent } from './canonical.ts';
import { type Edit, exactly, type NoteInEdit } from './edit.ts';
import { inserted } from './lines.ts';
import type { CheckedOp } from './op.ts';
import { assertPlaces } from './places.ts';
import { replaceInFrontmatter } from './text-in-frontmatter.ts';

/** Most matches named in an error. */
const MAX_CANDIDATES = 10;

/**
 * Replaces exact text. Every character of `old` and `new` is literal, with two exceptions: a line break matches
 * any line ending and is written as the note's; and when nothing matches by code points, letters match in any
 * Unicode form. The front matter is searched on request only.
 *
 * @throws LecternError `not_found`; `ambiguous` with lines when `old` occurs more often than expected;
 *   `conflict` when it occurs less often; `too_large` when it occurs in more places than one call may change;
 *   `invalid_input` when a match spans the end of the front matter, or the properties would become unreadable
 */
export function replaceText(note: NoteInEdit, op: CheckedOp<'replace_text'>): Edit {
  const from = op.include_frontmatter === true ? 0 : note.parsed.bodyStart;
  const exact = findExact(note.text, op.old, from);
  const found =
    exact.matches.length > 0
      ? exact
      : { matches: findEquivalent(note.text, op.old, from), overlapping: false };
  const matches = chosen(note, op, found);
  note.willChange(matches.length);
  const { bodyStart } = note.parsed;
  const crossing = matches.find(({ start, end }) => start < bodyStart && end > bodyStart);
  if (crossing !== undefined) {
    throw new LecternError('invalid_input', 'A match spans the end of the front matter.', {
      details: { line: new LineIndex(note.text).lineAt(crossing.start) },
      next: 'Change the properties and the body with two ops.',
    });
  }
  const text = inserted(op.new, note.eol);
  const inBody = matches.filter(({ start }) => start >= bodyStart).map((span) => ({ ...span, insert: text }));
  const inProperties = matches.filter(({ start }) => start < bodyStart);
  return {
    ...exactly([...replaceInFrontmatter(note, inProperties, text), ...inBody]),
    replaced: { count: matches.length, left: othersThan(matches, note.text, op.old) },
  };
}

/**
 * The other occurrences of the text: not chosen, in properties that were not searched, or in another Unicode
 * form.
 */
function othersThan(chosen: readonly Span[], text: string, wanted: string): readonly Span[] {
  const taken = mergeSpans(chosen);
  const others = new Map<number, Span>();
  try {
    for (const span of [...findExact(text, wanted, 0).matches, ...findEquivalent(text, wanted, 0)])
      if (spanAt(taken, span.start) === undefined && spanAt(taken, span.end - 1) === undefined)
        others.set(span.start, span);
  } catch (error) {
    // There are more places than are ever listed.
    if (!isLecternError(error)) throw error;
  }
  return [...others.values()].sort((a, b) => a.start - b.start);
}

function chosen(
  note: NoteInEdit,
  op: CheckedOp<'replace_text'>,
  { matches, overlapping }: { matches: readonly Span[]; overlapping: boolean },
): readonly Span[] {
  if (matches.length === 0) throw notFound(note, op);
  if (op.all === true) return matches;
  const lines = new LineIndex(note.text);
  const details = {
    count: matches.length,
    candidates: matches.slice(0, MAX_CANDIDATES).map((span) => ({
      line: lines.lineAt(span.start),
      text: note.text
        .slice(lines.startOf(lines.lineAt(span.start)), lines.endOf(lines.lineAt(span.start)))
        .slice(0, 120),
    })),
  };
  const next = 'Quote more of the surrounding text, or pass expected_count, occurrence or all.';
  if (op.occurrence !== undefined) {
    const match = matches[op.occurrence - 1];
    if (match !== undefined) return [match];
    throw new LecternError('not_found', `The text occurs only ${times(matches.length)}.`, { details, next });
  }
  const expected = op.expected_count ?? 1;
  if (matches.length === expected && !(overlapping && expected === 1)) return matches;
  if (matches.length < expected) {
    throw new LecternError('conflict', `The text occurs ${times(matches.length)}, not ${times(expected)}.`, {
      details,
      next,
    });
  }
  const often =
    overlapping && matches.length === expected ? 'overlaps itself' : `occurs ${matches.length} times`;
  throw new LecternError('ambiguous', `The text ${often}; ${expected} expected.`, { details, next });
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function notFound(note: NoteInEdit, op: CheckedOp<'replace_text'>): LecternError {
  const inFrontmatter =
    op.include_frontmatter !== true &&
    findExact(note.text.slice(0, note.parsed.bodyStart), op.old, 0).matches.length > 0;
  const readable = errorsIn(note.parsed.frontmatter).length === 0;
  return new LecternError('not_found', `The text does not occur in the ${inFrontmatter ? 'body' : 'note'}.`, {
    details: { count: 0, in_frontmatter: inFrontmatter },
    next: inFrontmatter
      ? `It stands in the front matter: ${readable ? 'use set_frontmatter, or ' : ''}pass include_frontmatter.`
      : 'Read the note again and copy the text exactly, spaces included.',
  });
}

/** All matches in source order, without overlaps. A line break in `wanted` matches LF, CRLF and CR. */
function findExact(
  text: string,
  wanted: string,
  from: number,
): { readonly matches: readonly Span[]; readonly overlapping: boolean } {
  const needle = wanted.replace(/\r\n?/g, '\n');
  const folded = needle.includes('\n') && text.includes('\r') ? foldBreaks(text) : undefined;
  const haystack = folded?.text ?? text;
  const original = folded?.original ?? ((offset: number) => offset);
  const matches: Span[] = [];
  let overlapping = false;
  let at = haystack.indexOf(needle, folded?.folded(from) ?? from);
  while (at !== -1) {
    const end = at + needle.length;
    matches.push({ start: original(at), end: original(end) });
    assertPlaces(matches.length);
    const next = haystack.indexOf(needle, at + 1);
    if (next !== -1 && next < end) overlapping = true;
    at = next === -1 || next >= end ? next : haystack.indexOf(needle, end);
  }
  return { matches, overlapping };
}

/** The text with LF for every line break, with functions that convert its offsets from and to the original. */
function foldBreaks(text: string): {
  readonly text: string;
  original(offset: number): number;
  folded(offset: number): number;
} {
  /** Offsets in the original of the LF of each CRLF; each makes the folded text one code unit shorter. */
  const dropped: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) dropped.push(at + 1);
  const below = (holds: (index: number) => boolean): number => {
    let low = 0;
    let high = dropped.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    text: text.replace(/\r\n?/g, '\n'),
    original: (offset) => offset + below((index) => (dropped[index] ?? 0) - index <= offset),
    folded: (offset) => offset - below((index) => (dropped[index] ?? 0) < offset),
  };
}
