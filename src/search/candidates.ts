import type { VectorIndexReader, WordScore } from '../index/vector-index.ts';
import type { Candidate } from './fusion.ts';
import type { Scan } from './vector/passage-matrix.ts';

/** The notes proposed by the searches, each completed with what the other search would say of it. */
export class CandidateSet {
  readonly #lexical = new Map<number, number>();

  constructor(private readonly reader: VectorIndexReader) {}

  addByWords(notes: readonly WordScore[]): void {
    for (const { note, score } of notes) this.#lexical.set(note, score);
  }

  addByMeaning(notes: Iterable<number>): void {
    for (const note of notes) if (!this.#lexical.has(note)) this.#lexical.set(note, 0);
  }

  /** Every candidate as a scan judges it; notes that have gone meanwhile are left out. */
  async judged(scan: Scan): Promise<Candidate[]> {
    const names = await this.reader.files([...this.#lexical.keys()]);
    const judged: Candidate[] = [];
    for (const [note, { path, title }] of names)
      judged.push({ note, path, title, lexical: this.#lexical.get(note) ?? 0, best: scan.best(note) });
    return judged;
  }
}
