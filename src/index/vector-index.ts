import type { HitSource, LexicalQuery, ListFilter, PathFilter } from './note-index.ts';

/**
 * The vector half of the index port: passages of notes, their vectors by model, and the models
 * themselves. Like everything in the index it can be rebuilt from the notes. A reader serves searches;
 * one writer at a time (the embedding job, next to the indexer) fills it.
 *
 * Notes are named by the index's own numbers here, because vectors are held by the hundred thousand:
 * opaque, positive, never used again for another note.
 */
export interface PassageRecord {
  /** UTF-16 offsets into the note's text, as of the `etag` stored with it. */
  readonly start: number;
  readonly end: number;
  /** 1-based. */
  readonly line: number;
  /** Outermost first. */
  readonly headings: readonly string[];
}

export interface VectorModelRecord {
  /** Never used again, also when a model of this id starts over. */
  readonly number: number;
  /** Names everything that changes the vectors: provider, model, version of the chunker. */
  readonly id: string;
  readonly kind: 'statistical' | 'neural';
  readonly dimensions: number;
  /** `building` until every note has vectors for the first time; searches use `active` models only. */
  readonly state: 'building' | 'active';
  /** Passages there were when the model was learned, and passages written since: the drift. */
  readonly passages: number;
  readonly changed: number;
}

export interface VectorStatus {
  readonly models: readonly VectorModelRecord[];
  /** Notes that have text to embed. */
  readonly notes: number;
}

/** A note's vectors in one model: `count` rows of int8, to be multiplied by their scale. */
export interface StoredVectors {
  readonly note: number;
  readonly count: number;
  readonly bytes: Int8Array;
  readonly scales: Float32Array;
}

/** Where a reader of {@link VectorIndexReader.changes} has got to. */
export interface VectorPosition {
  readonly put: number;
  readonly removed: number;
}

export interface VectorChanges {
  readonly put: readonly StoredVectors[];
  readonly removed: readonly number[];
  readonly position: VectorPosition;
  /** False when there is more behind the position. */
  readonly complete: boolean;
}

/** A note that the words of a query propose. */
export interface WordScore {
  readonly note: number;
  /** Higher is better, unbounded. */
  readonly score: number;
}

/** What a hit is described from, with what was stored when the note was embedded. */
export interface EmbeddedSource extends HitSource {
  /** Empty when the text is another by now. */
  readonly passages: readonly PassageRecord[];
  /** Of each passage, how many terms the model asked for knows; empty when the note is not of that model. */
  readonly lengths: readonly number[];
}

export interface VectorIndexReader {
  /** Another number whenever anything in the index may have changed. */
  version(): Promise<number>;
  status(): Promise<VectorStatus>;
  /** Notes with vectors in a model that is still building. */
  embedded(model: string): Promise<number>;
  /** What a statistical model was stored as; undefined for unknown and neural ones. */
  modelData(id: string): Promise<Uint8Array | undefined>;
  /** The paths a statistical model was learned from: who may not see them all is not to be told what they taught it. */
  teachers(id: string): Promise<readonly string[]>;
  /** Vectors put and notes removed behind a position, oldest first; {@link VECTOR_START} for all. */
  changes(model: string, after: VectorPosition, limit: number): Promise<VectorChanges>;
  /** The best notes by their words, as {@link NoteIndexReader.lexical} scores them; not counted, not described. */
  lexical(query: LexicalQuery, limit: number, visible?: PathFilter): Promise<readonly WordScore[]>;
  /** @param model the statistical model that counted the passages */
  sources(notes: readonly number[], model: string | undefined): Promise<ReadonlyMap<number, EmbeddedSource>>;
  /** Unknown paths are left out. */
  notesAt(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
  files(notes: readonly number[]): Promise<ReadonlyMap<number, { path: string; title: string }>>;
  /** As {@link NoteIndexReader.loadAhead}. */
  loadAhead(): Promise<boolean>;
  /** Notes that pass the filter and that the caller may see; undefined when that is all of them. */
  allowed(filter: ListFilter, visible?: PathFilter): Promise<ReadonlySet<number> | undefined>;
  close(): Promise<void>;
}

export const VECTOR_START: VectorPosition = { put: 0, removed: 0 };

/** What of a note is embedded. */
export interface EmbeddableNote {
  readonly note: number;
  readonly path: string;
  readonly title: string;
  readonly etag: string;
  readonly text: string;
}

export interface NoteEmbedding {
  readonly note: number;
  /** Of the text that was embedded, and the title it was embedded with. */
  readonly etag: string;
  readonly title: string;
  readonly passages: readonly PassageRecord[];
  /** Of each passage's embedded text: an unchanged one keeps its vector. */
  readonly hashes: readonly string[];
  readonly bytes: Int8Array;
  readonly scales: Float32Array;
  /** How many terms of each passage the model knows; none for neural models. */
  readonly lengths?: readonly number[];
}

/** Synchronous: it lives in the indexer's worker thread. Every call is one short transaction. */
export interface VectorIndexWriter {
  /** Those in use or being filled, oldest first. */
  models(): readonly VectorModelRecord[];
  /** @param most bytes of it; all by default */
  modelData(id: string, most?: number): Uint8Array | undefined;
  /** As {@link VectorIndexReader.teachers}. */
  teachers(id: string): readonly string[];
  /** Records a model as `building`; one of the same id starts over. */
  addModel(
    model: Pick<VectorModelRecord, 'id' | 'kind' | 'dimensions' | 'passages'>,
    data: Uint8Array | undefined,
    teachers?: readonly string[],
  ): void;
  /**
   * Makes a model the one that searches use, and drops the others of its kind. What it was filled with
   * counts as known: the drift begins at zero.
   * @param teaches whose passages are counted
   */
  activate(id: string, teaches?: (path: string) => boolean): void;
  /** Searches forget a dropped model at once; its rows go bit by bit with {@link purge}. */
  drop(id: string): void;
  /** Deletes some rows of dropped models. @returns false when there is nothing left to delete */
  purge(limit: number): boolean;
  /** Number of the latest change to the index. */
  sequence(): number;
  /**
   * Notes whose vectors are missing, older than their text or of another title, most recently changed first.
   * @param since only notes whose text or path changed behind this {@link sequence}: spares looking at all of them
   */
  pending(model: string, since?: number): readonly number[];
  /**
   * Every note with text, in an order that mixes the vault: any stretch of it is a fair sample. Two notes stand in
   * the same order whatever others there are.
   */
  mixed(): readonly { readonly note: number; readonly path: string }[];
  /** Texts of notes, in any order; notes that have gone are left out. */
  texts(notes: readonly number[]): readonly EmbeddableNote[];
  /** Vectors by passage hash that a note has now, to be kept where the text is the same. */
  known(model: string, note: number): ReadonlyMap<string, { bytes: Int8Array; scale: number }>;
  /** @param changed how many passages were not there before: they add to the drift */
  put(model: string, embeddings: readonly NoteEmbedding[], changed: number): void;
  /** True when this owner has the job for the next `forMs`; another process has it otherwise. */
  claim(owner: string, forMs: number): boolean;
  release(owner: string): void;
  close(): void;
}
