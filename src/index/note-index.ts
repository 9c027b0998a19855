import type { FileCondition } from '../notes/file-condition.ts';
import type { ParsedNote } from '../notes/model.ts';
import type { StoreEntry, StoreProblem } from '../stores/store.ts';

/**
 * The index port: everything Lectern knows about a vault that can be rebuilt from the notes.
 * A reader answers requests; one writer (in the indexer's worker thread) keeps it current.
 * The port speaks of paths, never of SQL or files, so that PostgreSQL can stand behind it.
 */

/** Which paths the caller may see. Filters inside every query, before limit and total. */
export interface PathFilter {
  /** Equal keys mean equal filters (caching). */
  readonly key: string;
  test(path: string): boolean;
  /**
   * What the caller may see, where this filter leaves out more than they may not: scores count what is in there.
   * Null: the caller may see everything. Left out: this filter is what they may see.
   */
  readonly view?: PathFilter | null;
  /** Nobody sees more: what the vault's own model learns from. */
  readonly common?: boolean;
}

/** What the caller of a filter may see; undefined = everything. */
export function viewOf(filter: PathFilter | undefined): PathFilter | undefined {
  return filter?.view === undefined ? filter : (filter.view ?? undefined);
}

export interface PageRequest {
  readonly limit: number;
  /** Opaque, from a previous answer of the same query. */
  readonly cursor?: string;
  readonly visible?: PathFilter;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Of the whole query, not of the page. */
  readonly total: number;
  readonly nextCursor: string | null;
}

export interface FileRecord {
  /** On-disk spelling. */
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

/** A note with what its store had of it. */
export interface StoredNote extends FileRecord, Pick<StoreEntry, 'id' | 'facts'> {
  readonly text: string;
}

/** One file of thousands: what is not looked at is not read. */
export type MatchingFile = Pick<
  NoteRecord,
  'path' | 'size' | 'mtimeMs' | 'birthtimeMs' | 'tags' | 'frontmatter'
>;

export interface LinkRecord {
  readonly source: string;
  /** Resolved file, or undefined when the link leads nowhere. */
  readonly target: string | undefined;
  /** Path part as meant (decoded), and the subpath with its `#`. */
  readonly written: string;
  readonly subpath: string;
  readonly display: string | undefined;
  readonly syntax: 'wiki' | 'markdown' | 'reference' | 'block-ref' | 'tag-ref' | 'canvas';
  readonly embed: boolean;
  readonly property: string | undefined;
  /** 1-based; 0 for canvas nodes. */
  readonly line: number;
  /** The line's text, trimmed and cut to 300 characters; for a canvas node its text or file. */
  readonly context: string;
  /** More than one file matches the written target equally by Obsidian's rules. */
  readonly ambiguous: boolean;
}

export interface UnresolvedRecord {
  readonly written: string;
  readonly count: number;
  /** A few places, first ones first. */
  readonly sources: readonly { path: string; line: number }[];
}

export interface TagRecord {
  /** As first written in the vault, without `#`. */
  readonly tag: string;
  /** Notes with exactly this tag, and with it or a nested one. */
  readonly notes: number;
  readonly notesNested: number;
}

/** What lies directly in a folder; `''` = the top of the vault. */
export interface FolderCount {
  readonly path: string;
  readonly notes: number;
  readonly files: number;
}

export interface ListFilter {
  readonly pathGlob?: string;
  /** Exact or nested, case-insensitive, without `#`. All must match. */
  readonly tags?: readonly string[];
  /** Property name (case-insensitive) → expected value; lists match when they contain it; `null` = exists but empty. */
  readonly frontmatter?: Readonly<Record<string, unknown>>;
  readonly kinds?: readonly StoreEntry['kind'][];
  /** What else must hold, as far as an index can tell: more files may come than those for which it does. */
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
  /** Higher is better, unbounded; calibration is the ranking's business. */
  readonly score: number;
  readonly mtimeMs: number;
}

/** What a hit is described from. */
export interface HitSource {
  readonly path: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** The text the hit was computed from, and its etag; empty for a file without text. */
  readonly text: string;
  readonly etag: string | undefined;
}

/** One word or phrase of a parsed query: the tokens in order, the last one perhaps a prefix. */
export interface LexicalTerm {
  readonly text: string;
  readonly phrase: boolean;
  readonly prefix: boolean;
  /** Restricts to fields. */
  readonly fields?: readonly ('title' | 'alias' | 'path' | 'heading' | 'tag' | 'body')[];
}

/** AND of `required`, OR of `optional` for rank, none of `excluded`. */
export interface LexicalQuery {
  readonly required: readonly LexicalTerm[];
  readonly optional: readonly LexicalTerm[];
  readonly excluded: readonly LexicalTerm[];
  readonly filter?: ListFilter;
}

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

/** The names of all files as the index has them now. */
export interface FileNames {
  /** Paths of the files whose last segment has this key, in a few microseconds. */
  byName(nameKey: string): readonly string[];
}

export interface NoteIndexReader {
  /** Whether the index has held the whole vault once, so that it can answer while files are compared with it. */
  isComplete(): Promise<boolean>;
  counts(visible?: PathFilter): Promise<IndexCounts>;
  /** By exact path, else by NFC key. */
  file(path: string): Promise<FileRecord | undefined>;
  note(path: string): Promise<NoteRecord | undefined>;
  /** Files whose last segment has this key (`notes/path` `nameKey`): what link resolution starts from. */
  filesNamed(nameKey: string): Promise<readonly string[]>;
  /**
   * The same for every name, at hand: resolving the links of thousands of notes cannot wait in the middle of each. An
   * engine in this process looks names up as they are asked for; one elsewhere loads them first.
   */
  names(): Promise<FileNames>;
  /** Logseq: `pathKey` of each `title::` and `alias::` → the pages that carry it. Empty in other dialects. */
  pageNames(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Paths by id, where the store has ids or the notes state them. */
  fileIds(): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Files (notes, canvases) with a link whose name could mean one of these paths, resolved or not. */
  linkSources(paths: readonly string[]): Promise<readonly string[]>;
  /** Paths near a mistyped one, best first. */
  suggest(path: string, limit: number, visible?: PathFilter): Promise<readonly string[]>;
  /** Paths that start with or contain what was typed so far, for completion. */
  complete(partial: string, limit: number, visible?: PathFilter): Promise<readonly string[]>;
  /**
   * Paths of notes and canvases whose name may be that of a copy which a sync program made (`conflict` in it, a number or a
   * computer's name at its end); `formats/conflict-copy` tells which are.
   */
  namesLikeCopies(visible?: PathFilter): Promise<readonly string[]>;
  list(filter: ListFilter, sort: ListSort, page: PageRequest): Promise<Page<NoteRecord>>;
  /**
   * Every file that a filter lets through, notes only unless it names kinds, in batches that yield to the event loop. Which files they are is settled when
   * the first is asked for.
   */
  matching(filter: ListFilter, sort: ListSort, visible?: PathFilter): AsyncIterable<readonly NoteRecord[]>;
  /** The same, with what queries over all notes look at: half the work. */
  facts(filter: ListFilter, sort: ListSort, visible?: PathFilter): AsyncIterable<readonly MatchingFile[]>;
  /** Folders in which visible files lie, each with those directly in it; in order of their paths, folders that hold only folders left out. */
  folders(visible?: PathFilter): Promise<readonly FolderCount[]>;
  backlinks(path: string, page: PageRequest): Promise<Page<LinkRecord>>;
  /** Paths of the files that have such links, in order. */
  backlinkSources(path: string, visible?: PathFilter): Promise<readonly string[]>;
  forward(path: string, page: PageRequest): Promise<Page<LinkRecord>>;
  unresolved(page: PageRequest): Promise<Page<UnresolvedRecord>>;
  /** Notes with no resolved link in or out (links to self do not count). */
  orphans(page: PageRequest): Promise<Page<NoteRecord>>;
  tags(page: PageRequest & { prefix?: string }): Promise<Page<TagRecord>>;
  tagNotes(tag: string, page: PageRequest): Promise<Page<NoteRecord>>;
  lexical(query: LexicalQuery, page: PageRequest): Promise<Page<LexicalHit>>;
  /** By exact paths, in one look; what is not there is left out. */
  hitSources(paths: readonly string[]): Promise<ReadonlyMap<string, HitSource>>;
  /** A short step, for idle time, of what searches would load one by one. @returns false when nothing is left to do */
  loadAhead(): Promise<boolean>;
  /**
   * Indexed words that begin with `prefix`, most used first, as the index keeps them (folded, stemmed):
   * for typo tolerance. Of the whole vault whoever asks, in number and order too, so use them to form queries, never
   * to show.
   */
  vocabulary?(prefix: string, limit: number): Promise<readonly { word: string; notes: number }[]>;
  /** The text the hits were computed from: snippets never disagree with the index. */
  text(path: string): Promise<IndexedText | undefined>;
  /** A note as its store had it when it was indexed, found like {@link file}; undefined for another file. */
  stored(path: string): Promise<StoredNote | undefined>;
  /** Every indexed note with its text, in path order, in batches that yield to the event loop: for regex and line-scoped operators. */
  scan(filter: ListFilter, visible?: PathFilter): AsyncIterable<{ path: string; text: string }>;
  /** Files changed since a point, oldest first, all of one state of the index; without a point none. */
  changesSince(point: ChangePoint | undefined, limit: number): Promise<IndexChanges>;
  close(): Promise<void>;
}

/** A place in the order of changes. */
export interface ChangePoint {
  /** Of the index: another one counts from the beginning. */
  readonly epoch: string;
  readonly sequence: number;
}

export interface IndexChanges {
  /** The newest there is. */
  readonly newest: ChangePoint;
  /** Each file once, with its last change; none when the point given is of another index. */
  readonly rows: readonly {
    readonly sequence: number;
    readonly path: string;
    readonly removed: boolean;
    readonly etag: string | undefined;
  }[];
}

/** What the writer takes in for one file. `parsed` only for notes; `canvas` links arrive as `links`. */
export interface IndexInput {
  readonly entry: StoreEntry;
  readonly etag: string | undefined;
  readonly parsed?: ParsedNote;
  /** Links from a canvas (file nodes and text nodes). */
  readonly links?: readonly CanvasLink[];
  /** Searchable text of a canvas. */
  readonly text?: string;
  /** What people should be told about it: why only the name was taken in, or not the properties. */
  readonly problem?: StoreProblem | undefined;
  /** What the adapter's own preparation made of the facts above, in another thread perhaps; they may be left out then. */
  readonly prepared?: object;
}

export interface CanvasLink {
  readonly target: string;
  readonly subpath: string;
  readonly display: string | undefined;
  readonly embed: boolean;
  readonly context: string;
}

/**
 * The one writer of an index. Every method answers when the engine behind it has done the work, in this process or
 * elsewhere; calls are not made while another one is under way.
 */
export interface NoteIndexWriter {
  /** Another one when the index started over, whichever process made it do so. */
  epoch(): Promise<string>;
  /** What is indexed now, for reconciling: path → version token and etag. */
  known(): Promise<ReadonlyMap<string, { version: string; etag: string | undefined }>>;
  /** See {@link NoteIndexReader.isComplete}. */
  isComplete(): Promise<boolean>;
  /** The index agrees with the store at this moment. */
  markComplete(): Promise<void>;
  /** What was said of files when they were taken in: who finds them unchanged has nothing else to tell it by. */
  problems(): Promise<readonly StoreProblem[]>;
  /** One transaction: upserts, removals, and every link whose resolution changed because of them. */
  apply(upserts: readonly IndexInput[], removals: readonly string[]): Promise<void>;
  /**
   * Around the `apply` calls of a first build: links are resolved and tags counted once, at the end.
   * Until then links lead nowhere. What a crash leaves undone the next writer does.
   */
  beginBulk(): Promise<void>;
  endBulk(): Promise<void>;
  /** Finishes a first build that another process has left in the middle, where there is one. */
  takeOver(): Promise<void>;
  /** A short step of upkeep for idle time. @returns false when there is nothing to do */
  tidy(): Promise<boolean>;
  /** Only the change token moved (touch): no re-parse. */
  touch(entries: readonly StoreEntry[]): Promise<void>;
  close(): Promise<void>;
}
