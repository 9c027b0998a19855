import type { LexicalHit } from '../index/note-index.ts';
import type { VectorIndexReader } from '../index/vector-index.ts';
import type { Candidate, CandidatePassage } from './fusion.ts';
import type { PassageMatrix, PassageScore } from './vector/passage-matrix.ts';

/** Passages of one note that are looked at besides those the vector scan found: the rest of a book-long note. */
const MOST_PASSAGES = 64;

interface Known {
  readonly path: string;
  readonly title: string;
  readonly lexical: number;
  /** Passages found by the scan beyond {@link MOST_PASSAGES}. */
  readonly far: Set<number>;
}

/** The notes proposed by the searches, each completed with what the other search would say of it. */
export class CandidateSet {
  readonly #known = new Map<number, Known>();

  constructor(
    private readonly matrix: PassageMatrix,
    private readonly reader: VectorIndexReader,
  ) {}

  async addLexical(hits: readonly LexicalHit[]): Promise<void> {
    const ids = await this.reader.notesAt(hits.map(({ path }) => path));
    for (const { path, title, score } of hits) {
      const note = ids.get(path);
      if (note !== undefined) this.#known.set(note, { path, title, lexical: score, far: new Set() });
    }
  }

  async addSemantic(passages: readonly PassageScore[]): Promise<void> {
    const fresh = [...new Set(passages.map(({ note }) => note))].filter((note) => !this.#known.has(note));
    const files = await this.reader.files(fresh);
    for (const [note, { path, title }] of files)
      this.#known.set(note, { path, title, lexical: 0, far: new Set() });
    for (const { note, seq } of passages) if (seq >= MOST_PASSAGES) this.#known.get(note)?.far.add(seq);
  }

  /** @param query of length 1, in the vectors' space */
  scored(query: Float32Array): Candidate[] {
    return Array.from(this.#known, ([note, { path, title, lexical, far }]) => {
      const passages: CandidatePassage[] = [];
      const count = Math.min(this.matrix.passagesOf(note), MOST_PASSAGES);
      for (let seq = 0; seq < count; seq += 1)
        passages.push({ seq, meaning: this.matrix.score(note, seq, query) });
      for (const seq of far) passages.push({ seq, meaning: this.matrix.score(note, seq, query) });
      return { note, path, title, lexical, passages };
    });
  }
}
