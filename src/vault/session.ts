import type { ErrorCode } from '../errors.ts';
import type { CanvasQuery, CanvasView } from '../formats/canvas/view.ts';
import type {
  FileRecord,
  IndexCounts,
  LinkRecord,
  ListFilter,
  ListSort,
  MatchingFile,
  NoteRecord,
  Page,
  TagRecord,
  UnresolvedRecord,
} from '../index/note-index.ts';
import type { Refusal } from '../journal/journal.ts';
import type { Link } from '../notes/model.ts';
import type { NoteView } from '../notes/note-view.ts';
import type { EmbeddingState } from '../search/embed/embedding-state.ts';
import type { RelatedAnswer } from '../search/related.ts';
import type { SearchAnswer, SearchRequest } from '../search/types.ts';
import type { NoteFacts, StoreProblem } from '../stores/store.ts';

import type { Actor } from './actor.ts';
import type { Configuration } from './configuration.ts';
import type { ChangeListener } from './events.ts';
import type { FolderRecord } from './folder-record.ts';
import type { IdScheme, SessionIds } from './note-ids.ts';
import type { TaskRow } from './task-rows.ts';
import type { WritingSession } from './write/types.ts';

export type { Refusal } from '../journal/journal.ts';
export type { SearchAnswer, SearchHit, SearchRequest } from '../search/types.ts';
export type { Actor } from './actor.ts';
export type { TaskRow } from './task-rows.ts';

/** A failed call, for the audit log. */
export interface FailedCall {
  readonly tool: string;
  readonly code: ErrorCode | 'cancelled' | 'not_offered' | 'insufficient_scope';
  /** Whether it would have changed something. */
  readonly writes: boolean;
  /** The places it named: inputs by name, as the caller wrote them. */
  readonly paths?: Readonly<Record<string, string>>;
  /** The etag it was based on. */
  readonly before?: string;
}

/** Text sent to a language model, for the audit log: amounts, never the text. */
export interface SentToModel {
  readonly provider: string;
  readonly model: string;
  /** The model's address; undefined = the model of the connected client. */
  readonly host?: string;
  /** Notes whose text was sent. */
  readonly paths: readonly string[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly outcome: 'ok' | 'error' | 'cancelled';
}

export interface IndexState {
  /**
   * `building`: files are being indexed and answers lack the rest. `checking`: the previous run's index is
   * complete and answers, while the files are compared with it.
   */
  readonly state: 'building' | 'checking' | 'ready' | 'failed';
  readonly done: number;
  readonly total: number;
  readonly message: string | undefined;
}

/** Problems for the user: files that cannot be served or read in full, and copies made by sync programs. */
export interface VaultProblem {
  readonly path: string;
  readonly code: StoreProblem['code'] | 'sync_conflict';
  readonly message: string;
}

export interface VaultStatus {
  readonly name: string;
  readonly store: string;
  readonly location: string;
  /** Since when the server behind the store does not answer; undefined while it answers, and for a folder. */
  readonly awaySinceMs: number | undefined;
  readonly dialect: string;
  readonly readOnly: boolean;
  readonly index: IndexState;
  /** Progress of the vectors for search by meaning; undefined for a caller who may not see every embedded note. */
  readonly embedding: EmbeddingState | undefined;
  readonly counts: IndexCounts;
  readonly problems: { readonly total: number; readonly items: readonly VaultProblem[] };
}

export interface OpenedNote {
  /** On-disk spelling. */
  readonly path: string;
  readonly etag: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  readonly title: string;
  readonly parsed: NoteView;
  /** The store's own id, where it has ids. */
  readonly id?: string;
  /** Facts the store keeps beside the text, where it does. */
  readonly facts?: NoteFacts;
  /**
   * Set when the caller's spelling was not the path: `case`, `extension`, `name` (unique base name), `page`
   * (Logseq's page name).
   */
  readonly resolvedBy: 'exact' | 'case' | 'extension' | 'name' | 'page';
  /** For a copy made by a sync program, the path of the original. */
  readonly copyOf?: string;
}

/** Information about a path. */
export interface Existence {
  readonly exists: boolean;
  /** On-disk spelling. */
  readonly path: string | undefined;
  readonly kind: FileRecord['kind'] | undefined;
  /** False when a cloud drive holds the bytes, so that there is no text to read now. */
  readonly isDownloaded: boolean;
}

/** A file of any kind as stored. */
export interface OpenedFile {
  /** On-disk spelling. */
  readonly path: string;
  readonly kind: FileRecord['kind'];
  readonly etag: string;
  readonly mtimeMs: number;
  readonly bytes: Uint8Array;
}

/** The requested parts of a canvas. */
export interface OpenedCanvas {
  /** On-disk spelling. */
  readonly path: string;
  readonly etag: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly view: CanvasView;
  /** Titles of the visible files shown, by the paths the canvas contains. */
  readonly files: ReadonlyMap<string, string>;
}

/** A position in the order of changes. */
export interface ChangePlace {
  /** Opaque id to resume from. */
  readonly id: string;
  /** Increases with each change. */
  readonly number: number;
}

export interface ChangeLog {
  readonly changes: readonly (ChangePlace & {
    readonly path: string;
    readonly removed: boolean;
    readonly etag: string | undefined;
  })[];
  /** The position to continue from. */
  readonly next: ChangePlace;
  readonly more: boolean;
  /** The given id belongs to another index, which was rebuilt: the changes since are unknown. */
  readonly reset: boolean;
}

/** Where notes of a kind are stored. */
export interface VaultPlaces {
  /** Folder whose notes are prompts. */
  readonly prompts: string;
  /** Vault-relative path of a day's note, by the settings of the vault's own program. */
  dailyNote(day: Date): string;
  /** Default folder of new notes, `''` = the top of the vault. */
  readonly newNotes: string;
  /**
   * Folder of templates, `''` when the vault's own program has no such setting, and a new note's text made
   * from one.
   */
  readonly templates: { readonly folder: string; fill(text: string, title: string): string };
  /** The template of daily notes in the vault's own program: its path, and a day's note made from its text. */
  readonly dailyTemplate?: { readonly path: string; fill(text: string, day: Date): string };
}

/** A note in a list. */
export interface ListedNote extends NoteRecord {
  /** For a copy made by a sync program, the path of the original. */
  readonly copyOf?: string;
}

/** The request for a page of a list; the session adds what the caller may see. */
export interface SessionPage {
  readonly limit: number;
  readonly cursor?: string;
}

export interface ForwardLink extends LinkRecord {
  /** The file exists, but not the heading, block or base view that the link names in it. */
  readonly subpathMissing: boolean;
}

/** A wikilink in a text, and its target. */
export interface TextLink extends Link {
  /** The visible file it opens; undefined when there is none. */
  readonly path: string | undefined;
}

/** A link to a file, or by name to a note that does not exist yet. */
export type LinkToWrite = ({ readonly target: string } | { readonly name: string }) & {
  /** `#Heading`; left out where this vault's links have none. */
  readonly subpath?: string;
  readonly display?: string;
  /** The link is in a table, where `|` ends a cell. */
  readonly inTable?: boolean;
};

/**
 * A vault as one caller sees it: every method applies the caller's scopes, path rules and actor. Hidden files
 * are left out of results, totals, suggestions and error texts alike. Reads accept other spellings and report
 * them; writes need exact paths.
 */
export interface VaultSession extends WritingSession {
  readonly actor: Actor;
  /** Whether the store keeps title, tags, todo state and times beside the text. */
  readonly keepsFacts: boolean;
  /** The same session; its writes and refusals are recorded under the name of the tool that was called. */
  as(tool: string): VaultSession;
  /**
   * The same session for one call: whatever its methods wait for ends when the signal aborts, with the
   * signal's reason. A write can be stopped only before it begins; after that it is carried out.
   */
  until(signal: AbortSignal): VaultSession;
  /** Records a call that was refused, or a write that failed. */
  failed(call: FailedCall): void;
  /** Records text that a tool sent to a language model. */
  sent(tool: string, request: SentToModel): void;
  /** Newest first; a caller that does not see the whole vault gets only its own. */
  refusals(limit: number): Promise<readonly Refusal[]>;
  /** Runs a write once per idempotency key of this caller; a repeated call gets the first answer. */
  replayWrite<T>(
    key: string,
    tool: string,
    input: unknown,
    work: (session: VaultSession) => Promise<T>,
  ): Promise<T>;
  /**
   * Answers an identical read of this session from the last one while nothing changed, for one minute at
   * most. The incomplete answer of a search that ran out of time is not kept.
   * @param work must use the session it is given
   */
  replayRead<T>(tool: string, input: unknown, work: (session: VaultSession) => Promise<T>): Promise<T>;
  status(): Promise<VaultStatus>;
  /** Progress of the index; in percent for a caller that may not see every file. */
  indexState(): IndexState;
  places(): VaultPlaces;
  /** Ids of notes and folders in another system; the journal keeps them through every move. */
  ids(scheme: IdScheme): SessionIds;
  /** The owner's settings, as far as this caller may see and change them. */
  readonly configuration: Configuration;
  /**
   * Why an answer from the index may be incomplete, as one notice that begins with `index: ` (`index:
   * building n/m …`), or with `store: ` while the server behind the store is away; undefined when the index is
   * up to date.
   */
  staleness(): string | undefined;
  /**
   * Waits while the index is being built, 2 s at most, and not at all when the build is estimated to take
   * longer. Call it before methods that answer from the index; afterwards {@link staleness} describes what is
   * missing.
   * @throws the signal's reason when it aborts
   */
  untilIndexed(signal?: AbortSignal): Promise<void>;
  /** Rebuilds the index; resolves when it is complete. Notes are not changed. */
  reindex(progress: (done: number, total: number) => void, signal: AbortSignal): Promise<void>;
  /** Reads from the store, and from the index only while the server behind the store is away. */
  open(path: string): Promise<OpenedNote>;
  exists(path: string): Promise<Existence>;
  /**
   * The bytes of a note, canvas, base or attachment.
   * @throws LecternError `too_large` above `maxBytes`, before anything is read
   */
  file(path: string, maxBytes: number): Promise<OpenedFile>;
  /**
   * The contents of a canvas. The extension of its path is optional.
   * @throws LecternError `invalid_input` for a broken one, with the line
   */
  canvas(path: string, query: CanvasQuery): Promise<OpenedCanvas>;
  /** When the file's content or path last changed, ms; undefined when it is absent or hidden. Exact paths only. */
  changedAt(path: string): Promise<number | undefined>;
  /** Note paths that start with or contain the given text. */
  complete(partial: string, limit: number): Promise<readonly string[]>;
  /**
   * Files that changed after a position, oldest first, each once in its last state; without an id only the
   * newest position.
   * @throws LecternError `invalid_input` for a malformed id
   */
  changesSince(id: string | undefined, limit: number): Promise<ChangeLog>;
  /** Calls `listener` with the changes of files this caller may see, until the returned function is called. */
  watch(listener: ChangeListener): () => void;
  list(filter: ListFilter, sort: ListSort, page: SessionPage): Promise<Page<ListedNote>>;
  /** Every listed file that matches a filter, in batches that yield to the event loop. */
  matching(filter: ListFilter, sort: ListSort): AsyncIterable<readonly MatchingFile[]>;
  /** Folders with a visible file at any depth, and empty ones, in order of their paths. */
  folders(): Promise<readonly FolderRecord[]>;
  search(request: SearchRequest): Promise<SearchAnswer>;
  /** Notes similar to one, by content and links. */
  related(path: string, limit: number): Promise<RelatedAnswer & { path: string }>;
  backlinks(path: string, page: SessionPage): Promise<Page<LinkRecord> & { path: string }>;
  /** Paths of the files that link to this one, in order. */
  backlinkSources(path: string): Promise<readonly string[]>;
  forward(path: string, page: SessionPage): Promise<Page<ForwardLink> & { path: string }>;
  /** Every link of the file at exactly this path, in order of its text; subpaths are not checked. */
  links(path: string): Promise<readonly LinkRecord[]>;
  /** The target of a wikilink in the note `source`, from the index; undefined when it leads to no visible file. */
  resolve(source: string, target: string): Promise<string | undefined>;
  /** The wikilinks of a text as if it were in the note `source`, in order, each with the file it opens. */
  wikilinksOf(source: string, text: string): Promise<readonly TextLink[]>;
  /**
   * Links in the note `source` in the format of the vault's own program; undefined where no spelling leads to
   * the file.
   */
  wikilinksTo(source: string, links: readonly LinkToWrite[]): Promise<readonly (string | undefined)[]>;
  unresolved(page: SessionPage): Promise<Page<UnresolvedRecord>>;
  orphans(page: SessionPage): Promise<Page<ListedNote>>;
  tags(page: SessionPage & { prefix?: string }): Promise<Page<TagRecord>>;
  tagNotes(tag: string, page: SessionPage): Promise<Page<ListedNote>>;
  /** The tasks of the notes that match a filter, in order of path and line, in batches that yield to the event loop. */
  tasks(filter: ListFilter): AsyncIterable<readonly TaskRow[]>;
}
