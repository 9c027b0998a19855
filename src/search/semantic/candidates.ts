import type { VectorIndexReader, WordScore } from '../../index/vector-index.ts';
import type { Scan } from '../vector/passage-matrix.ts';
import type { Candidate } from './fusion.ts';

/** The notes proposed by the searches, each completed with the other search's score. */
export class CandidateSet {
  readonly #lexical = new Map<number, number>();
  /** Names of candidates judged before: a second scan adds few. */
  readonly #names = new Map<number, { readonly path: string; readonly title: string }>();

  constructor(private readonly reader: VectorIndexReader) {}

  addByWords(notes: readonly WordScore[]): void {
    for (const { note, score } of notes) this.#lexical.set(note, score);
  }

  addByMeaning(notes: Iterable<number>): void {
    for (const note of notes) if (!this.#lexical.has(note)) this.#lexical.set(note, 0);
  }

  /** Every candidate with its best passage in a scan; notes removed meanwhile are left out. */
  async judged(scan: Scan): Promise<Candidate[]> {
    const unnamed = [...this.#lexical.keys()].filter((note) => !this.#names.has(note));
    if (unnamed.length > 0)
      for (const [note, names] of await this.reader.files(unnamed)) this.#names.set(note, names);
    const judged: Candidate[] = [];
    for (const [note, lexical] of this.#lexical) {
      const names = this.#names.get(note);
      if (names) judged.push({ note, path: names.path, title: names.title, lexical, best: scan.best(note) });
    }
    return judged;
  }
}
