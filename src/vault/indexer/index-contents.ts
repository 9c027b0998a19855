import type { IndexInput, NoteIndexWriter } from '../../index/note-index.ts';
import type { StoreEntry } from '../../stores/store.ts';
import type { VaultChange } from '../events.ts';
import type { ProblemList } from './problem-list.ts';
import type { Digest } from './read-digests.ts';
import type { Known } from './reconcile.ts';

/** What the index holds, and the one way in which files come into it and go. */
export class IndexContents {
  readonly #writer: NoteIndexWriter;
  readonly #problems: ProblemList;
  readonly #onChanges: (changes: readonly VaultChange[]) => void;
  #known: Map<string, Known> = new Map();
  #epoch = '';
  /** What the process before left to tidy is not known. */
  #untidy = true;

  constructor(
    writer: NoteIndexWriter,
    problems: ProblemList,
    onChanges: (changes: readonly VaultChange[]) => void,
  ) {
    this.#writer = writer;
    this.#problems = problems;
    this.#onChanges = onChanges;
    this.#learn();
  }

  /** Every file in the index by its path. */
  get known(): ReadonlyMap<string, Known> {
    return this.#known;
  }

  /** Upkeep may be worth its time. */
  get isUntidy(): boolean {
    return this.#untidy;
  }

  /** See {@link NoteIndexWriter.isComplete}. */
  get isComplete(): boolean {
    return this.#writer.isComplete();
  }

  markComplete(): void {
    this.#writer.markComplete();
  }

  /** A step of the index's upkeep. */
  tidy(): void {
    this.#untidy = this.#writer.tidy?.() ?? false;
  }

  /** What others have left to do is this process's from now on. */
  takeOver(): void {
    this.#writer.takeOver?.();
    this.#untidy = true;
  }

  /** Another process may have made the index start over, and left before it was filled again. */
  refresh(): void {
    if (this.#writer.epoch() !== this.#epoch) this.#learn();
  }

  /** Each file counts as changed from now on. */
  forgetVersions(): void {
    for (const [path, known] of this.#known)
      this.#known.set(path, { ...known, version: '', etag: undefined });
  }

  /** Files as they were read; those with the bytes that are indexed already only get their new version. */
  index(digests: readonly Digest[]): void {
    const upserts: IndexInput[] = [];
    const touched: StoreEntry[] = [];
    for (const { input, problem } of digests) {
      const { entry, etag } = input;
      this.#problems.found(entry.path, problem);
      const known = this.#known.get(entry.path);
      if (known?.etag !== undefined && known.etag === etag) touched.push(entry);
      else if (known?.version === entry.version && etag === undefined) continue;
      else upserts.push({ ...input, problem });
    }
    if (touched.length > 0) {
      this.#writer.touch(touched);
      for (const entry of touched)
        this.#known.set(entry.path, { version: entry.version, etag: this.#known.get(entry.path)?.etag });
    }
    this.apply(upserts, []);
  }

  apply(upserts: readonly IndexInput[], removals: readonly string[]): void {
    if (upserts.length === 0 && removals.length === 0) return;
    this.#writer.apply(upserts, removals);
    this.#untidy = true;
    const changes: VaultChange[] = [];
    for (const path of removals) {
      this.#known.delete(path);
      this.#problems.found(path, undefined);
      changes.push({ kind: 'removed', path, etag: undefined });
    }
    for (const { entry, etag } of upserts) {
      const before = this.#known.get(entry.path);
      this.#known.set(entry.path, { version: entry.version, etag });
      changes.push({ kind: before ? 'modified' : 'created', path: entry.path, etag });
    }
    this.#onChanges(changes);
  }

  #learn(): void {
    this.#epoch = this.#writer.epoch();
    this.#known = new Map(this.#writer.known());
    this.#problems.remember(this.#writer.problems());
  }
}
