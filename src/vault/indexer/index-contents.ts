import type { IndexInput, NoteIndexWriter } from '../../index/note-index.ts';
import type { StoreEntry } from '../../stores/store.ts';
import type { VaultChange } from '../events.ts';
import type { ProblemList } from './problem-list.ts';
import type { Digest } from './read-digests.ts';
import type { Known } from './reconcile.ts';

/** The contents of the index, and the only code that adds and removes its files. */
export class IndexContents {
  readonly #writer: NoteIndexWriter;
  readonly #problems: ProblemList;
  readonly #onChanges: (changes: readonly VaultChange[]) => void;
  #known: Map<string, Known> = new Map();
  #isComplete = false;
  #epoch = '';
  /** Whether the previous process left upkeep is unknown. */
  #untidy = true;

  constructor(
    writer: NoteIndexWriter,
    problems: ProblemList,
    onChanges: (changes: readonly VaultChange[]) => void,
  ) {
    this.#writer = writer;
    this.#problems = problems;
    this.#onChanges = onChanges;
  }

  /** Every file in the index by its path. */
  get known(): ReadonlyMap<string, Known> {
    return this.#known;
  }

  /** True when upkeep may be worthwhile. */
  get isUntidy(): boolean {
    return this.#untidy;
  }

  /** See {@link NoteIndexWriter.isComplete}. Valid after the index was opened. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  async markComplete(): Promise<void> {
    await this.#writer.markComplete();
    this.#isComplete = true;
  }

  /** Runs one step of the index's upkeep. */
  async tidy(): Promise<void> {
    this.#untidy = await this.#writer.tidy();
  }

  /** Takes over the upkeep that other processes left. */
  async takeOver(): Promise<void> {
    await this.#writer.takeOver();
    this.#untidy = true;
  }

  /**
   * Reads which files the index holds, first at the start and again after it was reset: another process may
   * have reset it and exited before filling it.
   * @returns whether the contents had to be read
   */
  async refresh(): Promise<boolean> {
    const epoch = await this.#writer.epoch();
    if (epoch === this.#epoch) return false;
    this.#epoch = epoch;
    this.#known = new Map(await this.#writer.known());
    this.#isComplete = await this.#writer.isComplete();
    this.#problems.remember(await this.#writer.problems());
    return true;
  }

  /** Treats every file as changed from now on. */
  forgetVersions(): void {
    for (const [path, known] of this.#known)
      this.#known.set(path, { ...known, version: '', etag: undefined });
  }

  /** Writes files that were read; those whose bytes are already indexed only get their new version token. */
  async index(digests: readonly Digest[]): Promise<void> {
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
      await this.#writer.touch(touched);
      for (const entry of touched)
        this.#known.set(entry.path, { version: entry.version, etag: this.#known.get(entry.path)?.etag });
    }
    await this.apply(upserts, []);
  }

  async apply(upserts: readonly IndexInput[], removals: readonly string[]): Promise<void> {
    if (upserts.length === 0 && removals.length === 0) return;
    await this.#writer.apply(upserts, removals);
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
}
