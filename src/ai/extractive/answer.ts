import type { Span } from '../../notes/model.ts';
import { Turn } from '../../turn.ts';
import type { Place, Source } from '../grounding/source.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { Rarity, type Terms, termsOf } from './terms.ts';

/** A passage to look for an answer in, as the search found it. `score` is 0..1. */
export interface Found {
  readonly source: Source;
  /** The section that contains the passage. */
  readonly span: Span;
  /** 1-based line that the search result shows. */
  readonly line: number;
  readonly score: number;
}

export interface Quoted extends Place {
  /**
   * Share, 0..1, of the question's terms, weighted by rarity, that are in the quote, the heading above it or
   * the title.
   */
  readonly share: number;
}

/** Most consecutive sentences in one quote. */
const TOGETHER = 2;
/** Limit of a quote without sentences, UTF-16 code units. */
const QUOTE_CHARACTERS = 500;
/** Weight of a sentence in the line that the search found; it falls with the distance in lines. */
const NEAR_LINE = 0.25;

/**
 * Selects from each passage the sentence that answers best, and the next one when it belongs to it: the one
 * with the largest share of the question's terms, near the line that the search found. A passage without
 * prose (code, a table) is quoted from that line.
 *
 * @returns one quote per passage, in their order; passages without text are left out
 */
export async function bestQuotes(
  question: string,
  passages: readonly Found[],
  turn: Turn = new Turn(),
): Promise<readonly Quoted[]> {
  const asked = termsOf(question);
  const looked: { found: Found; sentences: readonly Sentence[] }[] = [];
  const rarity = new Rarity();
  for (const found of passages) {
    const sentences = await sentencesOf(found.source, found.span, turn, 2000);
    for (const { terms } of sentences) rarity.add(terms);
    looked.push({ found, sentences });
  }
  const whole = [...asked.keys()].reduce((sum, term) => sum + rarity.of(term), 0) || 1;
  const shareOf = (terms: Terms) => {
    let sum = 0;
    for (const term of asked.keys()) if (terms.has(term)) sum += rarity.of(term);
    return sum / whole;
  };
  const quotes: Quoted[] = [];
  for (const { found, sentences } of looked) {
    await turn.mine();
    const quote = best(found, sentences, shareOf) ?? fromLine(found);
    if (quote === undefined) continue;
    quotes.push({ ...quote, share: shareOf(termsOf(contextOf(quote))) });
  }
  return quotes;
}

function best(
  { source, line }: Found,
  sentences: readonly Sentence[],
  shareOf: (terms: Terms) => number,
): Place | undefined {
  let most: { at: number; worth: number } | undefined;
  for (const [at, sentence] of sentences.entries()) {
    const away = Math.abs(source.lines.lineAt(sentence.start) - line);
    const worth = shareOf(sentence.terms) + NEAR_LINE / (1 + away);
    if (most === undefined || worth > most.worth) most = { at, worth };
  }
  const first = most && sentences[most.at];
  if (most === undefined || first === undefined) return undefined;
  let last = first;
  for (let next = most.at + 1; next < most.at + TOGETHER; next += 1) {
    const sentence = sentences[next];
    if (sentence?.paragraph !== first.paragraph || sentence.end - first.start > QUOTE_CHARACTERS) break;
    last = sentence;
  }
  return { source, start: first.start, end: last.end };
}

/** The first lines with text, from the line that the search found. */
function fromLine({ source, span, line }: Found): Place | undefined {
  const { text, lines } = source;
  let start = Math.max(span.start, Math.min(lines.startOf(line), span.end));
  while (start < span.end && /\s/.test(text[start] ?? '')) start += 1;
  let end = start;
  while (end < span.end && end - start < QUOTE_CHARACTERS) {
    const lineEnd = Math.min(lines.endOf(lines.lineAt(end)), span.end);
    if (end > start && (lineEnd - start > QUOTE_CHARACTERS || text.slice(end, lineEnd).trim() === '')) break;
    end = Math.min(lineEnd, start + QUOTE_CHARACTERS);
    if (end >= span.end || end - start >= QUOTE_CHARACTERS) break;
    end = lines.startOf(lines.lineAt(end) + 1);
  }
  while (end > start && /\s/.test(text[end - 1] ?? '')) end -= 1;
  if (/[\ud800-\udbff]$/.test(text.slice(start, end))) end -= 1;
  return end > start ? { source, start, end } : undefined;
}

function contextOf({ source, start, end }: Place): string {
  const headings = source.headings.filter(({ span }) => span.start < start).slice(-1);
  return `${source.title} ${headings.map(({ text }) => text).join(' ')} ${source.text.slice(start, end)}`;
}
