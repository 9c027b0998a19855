import type { LexicalHit } from '../index/note-index.ts';
import type { VectorIndexReader } from '../index/vector-index.ts';
import { type QueryTerms, scoreTerms } from './embed/local-lsa/score-terms.ts';
import type { Candidate, CandidatePassage } from './fusion.ts';
import type { PassageSpaces } from './passage-index.ts';
import type { PassageScore } from './vector/passage-matrix.ts';

/** Passages of one note that are looked at besides those the vector scan found: the rest of a book-long note. */
const MOST_PASSAGES = 64;

interface Known {
  path: string;
  title: string;
  lexical: number;
  /** Passages found by the scan beyond {@link MOST_PASSAGES}. */
  readonly far: Set<number>;
}

/** The notes proposed by the searches, each completed with what the other search would say of it. */
export class CandidateSet {
  readonly #spaces: PassageSpaces;
  readonly #reader: VectorIndexReader;
  /** undefined = passages are not scored by their terms. */
  readonly #terms: QueryTerms | undefined;
  readonly #known = new Map<number, Known>();
  readonly #termScores = new Map<number, readonly number[]>();

  constructor(spaces: PassageSpaces, reader: VectorIndexReader, terms: QueryTerms | undefined) {
    this.#spaces = spaces;
    this.#reader = reader;
    this.#terms = terms;
  }

  get size(): number {
    return this.#known.size;
  }

  async addLexical(hits: readonly LexicalHit[]): Promise<void> {
    const ids = await this.#reader.notesAt(hits.map(({ path }) => path));
    for (const { path, title, score } of hits) {
      const note = ids.get(path);
      if (note !== undefined) this.#known.set(note, { path, title, lexical: score, far: new Set() });
    }
    await this.#scoreTerms();
  }

  async addSemantic(passages: readonly PassageScore[]): Promise<void> {
    const fresh = [...new Set(passages.map(({ note }) => note))].filter((note) => !this.#known.has(note));
    const files = await this.#reader.files(fresh);
    for (const [note, { path, title }] of files)
      this.#known.set(note, { path, title, lexical: 0, far: new Set() });
    for (const { note, seq } of passages) if (seq >= MOST_PASSAGES) this.#known.get(note)?.far.add(seq);
    await this.#scoreTerms();
  }

  /** @param query of length 1, in the vectors' space */
  scored(query: Float32Array): Candidate[] {
    const { matrix } = this.#spaces.vectors;
    return Array.from(this.#known, ([note, { path, title, lexical, far }]) => {
      const terms = this.#termScores.get(note) ?? [];
      const passages: CandidatePassage[] = [];
      const consider = (seq: number): void => {
        passages.push({ seq, terms: terms[seq] ?? 0, meaning: matrix.score(note, seq, query) });
      };
      const count = Math.min(matrix.passagesOf(note), MOST_PASSAGES);
      for (let seq = 0; seq < count; seq += 1) consider(seq);
      for (const seq of far) consider(seq);
      return { note, path, title, lexical, passages };
    });
  }

  async #scoreTerms(): Promise<void> {
    const query = this.#terms;
    if (!query) return;
    const missing = [...this.#known.keys()].filter((note) => !this.#termScores.has(note));
    const { id, model } = this.#spaces.local;
    const stored = await this.#reader.terms(id, missing);
    for (const note of missing) {
      const far = this.#known.get(note)?.far;
      const scores = (stored.get(note) ?? []).map((bytes, seq) =>
        seq < MOST_PASSAGES || far?.has(seq) ? scoreTerms(model, query, bytes) : 0,
      );
      this.#termScores.set(note, scores);
    }
  }
}
