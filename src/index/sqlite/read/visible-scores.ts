import { LecternError } from '../../../errors.ts';
import type { ReadConnection } from '../connection.ts';
import { FTS_WEIGHTS } from '../write/fts.ts';
import type { Where } from './filter.ts';

/** As in FTS5's own `bm25()`. */
const K1 = 1.2;
const B = 0.75;
const LEAST_IDF = 1e-6;
/** Rows of postings that are remembered, some twenty bytes each. */
const MOST_ROWS = 200_000;

/** How much text there is. */
export interface WordTotals {
  readonly documents: number;
  readonly words: number;
}

export interface ScoredFile {
  readonly id: number;
  readonly score: number;
}

/** Where a phrase stands among the files somebody may see. */
interface Postings {
  readonly ids: readonly number[];
  /** How often, each place counted by the weight of its column. */
  readonly frequencies: readonly number[];
  /** Words of each file. */
  readonly lengths: readonly number[];
}

/**
 * BM25 for who may not see every file, as if there were no others: FTS5 counts in how many of all files a phrase
 * stands and how long they are, so that its scores tell of words in hidden ones. How often a phrase stands in a
 * file is found by solving FTS5's formula for it, and the score is computed anew with what the caller may see.
 * Used inside of the connection's `read` only, for one filter at a time.
 */
export class VisibleScores {
  readonly #connection: ReadConnection;
  readonly #known = new Map<string, Postings>();
  #rows = 0;
  #version: number | undefined;

  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  /**
   * The files that the conditions let through, best first, equal scores by number.
   * @param phrases of the query, each as often as the expression has it
   * @param view key of what the caller may see @param totals of the same
   */
  rank(where: Where, phrases: readonly string[], view: string, totals: WordTotals): ScoredFile[] {
    const ids = this.#connection.get(
      `SELECT group_concat(rowid, ' ') AS ids FROM fts WHERE ${where.sql}`,
      ...where.parameters,
    )?.ids;
    const scores = new Map<number, number>();
    for (const id of numbersIn(ids)) scores.set(id, 0);
    const average = totals.words / totals.documents;
    for (const phrase of phrases) {
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

  #postings(phrase: string, view: string): Postings {
    const version = this.#connection.version();
    if (version !== this.#version || this.#rows > MOST_ROWS) {
      this.#known.clear();
      this.#rows = 0;
    }
    this.#version = version;
    const key = `${view}\0${phrase}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const postings = this.#read(phrase);
    this.#known.set(key, postings);
    this.#rows += postings.ids.length;
    return postings;
  }

  /** One string for all rows: thousands of them cost less so than as an object each. */
  #read(phrase: string): Postings {
    const connection = this.#connection;
    const all = Number(connection.get('SELECT count(*) AS n FROM fts WHERE fts MATCH ?', phrase)?.n);
    const rows = connection.get(
      `WITH scored AS MATERIALIZED
         (SELECT rowid AS id, -bm25(fts, ${FTS_WEIGHTS}) AS score FROM fts WHERE fts MATCH ? AND in_view(rowid))
       SELECT group_concat(s.id || ' ' || s.score || ' ' || hex(d.sz), ' ') AS rows
       FROM scored s JOIN fts_docsize d ON d.id = s.id`,
      phrase,
    )?.rows;
    const { documents, words } = this.#totals();
    const idf = idfOf(documents, all);
    const postings = { ids: [] as number[], frequencies: [] as number[], lengths: [] as number[] };
    const parts = typeof rows === 'string' ? rows.split(' ') : [];
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

function numbersIn(list: unknown): number[] {
  return typeof list === 'string' ? list.split(' ').map(Number) : [];
}
