import { LineIndex } from '../../notes/text.ts';
import { headingAbove, type Place } from './source.ts';

/** A quote and its place. `quote` equals the note's text at that place in the version with this etag. */
export interface Citation {
  readonly path: string;
  /** Text of the nearest heading above; undefined when there is none. */
  readonly heading: string | undefined;
  /** 1-based. The quote begins in `lineStart` and ends in `lineEnd`. */
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly etag: string;
  readonly quote: string;
}

/** The citation of a place, with the place's text as its quote. */
export function citationOf({ source, start, end }: Place): Citation {
  return {
    path: source.path,
    heading: headingAbove(source, start)?.text,
    lineStart: source.lines.lineAt(start),
    lineEnd: source.lines.lineAt(Math.max(start, end - 1)),
    etag: source.etag,
    quote: source.text.slice(start, end),
  };
}

/** Whether the quote begins and ends in these lines of a text. */
export function standsAt(
  { lineStart, lineEnd, quote }: Pick<Citation, 'lineStart' | 'lineEnd' | 'quote'>,
  text: string,
  lines = new LineIndex(text),
): boolean {
  if (quote.trim() === '' || lineStart < 1 || lineEnd < lineStart || lineEnd > lines.count) return false;
  const from = lines.startOf(lineStart);
  const to = lines.endOf(lineEnd);
  for (let at = text.indexOf(quote, from); at !== -1 && at + quote.length <= to; ) {
    if (lines.lineAt(at) === lineStart && lines.lineAt(at + quote.length - 1) === lineEnd) return true;
    at = text.indexOf(quote, at + 1);
  }
  return false;
}

/**
 * Reads the current text of a note and its etag; undefined when it does not exist or the caller may not read
 * it.
 */
export type ReadAgain = (
  path: string,
) => Promise<{ readonly etag: string; readonly text: string } | undefined>;

export interface Verified<Cited extends Citation> {
  /** The citations whose quote was found, in the given order, with the current etag of their note. */
  readonly standing: readonly Cited[];
  readonly dropped: readonly Cited[];
  /** Notes that changed since they were read. */
  readonly changed: readonly string[];
}

/**
 * Reads every cited note again and keeps the citations whose quote is still in its lines. A citation from a
 * changed note gets the new etag.
 */
export async function verify<Cited extends Citation>(
  citations: readonly Cited[],
  readAgain: ReadAgain,
): Promise<Verified<Cited>> {
  const notes = new Map<string, { etag: string; text: string; lines: LineIndex } | undefined>();
  for (const path of new Set(citations.map((citation) => citation.path))) {
    const now = await readAgain(path);
    notes.set(path, now && { ...now, lines: new LineIndex(now.text) });
  }
  const standing: Cited[] = [];
  const dropped: Cited[] = [];
  const changed = new Set<string>();
  for (const citation of citations) {
    const now = notes.get(citation.path);
    if (now?.etag !== citation.etag) changed.add(citation.path);
    if (now === undefined || !standsAt(citation, now.text, now.lines)) dropped.push(citation);
    else standing.push(now.etag === citation.etag ? citation : { ...citation, etag: now.etag });
  }
  return { standing, dropped, changed: [...changed] };
}
