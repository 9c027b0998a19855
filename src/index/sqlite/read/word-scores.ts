import { LecternError } from '../../../errors.ts';
import type { ReadConnection } from '../connection.ts';
import { FTS_WEIGHTS, type Match, type Phrases } from '../write/fts.ts';

/** As in FTS5's own `bm25()`. */
const K1 = 1.2;
const B = 0.75;
const LEAST_IDF = 1e-6;
/** Rows of postings that are remembered, some twenty bytes each. */
const MOST_ROWS = 200_000;

/** The beginnings of words that thousands of words have: FTS5 takes tens of milliseconds to bring together where those stand. */
const WIDE = /"[^" ]{1,2}" \*$/u;
/** One that is put together of longer ones. The stemmer leaves words of two letters as they are, longer ones it would cut. */
const FIRST_LETTER = /^(.*)"([a-z0-9])" \*$/i;

/** How much text there is. */
export interface WordTotals {
  readonly documents: number;
  readonly words: number;
}

export interface ScoredFile {
  readonly id: number;
  readonly score: number;
}

type Matched = Extract<Match, { kind: 'match' }>;

/** Where a phrase stands among the files somebody may see. */
interface Postings {
  readonly ids: readonly number[];
  /** How often, each place counted by the weight of its column. */
  readonly frequencies: readonly number[];
  /** Words of each file. */
  readonly lengths: readonly number[];
}

/** Whether a query is one that FTS5 itself would take long to answer, where {@link WordScores} goes step by step. */
export function isWide(match: Match): boolean {
  return match.kind === 'match' && phrasesOf(match).some((phrase) => WIDE.test(phrase));
}

/** All that has to be known for {@link WordScores.rank}. */
export function phrasesOf({ required, optional, excluded }: Matched): readonly string[] {
  return [...new Set([required, optional, excluded].flat(2))];
}

/**
 * BM25 worked out here instead of in FTS5, from where each phrase stands, for two kinds of queries.
 *
 * For who may not see every file, as if there were no others: FTS5 counts in how many of all files a phrase
 * stands and how long they are, so that its scores tell of words in hidden ones. How often a phrase stands in a
 * file is found by solving FTS5's formula for it, and the score is computed anew with what the caller may see.
 *
 * For beginnings of words that very many words have, since FTS5 answers in one step, which holds up everybody else:
 * what is known of each phrase is loaded step by step before.
 *
 * Used inside of the connection's `read` only, for one filter at a time.
 */
export class WordScores {
  readonly #connection: ReadConnection;
  readonly #known = new Map<string, Postings>();
  /** The last one, whose pages are asked for one after the other. */
  #ranked: { readonly query: string; readonly files: readonly ScoredFile[] } | undefined;
  #rows = 0;
  #version: number | undefined;

  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  /**
   * The phrases that are to be loaded one by one, each a short step, before one of them is ranked by.
   * @param view key of what the caller may see; empty when that is everything
   */
  stepsFor(phrase: string, view: string): readonly string[] {
    this.#forgetOutdated();
    return this.#known.has(keyOf(phrase, view)) ? [] : this.#partsOf(phrase);
  }

  /** One step. */
  load(phrase: string, view: string): void {
    this.#forgetOutdated();
    const key = keyOf(phrase, view);
    if (!this.#known.has(key)) this.#keep(key, this.#read(phrase));
  }

  /**
   * The files that match, best first, equal scores by number.
   * @param view key of what the caller may see; empty when that is everything
   * @param totals of the same; undefined when that is everything
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
    if (version !== this.#version || this.#rows > MOST_ROWS) {
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

  /** The phrase itself, or the word of its one letter and the beginnings of two letters that go on from it. */
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

  /** One string for all rows: thousands of them cost less so than as an object each. */
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
      // The weights are whole numbers, and so are their sums.
      postings.frequencies.push(Math.max(1, Math.round((score * damping) / (idf * (K1 + 1) - score))));
      postings.lengths.push(length);
    }
    return postings;
  }

  /** Those that FTS5 itself counts with: the record of averages, rows first, then the words of each column. */
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

/** Where one of several phrases stands, none of which stands where another does. */
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

/** What the expression of the query matches. */
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
  return idf <= 0 ? LEAST_IDF : idf;
}

/** Words of a file, from the `sz` of its row in `fts_docsize` as hexadecimal digits. */
export function wordsIn(sizes: string): number {
  return varints(Buffer.from(sizes, 'hex')).reduce((sum, words) => sum + words, 0);
}

/** SQLite's numbers of several bytes: seven bits each, all but the last with the highest bit set. */
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
