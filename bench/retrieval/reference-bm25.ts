import { porter } from './porter.ts';

/**
 * A standard BM25 (k1 = 1.2, b = 0.75, Porter stems, English stop words left out of the query, OR of the
 * words), written independently of Lectern's index: the bar that its modes are held against.
 */
const STOP_WORDS = new Set(
  `a about above after again against all am an and any are as at be because been before being below between
  both but by can cannot could did do does doing done down during each few for from further had has have having
  he her here hers him his how i if in into is it its itself just me more most my no nor not now of off on once
  only or other our out over own same she should so some such than that the their them then there these they
  this those through to too under until up very was we were what when where which while who whom why will with
  would you your`.split(/\s+/),
);

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export class ReferenceBm25 {
  readonly #postings = new Map<string, Map<number, number>>();
  readonly #lengths: number[] = [];
  readonly #paths: string[] = [];
  readonly #stems = new Map<string, string>();

  constructor(notes: readonly { path: string; text: string }[]) {
    for (const note of notes) {
      const at = this.#paths.push(note.path) - 1;
      const words = wordsOf(note.text);
      this.#lengths.push(words.length);
      for (const word of words) {
        const stem = this.#stem(word);
        const posting = this.#postings.get(stem) ?? new Map<number, number>();
        posting.set(at, (posting.get(at) ?? 0) + 1);
        this.#postings.set(stem, posting);
      }
    }
  }

  #stem(word: string): string {
    const known = this.#stems.get(word);
    if (known !== undefined) return known;
    const stem = porter(word);
    this.#stems.set(word, stem);
    return stem;
  }

  search(query: string, limit: number): { path: string; score: number }[] {
    const average =
      this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, this.#lengths.length);
    const scores = new Map<number, number>();
    const stems = new Set(
      wordsOf(query)
        .filter((word) => !STOP_WORDS.has(word))
        .map((word) => this.#stem(word)),
    );
    for (const stem of stems) {
      const posting = this.#postings.get(stem);
      if (!posting) continue;
      const idf = Math.log(1 + (this.#paths.length - posting.size + 0.5) / (posting.size + 0.5));
      for (const [at, tf] of posting) {
        const norm = 1.2 * (0.25 + (0.75 * (this.#lengths[at] ?? 0)) / average);
        scores.set(at, (scores.get(at) ?? 0) + (idf * tf * 2.2) / (tf + norm));
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, limit)
      .map(([at, score]) => ({ path: this.#paths[at] ?? '', score }));
  }
}
