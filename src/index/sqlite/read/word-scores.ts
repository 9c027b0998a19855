import { LecternError } from '../../../errors.ts';
import type { ReadConnection } from '../connection.ts';
import { FTS_WEIGHTS, type Match, type Phrases } from '../write/fts.ts';

/** The constants of FTS5's own `bm25()`. */
const K1 = 1.2;
const B = 0.75;
const MIN_IDF = 1e-6;
/** Size of the cache of postings, rows of about 20 bytes each. */
const MAX_ROWS = 200_000;

/**
 * A prefix of one or two characters, which thousands of words share: FTS5 takes tens of ms to merge their
 * postings.
 */
const WIDE = /"[^" ]{1,2}" \*$/u;
/**
 * A prefix of one letter, whose postings are merged from those of two letters, which the stemmer does not cut.
 */
const FIRST_LETTER = /^(.*)"([a-z0-9])" \*$/i;

/** The size of a set of files. */
export interface WordTotals {
  readonly documents: number;
  readonly words: number;
}

export interface ScoredFile {
  readonly id: number;
  readonly score: number;
}

type Matched = Extract<Match, { kind: 'match' }>;

/** The postings of a phrase in the files that a caller may see; the arrays are parallel. */
interface Postings {
  readonly ids: readonly number[];
  /** Number of occurrences, each multiplied by the weight of its column. */
  readonly frequencies: readonly number[];
  /** Number of words of each file. */
  readonly lengths: readonly number[];
}

/** Whether FTS5 would take long to answer a query in one step, so that {@link WordScores} should answer it. */
export function isWide(match: Match): boolean {
  return match.kind === 'match' && phrasesOf(match).some((phrase) => WIDE.test(phrase));
}

/** The phrases whose postings {@link WordScores.rank} needs. */
export function phrasesOf({ required, optional, excluded }: Matched): readonly string[] {
  return [...new Set([required, optional, excluded].flat(2))];
}

/**
 * Computes BM25 from the postings of each phrase, outside of FTS5, for two kinds of queries:
 *
 * - of a caller who may not see every file. FTS5's scores depend on the number of all files with a phrase and
 *   on their lengths, and so reveal words of hidden files. The frequency of a phrase in a file is found by
 *   solving FTS5's formula for it; the score is then computed from the visible files only.
 * - with a prefix that very many words share. FTS5 answers in one step, which blocks the event loop; here the
 *   postings of each phrase are loaded in separate steps first.
 *
 * Use it only inside the connection's `read`, with one filter at a time.
 */
export class WordScores {
  readonly #connection: ReadConnection;
  readonly #known = new Map<string, Postings>();
  /** The last ranking, as clients request its pages one after the other. */
  #ranked: { readonly query: string; readonly files: readonly ScoredFile[] } | undefined;
  #rows = 0;
  #version: number | undefined;

  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  /**
   * The phrases to {@link load} before ranking by a phrase; each load is one short step.
   *
   * @param view key of the caller's filter; empty when the caller may see everything
   */
  stepsFor(phrase: string, view: string): readonly string[] {
    this.#forgetOutdated();
    return this.#known.has(keyOf(phrase, view)) ? [] : this.#partsOf(phrase);
  }

  /** Loads the postings of one phrase into the cache. */
  load(phrase: string, view: string): void {
    this.#forgetOutdated();
    const key = keyOf(phrase, view);
    if (!this.#known.has(key)) this.#keep(key, this.#read(phrase));
  }

  /**
   * The matching files, best first, equal scores by id.
   *
   * @param view key of the caller's filter; empty when the caller may see everything
   * @param totals of the files the caller may see; of all files by default
   * @throws LecternError `internal` when the full-text index has no totals
   */
  rank(match: Matched, view: string, totals: WordTotals = this.#totals()): readonly ScoredFile[] {
    this.#forgetOutdated();
    const query = JSON.stringify([match, view, totals]);
    if (this.#ranked?.query !== query) this.#ranked = { query, files: this.#rank(match, view, totals) };
    return this.#ranked.files;
  }

  #rank(match: Matched, view: string, totals: WordTotals): readonly ScoredFile[] {
    const has = (phrases: Phrases) => new Set(phrases.flatMap((phrase) => this.#postings(phrase, view).ids));
    const scores = new Map<number, number>();
    for (const id of matching(match, has)) scores.set(id, 0);
    const average = totals.words / totals.documents;
    for (const phrase of match.phrases) {
      const { ids: holders, frequencies, lengths } = this.#postings(phrase, view);
      const idf = idfOf(totals.documents, holders.length);
      holders.forEach((id, at) => {
        const score = scores.get(id);
        const frequency = frequencies[at] ?? 0;
        if (score === undefined) return;
        const damping = K1 * (1 - B + (B * (lengths[at] ?? 0)) / average);
        scores.set(id, score + (idf * frequency * (K1 + 1)) / (frequency + damping));
      });
    }
    return Array.from(scores, ([id, score]) => ({ id, score })).sort(
      (a, b) => b.score - a.score || a.id - b.id,
    );
  }

  #forgetOutdated(): void {
    const version = this.#connection.version();
    if (version !== this.#version || this.#rows > MAX_ROWS) {
      this.#known.clear();
      this.#ranked = undefined;
      this.#rows = 0;
    }
    this.#version = version;
  }

  #postings(phrase: string, view: string): Postings {
    const key = keyOf(phrase, view);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const parts = this.#partsOf(phrase).map((part) => {
      this.load(part, view);
      return this.#known.get(keyOf(part, view)) ?? NOWHERE;
    });
    return this.#keep(key, parts.length === 1 ? (parts[0] ?? NOWHERE) : together(parts));
  }

  #keep(key: string, postings: Postings): Postings {
    if (!this.#known.has(key)) this.#rows += postings.ids.length;
    this.#known.set(key, postings);
    return postings;
  }

  /**
   * The phrase itself; for a prefix of one letter, the one-letter word and all two-letter prefixes that start
   * with it.
   */
  #partsOf(phrase: string): string[] {
    const [, columns = '', letter] = FIRST_LETTER.exec(phrase) ?? [];
    if (letter === undefined) return [phrase];
    const first = letter.toLowerCase();
    const parts = [`${columns}"${first}"`];
    for (let from = first; ; ) {
      const term = this.#connection.get(
        'SELECT term FROM vocabulary WHERE term > ? AND term < ? LIMIT 1',
        from,
        `${first}\u{10FFFF}`,
      )?.term;
      if (typeof term !== 'string') return parts;
      const beginning = first + String.fromCodePoint(term.codePointAt(1) ?? 0);
      parts.push(`${columns}"${beginning}" *`);
      from = `${beginning}\u{10FFFF}`;
    }
  }

  /** Reads postings as one string for all rows, which is faster than an object per row. */
  #read(phrase: string): Postings {
    const found = this.#connection.get(
      `WITH scored AS MATERIALIZED
         (SELECT rowid AS id, -bm25(fts, ${FTS_WEIGHTS}) AS score FROM fts WHERE fts MATCH ?)
       SELECT (SELECT count(*) FROM scored) AS n, group_concat(s.id || ' ' || s.score || ' ' || hex(d.sz), ' ') AS rows
       FROM scored s JOIN fts_docsize d ON d.id = s.id WHERE in_view(s.id)`,
      phrase,
    );
    const { documents, words } = this.#totals();
    const idf = idfOf(documents, Number(found?.n));
    const postings = { ids: [] as number[], frequencies: [] as number[], lengths: [] as number[] };
    const parts = typeof found?.rows === 'string' ? found.rows.split(' ') : [];
    for (let at = 0; at + 2 < parts.length; at += 3) {
      const score = Number(parts[at + 1]);
      const length = wordsIn(parts[at + 2] ?? '');
      const damping = K1 * (1 - B + (B * length * documents) / words);
      postings.ids.push(Number(parts[at]));
      // The weights are integers, and so are their sums.
      postings.frequencies.push(Math.max(1, Math.round((score * damping) / (idf * (K1 + 1) - score))));
      postings.lengths.push(length);
    }
    return postings;
  }

  /** FTS5's own totals, from its averages record: the number of rows, then the words of each column. */
  #totals(): WordTotals {
    const block = this.#connection.get('SELECT block FROM fts_data WHERE id = 1')?.block;
    if (!(block instanceof Uint8Array))
      throw new LecternError('internal', 'The full-text index has no record.');
    const [documents = 0, ...columns] = varints(block);
    return { documents, words: columns.reduce((sum, words) => sum + words, 0) };
  }
}

const NOWHERE: Postings = { ids: [], frequencies: [], lengths: [] };

function keyOf(phrase: string, view: string): string {
  return `${view}\0${phrase}`;
}

/** The union of postings of phrases that never match at the same position. */
function together(parts: readonly Postings[]): Postings {
  const places = new Map<number, { frequency: number; readonly length: number }>();
  for (const { ids, frequencies, lengths } of parts)
    ids.forEach((id, at) => {
      const frequency = frequencies[at] ?? 0;
      const place = places.get(id);
      if (place === undefined) places.set(id, { frequency, length: lengths[at] ?? 0 });
      else place.frequency += frequency;
    });
  const all = [...places.values()];
  return {
    ids: [...places.keys()],
    frequencies: all.map(({ frequency }) => frequency),
    lengths: all.map(({ length }) => length),
  };
}

/** Ids of the files that the query's expression matches. */
function matching(
  { required, optional, excluded }: Matched,
  has: (phrases: Phrases) => ReadonlySet<number>,
): readonly number[] {
  const [first, ...others] = required.length > 0 ? required.map(has) : [has(optional.flat())];
  const never = has(excluded.flat());
  return [...(first ?? [])].filter((id) => others.every((ids) => ids.has(id)) && !never.has(id));
}

function idfOf(documents: number, holders: number): number {
  const idf = Math.log((documents - holders + 0.5) / (holders + 0.5));
  return idf <= 0 ? MIN_IDF : idf;
}

/** Number of words of files, from the concatenated `sz` columns of `fts_docsize` as hexadecimal digits. */
export function wordsIn(sizes: string): number {
  return varints(Buffer.from(sizes, 'hex')).reduce((sum, words) => sum + words, 0);
}

/**
 * Decodes SQLite's varints: seven bits per byte, highest first; all bytes except the last have the high bit
 * set.
 */
function varints(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 127);
    if (byte > 127) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}
