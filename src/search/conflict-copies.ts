import { copyName, isVersionOf } from '../formats/conflict-copy.ts';
import type { NoteIndexReader, PathFilter } from '../index/note-index.ts';
import { stem } from '../notes/path.ts';
import { Pacer } from './pacer.ts';

/** Texts compared for one answer, and for all copies of a vault; more names that only may be those of copies are taken for notes. */
const MOST_COMPARED = { answer: 200, all: 5000 };
const MOST_VERDICTS = 10_000;
/** A version has at least this share of the other's bytes. */
const LEAST_SIZE = 0.5;

/** Copy → the path of its original, which may be gone. */
export type Copies = ReadonlyMap<string, string>;

/** Finds the notes that are copies made by sync programs. */
class ConflictCopies {
  readonly #reader: NoteIndexReader;
  /** Whether one text is a version of another, by both etags. */
  readonly #verdicts = new Map<string, boolean>();

  constructor(reader: NoteIndexReader) {
    this.#reader = reader;
  }

  /**
   * The copies among some notes.
   * @param visible what the caller may see: only a visible original makes a copy of a name that may be an honest one
   */
  async among(
    paths: Iterable<string>,
    visible: PathFilter | undefined,
    mostCompared = MOST_COMPARED.answer,
  ): Promise<Copies> {
    const copies = new Map<string, string>();
    const pacer = new Pacer(Number.POSITIVE_INFINITY);
    let compared = 0;
    for (const path of paths) {
      const name = copyName(path);
      if (name === undefined) continue;
      const [nearest] = name.originals;
      if (name.isCertain) {
        if (nearest !== undefined) copies.set(path, nearest);
        continue;
      }
      if (compared >= mostCompared) continue;
      for (const original of name.originals) {
        if (visible?.test(original) === false) continue;
        if (pacer.due) await pacer.pause();
        const verdict = await this.#isVersion(path, original);
        if (verdict === undefined) continue;
        compared += 1;
        if (verdict) copies.set(path, original);
        if (verdict) break;
      }
    }
    return copies;
  }

  /** All copies that the caller may see. */
  async all(visible: PathFilter | undefined): Promise<Copies> {
    return this.among(await this.#reader.namesLikeCopies(visible), visible, MOST_COMPARED.all);
  }

  /** @returns undefined when there is no original to compare with, or their sizes differ too much */
  async #isVersion(path: string, original: string): Promise<boolean | undefined> {
    const [copy, first] = await Promise.all([this.#reader.file(path), this.#reader.file(original)]);
    if (copy?.path !== path || first?.path !== original) return undefined;
    if (copy.etag === undefined || first.etag === undefined) return undefined;
    if (Math.min(copy.size, first.size) < LEAST_SIZE * Math.max(copy.size, first.size)) return undefined;
    const key = `${path}\0${copy.etag}\0${first.etag}`;
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const [text, other] = await Promise.all([this.#reader.text(path), this.#reader.text(original)]);
    const verdict = isVersionOf(text?.text ?? '', other?.text ?? '', stem(path));
    if (this.#verdicts.size >= MOST_VERDICTS) this.#verdicts.clear();
    this.#verdicts.set(key, verdict);
    return verdict;
  }
}

const byReader = new WeakMap<NoteIndexReader, ConflictCopies>();

/** One for each index, as it remembers what it has compared. */
export function conflictCopiesOf(reader: NoteIndexReader): ConflictCopies {
  let copies = byReader.get(reader);
  if (copies === undefined) {
    copies = new ConflictCopies(reader);
    byReader.set(reader, copies);
  }
  return copies;
}

/** Has another view of an index use what is remembered for the index. */
export function shareConflictCopies(index: NoteIndexReader, view: NoteIndexReader): void {
  byReader.set(view, conflictCopiesOf(index));
}

/** A copy is worth this much of its score, and never as much as its original. */
const COPY = 0.5;
const STEP = 1e-6;

/**
 * The scores of some hits when copies stand below what they are copies of.
 * @param scores by path
 */
export function scoresBelowOriginals(
  scores: ReadonlyMap<string, number>,
  copies: Copies,
): Map<string, number> {
  const settled = new Map<string, number>();
  const scoreOf = (path: string): number => {
    const known = settled.get(path);
    if (known !== undefined) return known;
    const score = scores.get(path) ?? Number.POSITIVE_INFINITY;
    const original = copies.get(path);
    // A name gets shorter with every step, so there is no circle.
    const now =
      original === undefined ? score : Math.max(0, Math.min(score * COPY, scoreOf(original) - STEP));
    settled.set(path, now);
    return now;
  };
  for (const path of scores.keys()) scoreOf(path);
  return settled;
}
