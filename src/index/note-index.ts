import type { FileCondition } from '../notes/file-condition.ts';
import type { ParsedNote } from '../notes/model.ts';
import type { StoreEntry, StoreProblem } from '../stores/store.ts';

/**
 * The index port: all data about a vault that can be rebuilt from the notes. A reader answers requests; one
 * writer, in the indexer's worker thread, keeps the index current. The port has paths and no SQL or files, so
 * that PostgreSQL can implement it. Paths are vault-relative, times are milliseconds since the epoch, sizes are
 * bytes.
 */

/** The paths that the caller may see. Every query applies it before its limit and total. */
export interface PathFilter {
  /** Cache key: equal keys mean equal filters. */
  readonly key: string;
  test(path: string): boolean;
  /**
   * The caller's own filter when this one also excludes paths that the caller may see; scores count the files
   * of the caller's filter. null = the caller may see everything; undefined = this filter is the caller's.
   */
  readonly view?: PathFilter | null;
  /**
   * True for the filter that applies to every caller; the vault's own embedding model learns from these files.
   */
  readonly common?: boolean;
}

/** The filter of what the caller may see; undefined = everything. */
export function viewOf(filter: PathFilter | undefined): PathFilter | undefined {
  return filter?.view === undefined ? filter : (filter.view ?? undefined);
}

/** One page of a query's results. */
export interface PageRequest {
  readonly limit: number;
  /** Opaque; from the previous page of the same query. */
  readonly cursor?: string;
  readonly visible?: PathFilter;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Number of results of the whole query. */
  readonly total: number;
  readonly nextCursor: string | null;
}

export interface FileRecord {
  /** In the store's spelling. */
  readonly path: string;
  readonly kind: StoreEntry['kind'];
  readonly title: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  /** undefined for attachments, which are not hashed. */
  readonly etag: string | undefined;
  readonly version: string;
}

export interface NoteRecord extends FileRecord {
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly words: number;
  readonly frontmatter: Readonly<Record<string, unknown>>;
}

/** A note as its store had it when it was indexed. */
export interface StoredNote extends FileRecord, Pick<StoreEntry, 'id' | 'facts'> {
  readonly text: string;
}

/** A matching file for queries over thousands of files; an implementation may read fields lazily. */
export type MatchingFile = Pick<
  NoteRecord,
  'path' | 'size' | 'mtimeMs' | 'birthtimeMs' | 'tags' | 'frontmatter'
>;

/** A link in a note or canvas, resolved among the files that the caller may see. */
export interface LinkRecord {
  readonly source: string;
  /** Path of the resolved file; undefined for an unresolved link. */
  readonly target: string | undefined;
  /** The decoded path part of the target, and the subpath with its `#`. */
  readonly written: string;
  readonly subpath: string;
  readonly display: string | undefined;
  readonly syntax: 'wiki' | 'markdown' | 'reference' | 'block-ref' | 'tag-ref' | 'canvas';
  readonly embed: boolean;
  readonly property: string | undefined;
  /** 1-based line; 0 for canvas nodes. */
  readonly line: number;
  /** The line's text, trimmed and cut to 300 characters; for a canvas node its text or file. */
  readonly context: string;
  /** More than one file matches the written target equally by Obsidian's rules. */
  readonly ambiguous: boolean;
}

/** The target of one or more unresolved links, in its first spelling. */
export interface UnresolvedRecord {
  readonly written: string;
  readonly count: number;
  /** The first few occurrences, by path and position. */
  readonly sources: readonly { path: string; line: number }[];
}

export interface TagRecord {
  /** Without `#`, in the spelling of the first note by path. */
  readonly tag: string;
  /** Number of notes with exactly this tag, and with it or a nested tag. */
  readonly notes: number;
  readonly notesNested: number;
}

/** The number of files directly in a folder; `''` = the vault root. */
export interface FolderCount {
  readonly path: string;
  readonly notes: number;
  readonly files: number;
}

export interface ListFilter {
  readonly pathGlob?: string;
  /** Tags without `#`, matched with their nested tags and ignoring case. All must match. */
  readonly tags?: readonly string[];
  /**
   * Property name, ignoring case → value; a list matches when it contains the value; `null` = exists but empty.
   */
  readonly frontmatter?: Readonly<Record<string, unknown>>;
  readonly kinds?: readonly StoreEntry['kind'][];
  /**
   * A further condition. The index may test it approximately: files may match that do not meet it, never the
   * reverse.
   */
  readonly where?: FileCondition;
}

export type ListSort =
  | 'path'
  | '-path'
  | 'mtime'
  | '-mtime'
  | 'ctime'
  | '-ctime'
  | 'title'
  | '-title'
  | 'size'
  | '-size';

export interface LexicalHit {
  readonly path: string;
  readonly title: string;
  readonly aliases: readonly string[];
  /** BM25 score; higher is better, unbounded. The search room calibrates it. */
  readonly score: number;
  readonly mtimeMs: number;
}

/** The data from which a search hit is described. */
export interface HitSource {
  readonly path: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** The indexed text and its etag; empty and undefined for a file without text. */
  readonly text: string;
  readonly etag: string | undefined;
}

/** One word or phrase of a parsed query. */
export interface LexicalTerm {
  readonly text: string;
  readonly phrase: boolean;
  /** Whether the last word also matches as a prefix. */
  readonly prefix: boolean;
  /** Searches these fields only; all when undefined. */
  readonly fields?: readonly ('title' | 'alias' | 'path' | 'heading' | 'tag' | 'body')[];
}

/** All of `required` and none of `excluded` must match; `optional` terms raise the score. */
export interface LexicalQuery {
  readonly required: readonly LexicalTerm[];
  readonly optional: readonly LexicalTerm[];
  readonly excluded: readonly LexicalTerm[];
  readonly filter?: ListFilter;
}

/** Totals of the index; `links` includes the unresolved ones, `words` and `bytes` are those of notes. */
export interface IndexCounts {
  readonly notes: number;
  readonly files: number;
  readonly links: number;
  readonly unresolved: number;
  readonly tags: number;
  readonly words: number;
  readonly bytes: number;
}

export interface IndexedText {
  readonly text: string;
  readonly etag: string;
}

/** Synchronous access to the names of all files. */
export interface FileNames {
  /** Paths of the files whose last segment has this `nameKey`; takes a few microseconds. */
  byName(nameKey: string): readonly string[];
}

/**
 * The reading side. Every method may throw LecternError `unavailable` when the index cannot be used and
 * `internal` for an unexpected failure; one with a page throws `invalid_input` for a cursor of another query,
 * one with a list filter for a glob that is too long, one with a sort for an unknown order.
 */
export interface NoteIndexReader {
  /**
   * Whether the index once held the whole vault, so that it can answer while it is reconciled with the store.
   */
  isComplete(): Promise<boolean>;
  counts(visible?: PathFilter): Promise<IndexCounts>;
  /** The file with this exact path, or else one whose path differs in Unicode form or case only. */
  file(path: string): Promise<FileRecord | undefined>;
  /** Found like {@link file}; undefined for a file that is no note. */
  note(path: string): Promise<NoteRecord | undefined>;
  /** Paths of the files whose last segment has this key (`nameKey` of `notes/path`), for resolving links. */
  filesNamed(nameKey: string): Promise<readonly string[]>;
  /**
   * Synchronous look-up of names, for resolving the links of thousands of notes. An engine in this process
   * looks each name up on demand; a remote engine loads all names first.
   */
  names(): Promise<FileNames>;
  /**
   * In Logseq `pathKey` of each `title::` and `alias::` → paths of the pages with it; empty in other dialects.
   */
  pageNames(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Id → paths, for ids of the store or stated in notes. */
  fileIds(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Notes and canvases with a link whose name could refer to one of these paths, resolved or not. */
  linkSources(paths: readonly string[]): Promise<readonly string[]>;
  /** Note paths similar to a mistyped one, best first. */
  suggest(path: string, limit: number, visible?: PathFilter): Promise<readonly string[]>;
  /** Note paths that start with or contain `partial`, for completion. */
  complete(partial: string, limit: number, visible?: PathFilter): Promise<readonly string[]>;
  /**
   * Paths of notes and canvases whose name may be that of a sync program's conflict copy: it contains `conf`,
   * or ends with a number or a computer's name. `formats/conflict-copy` decides which are.
   */
  namesLikeCopies(visible?: PathFilter): Promise<readonly string[]>;
  list(filter: ListFilter, sort: ListSort, page: PageRequest): Promise<Page<NoteRecord>>;
  /**
   * All files that pass a filter, notes only unless it names kinds, in batches between which other work can
   * run. The set of files is fixed when the first batch is requested.
   */
  matching(filter: ListFilter, sort: ListSort, visible?: PathFilter): AsyncIterable<readonly NoteRecord[]>;
  /** The same with the fields that queries over all notes use; takes half the time. */
  facts(filter: ListFilter, sort: ListSort, visible?: PathFilter): AsyncIterable<readonly MatchingFile[]>;
  /** The folders that directly contain visible files, with their counts, in path order. */
  folders(visible?: PathFilter): Promise<readonly FolderCount[]>;
  /** Links to a file from any file, ordered by source path and position. */
  backlinks(path: string, page: PageRequest): Promise<Page<LinkRecord>>;
  /** Paths of the files with such links, in path order. */
  backlinkSources(path: string, visible?: PathFilter): Promise<readonly string[]>;
  /** The links in a file, in source order. */
  forward(path: string, page: PageRequest): Promise<Page<LinkRecord>>;
  /** Targets of unresolved links, most frequent first. */
  unresolved(page: PageRequest): Promise<Page<UnresolvedRecord>>;
  /** Notes without resolved links to or from other files, in path order. */
  orphans(page: PageRequest): Promise<Page<NoteRecord>>;
  /** Tags, most used first. */
  tags(page: PageRequest & { prefix?: string }): Promise<Page<TagRecord>>;
  /** Notes with a tag or a nested one, in path order. */
  tagNotes(tag: string, page: PageRequest): Promise<Page<NoteRecord>>;
  /** Notes and canvases that match, best first. */
  lexical(query: LexicalQuery, page: PageRequest): Promise<Page<LexicalHit>>;
  /** Hit sources by exact path, in one query; unknown paths are left out. */
  hitSources(paths: readonly string[]): Promise<ReadonlyMap<string, HitSource>>;
  /**
   * Caches a few files that searches will need; one short step for idle time.
   *
   * @returns false when none is left
   */
  loadAhead(): Promise<boolean>;
  /**
   * Indexed words (folded, stemmed) that begin with `prefix`, most used first, for typo tolerance. They and
   * their counts include hidden notes, so use them to form queries and never show them.
   */
  vocabulary?(prefix: string, limit: number): Promise<readonly { word: string; notes: number }[]>;
  /** The indexed text of a file, so that snippets agree with hits; undefined for a file without text. */
  text(path: string): Promise<IndexedText | undefined>;
  /**
   * A note as its store had it when it was indexed, found like {@link file}; undefined for a file that is no
   * note.
   */
  stored(path: string): Promise<StoredNote | undefined>;
  /**
   * All matching notes with their text, in path order, for regular expressions and line-scoped operators. Other
   * work can run between batches.
   */
  scan(filter: ListFilter, visible?: PathFilter): AsyncIterable<{ path: string; text: string }>;
  /** Files changed since a point, oldest first, of one state of the index; none without a point. */
  changesSince(point: ChangePoint | undefined, limit: number): Promise<IndexChanges>;
  close(): Promise<void>;
}

/** A position in the sequence of changes. */
export interface ChangePoint {
  /** Identifies the index; sequence numbers of different epochs cannot be compared. */
  readonly epoch: string;
  readonly sequence: number;
}

export interface IndexChanges {
  /** The latest change. */
  readonly newest: ChangePoint;
  /** Each file once, with its last change; none when the given point is of another epoch. */
  readonly rows: readonly {
    readonly sequence: number;
    readonly path: string;
    readonly removed: boolean;
    readonly etag: string | undefined;
  }[];
}

/** The writer's input for one file; `parsed` is for notes, `links` and `text` for canvases. */
export interface IndexInput {
  readonly entry: StoreEntry;
  readonly etag: string | undefined;
  readonly parsed?: ParsedNote;
  /** Links from a canvas (file nodes and text nodes). */
  readonly links?: readonly CanvasLink[];
  /** Searchable text of a canvas. */
  readonly text?: string;
  /** A problem to report to the user: why only the name was indexed, or not the properties. */
  readonly problem?: StoreProblem | undefined;
  /**
   * The adapter's own precomputed data, possibly from another thread, which replaces `parsed`, `links` and
   * `text`.
   */
  readonly prepared?: object;
}

/** A link of a canvas; see `canvasLinks` of `formats/canvas/references`. */
export interface CanvasLink {
  readonly target: string;
  readonly subpath: string;
  readonly display: string | undefined;
  readonly embed: boolean;
  readonly context: string;
}

/**
 * The writing side. Every method resolves when the engine has done the work, in this process or elsewhere;
 * callers make one call at a time. Every method may throw LecternError `unavailable` or `internal`.
 */
export interface NoteIndexWriter {
  /** Identifies the index's content; it changes when any process has emptied the index. */
  epoch(): Promise<string>;
  /** The indexed files for reconciling: path → version token and etag. */
  known(): Promise<ReadonlyMap<string, { version: string; etag: string | undefined }>>;
  /** See {@link NoteIndexReader.isComplete}. */
  isComplete(): Promise<boolean>;
  /** Records that the index now agrees with the store. */
  markComplete(): Promise<void>;
  /**
   * The problems of the indexed files, so that reconciling need not read unchanged files to report them again.
   */
  problems(): Promise<readonly StoreProblem[]>;
  /** Writes upserts, removals, and every link whose resolution they change, in one transaction. */
  apply(upserts: readonly IndexInput[], removals: readonly string[]): Promise<void>;
  /**
   * Encloses the `apply` calls of a first build with {@link endBulk}, which resolves links and counts tags
   * once. Until then links have no target. After a crash the next writer does this.
   */
  beginBulk(): Promise<void>;
  endBulk(): Promise<void>;
  /** Finishes a first build that another process left incomplete, if there is one. */
  takeOver(): Promise<void>;
  /** One short step of maintenance for idle time. @returns false when there is nothing to do */
  tidy(): Promise<boolean>;
  /** Stores new sizes, times and version tokens of files whose bytes are unchanged. */
  touch(entries: readonly StoreEntry[]): Promise<void>;
  close(): Promise<void>;
}
