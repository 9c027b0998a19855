import type { Span } from '../../notes/model.ts';
import { Turn } from '../../turn.ts';
import type { Source } from '../grounding/source.ts';
import { proseOf } from './prose.ts';
import { type Terms, termsOf } from './terms.ts';

/** A sentence of a note. */
export interface Sentence extends Span {
  readonly source: Source;
  /** Number of its paragraph in the note, from 0: sentences with the same number are consecutive text. */
  readonly paragraph: number;
  /** Number of the sentence in the note, from 0. */
  readonly position: number;
  readonly terms: Terms;
}

/** Limits of a sentence worth quoting: terms, and UTF-16 code units. */
const LEAST_TERMS = 2;
const MOST_CHARACTERS = 600;
/** Lines without punctuation are joined to one sentence up to this length, UTF-16 code units. */
const LONG = 300;
/** A paragraph is cut into pieces of this length before its sentences are found, UTF-16 code units. */
const PIECE = 5000;

let segmenter: Intl.Segmenter | undefined;

/**
 * The sentences of a span's prose, in order. Lets other work run in between.
 *
 * @param most limit of sentences; the text after them is not read
 */
export async function sentencesOf(
  source: Source,
  span: Span,
  turn: Turn = new Turn(),
  most = 20_000,
): Promise<readonly Sentence[]> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' });
  const found: Sentence[] = [];
  let paragraph = -1;
  for await (const piece of proseOf(source, span, turn)) {
    paragraph += 1;
    for (const part of piecesOf(source.text, piece)) {
      await turn.mine();
      for (const { start, end } of sentenceSpans(source.text, part, segmenter)) {
        const terms = termsOf(source.text.slice(start, end));
        if (terms.size < LEAST_TERMS || end - start > MOST_CHARACTERS) continue;
        found.push({ source, start, end, paragraph, position: found.length, terms });
        if (found.length >= most) return found;
      }
    }
  }
  return found;
}

function* piecesOf(text: string, { start, end }: Span): Generator<Span> {
  for (let at = start; at < end; ) {
    let to = Math.min(end, at + PIECE);
    const space = to < end ? text.lastIndexOf(' ', to) : -1;
    if (space > at) to = space;
    yield { start: at, end: to };
    at = to;
  }
}

/** Text that ends in an abbreviation or a number, where the segmenter wrongly ends a sentence. */
const NO_END =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|z\.B|d\.h|bzw|ca|Nr|No|Dr|Mr|Mrs|Ms|St|Prof|approx|fig|p|pp|\d{1,3}|[A-Z])\.\s*$/;

function* sentenceSpans(text: string, { start, end }: Span, by: Intl.Segmenter): Generator<Span> {
  let from = start;
  for (const { index, segment } of by.segment(text.slice(start, end))) {
    const to = start + index + segment.length;
    // A line break inside a paragraph ends no sentence unless punctuation precedes it.
    const written = text.slice(from, to);
    const isOpen = !/[.!?…。！？:;]["'”’»)\]*_]*\s*$/.test(written) || NO_END.test(written);
    if (isOpen && to < end && to - from < LONG) continue;
    yield* shorn(text, { start: from, end: to });
    from = to;
  }
  if (from < end) yield* shorn(text, { start: from, end });
}

function* shorn(text: string, span: Span): Generator<Span> {
  let { start, end } = span;
  while (start < end && /\s/.test(text[start] ?? '')) start += 1;
  while (end > start && /\s/.test(text[end - 1] ?? '')) end -= 1;
  if (start < end) yield { start, end };
}
