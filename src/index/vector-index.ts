import type { HitSource, LexicalQuery, ListFilter, PathFilter } from './note-index.ts';

/**
 * The vector part of the index port: passages of notes, their vectors by model, and the models. Like the whole
 * index it can be rebuilt from the notes. A reader serves searches; one writer at a time, the embedding job,
 * fills it.
 *
 * Notes are identified by the index's ids, as there are hundreds of thousands of vectors. An id is positive and
 * never reused for another note.
 */

/** A passage of a note that is embedded as one vector. */
export interface PassageRecord {
  /** Offsets in the note's text of the stored `etag`, UTF-16 code units; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  /** 1-based line of the start. */
  readonly line: number;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
}

export interface VectorModelRecord {
  /** Never reused, not even when a model with this id is added again. */
  readonly number: number;
  /** Identifies everything the vectors depend on: provider, model, version of the chunker. */
  readonly id: string;
  readonly kind: 'statistical' | 'neural';
  readonly dimensions: number;
  /** `building` until all notes have vectors for the first time; searches use `active` models only. */
  readonly state: 'building' | 'active';
  /** Number of passages when the model was added or activated, and of new passages since: the drift. */
  readonly passages: number;
  readonly changed: number;
}

export interface VectorStatus {
  readonly models: readonly VectorModelRecord[];
  /** Number of files with text to embed. */
  readonly notes: number;
}

/**
 * A note's vectors in one model: `count` rows of `dimensions` int8 components, each row to be multiplied by its
 * scale.
 */
export interface StoredVectors {
  readonly note: number;
  readonly count: number;
  readonly bytes: Int8Array;
  readonly scales: Float32Array;
}

/** A position in {@link VectorIndexReader.changes}. */
export interface VectorPosition {
  readonly put: number;
  readonly removed: number;
}

export interface VectorChanges {
  readonly put: readonly StoredVectors[];
  readonly removed: readonly number[];
  readonly position: VectorPosition;
  /** False when there are more changes after the position. */
  readonly complete: boolean;
}

/** A note with its lexical score. */
export interface WordScore {
  readonly note: number;
  /** Higher is better, unbounded. */
  readonly score: number;
}

/** The data from which a hit is described, with the passages that were embedded. */
export interface EmbeddedSource extends HitSource {
  /** Empty when the text has changed since it was embedded. */
  readonly passages: readonly PassageRecord[];
  /** Number of terms per passage that the given model knows; empty when the note has no vectors in it. */
  readonly lengths: readonly number[];
}

/**
 * The reading side. Every method may throw LecternError `unavailable` when the index cannot be used and
 * `internal` for an unexpected failure.
 */
export interface VectorIndexReader {
  /** A number that changes whenever the index may have changed. */
  version(): Promise<number>;
  status(): Promise<VectorStatus>;
  /** Number of notes that have vectors in a model. */
  embedded(model: string): Promise<number>;
  /** The stored data of a statistical model; undefined for unknown and neural models. */
  modelData(id: string): Promise<Uint8Array | undefined>;
  /**
   * The paths a statistical model was trained on. A caller who may not see all of them must not get its
   * results.
   */
  teachers(id: string): Promise<readonly string[]>;
  /** Vectors put and notes removed after a position, oldest first; {@link VECTOR_START} gives all. */
  changes(model: string, after: VectorPosition, limit: number): Promise<VectorChanges>;
  /** The best notes by the scores of {@link NoteIndexReader.lexical}, as ids without a total. */
  lexical(query: LexicalQuery, limit: number, visible?: PathFilter): Promise<readonly WordScore[]>;
  /** Hit sources by id; unknown ids are left out. @param model the model of `lengths` */
  sources(notes: readonly number[], model: string | undefined): Promise<ReadonlyMap<number, EmbeddedSource>>;
  /** Ids by exact path; unknown paths are left out. */
  notesAt(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Paths and titles by id; unknown ids are left out. */
  files(notes: readonly number[]): Promise<ReadonlyMap<number, { path: string; title: string }>>;
  /** See {@link NoteIndexReader.loadAhead}. */
  loadAhead(): Promise<boolean>;
  /** Ids of the notes that pass the filter and are visible; undefined when neither restricts them. */
  allowed(filter: ListFilter, visible?: PathFilter): Promise<ReadonlySet<number> | undefined>;
  close(): Promise<void>;
}

/** The position before all changes. */
export const VECTOR_START: VectorPosition = { put: 0, removed: 0 };

/** A note to embed. */
export interface EmbeddableNote {
  readonly note: number;
  readonly path: string;
  readonly title: string;
  readonly etag: string;
  readonly text: string;
}

/**
 * The vectors of one note in one model. The arrays are parallel to `passages`; `bytes` has one row per passage.
 */
export interface NoteEmbedding {
  readonly note: number;
  /** The etag of the embedded text, and the title it was embedded with. */
  readonly etag: string;
  readonly title: string;
  readonly passages: readonly PassageRecord[];
  /** Hash of each passage's embedded text, 16 hexadecimal digits; an unchanged passage keeps its vector. */
  readonly hashes: readonly string[];
  readonly bytes: Int8Array;
  readonly scales: Float32Array;
  /** Number of terms per passage that the model knows; undefined for neural models. */
  readonly lengths?: readonly number[];
}

/**
 * The writing side, synchronous, for the indexer's worker thread. Every call is one short transaction.
 * `activate`, `pending` and `put` throw LecternError `not_found` for an unknown model.
 */
export interface VectorIndexWriter {
  /** All models, active or building, oldest first. */
  models(): readonly VectorModelRecord[];
  /** See {@link VectorIndexReader.modelData}. @param most most bytes from the start; all by default */
  modelData(id: string, most?: number): Uint8Array | undefined;
  /** See {@link VectorIndexReader.teachers}. */
  teachers(id: string): readonly string[];
  /** Adds a model as `building`; an existing one with the same id is dropped. */
  addModel(
    model: Pick<VectorModelRecord, 'id' | 'kind' | 'dimensions' | 'passages'>,
    data: Uint8Array | undefined,
    teachers?: readonly string[],
  ): void;
  /**
   * Makes a model the one that searches use, and drops the others of its kind. Its drift starts at zero.
   *
   * @param teaches whether the passages of a path are counted
   */
  activate(id: string, teaches?: (path: string) => boolean): void;
  /** Drops a model; searches stop using it at once, and {@link purge} deletes its rows. */
  drop(id: string): void;
  /** Deletes up to `limit` rows of dropped models. @returns false when there is nothing left to delete */
  purge(limit: number): boolean;
  /** Sequence number of the latest change to the index. */
  sequence(): number;
  /**
   * Ids of the notes whose vectors are missing or of another text or title, most recently modified first.
   *
   * @param since restricts them to notes that changed after this {@link sequence}, which avoids a scan of all
   *   notes
   */
  pending(model: string, since?: number): readonly number[];
  /**
   * All files with text, in pseudo-random order by a hash of the path, so that any part is a fair sample. The
   * order of two notes does not depend on the others.
   */
  mixed(): readonly { readonly note: number; readonly path: string }[];
  /** Texts of notes, in any order; unknown ids are left out. */
  texts(notes: readonly number[]): readonly EmbeddableNote[];
  /** The stored vectors of a note by passage hash, for reuse where the text is unchanged. */
  known(model: string, note: number): ReadonlyMap<string, { bytes: Int8Array; scale: number }>;
  /** Stores embeddings. @param changed number of new passages, added to the drift */
  put(model: string, embeddings: readonly NoteEmbedding[], changed: number): void;
  /** Claims the embedding job for `forMs` milliseconds. @returns false when another owner holds it */
  claim(owner: string, forMs: number): boolean;
  /** Ends the owner's claim. */
  release(owner: string): void;
  close(): void;
}
