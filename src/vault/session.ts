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

/** What the audit gets to know of a call that came to nothing. */
export interface FailedCall {
  readonly tool: string;
  readonly code: ErrorCode | 'cancelled' | 'not_offered' | 'insufficient_scope';
  /** Whether it would have changed something. */
  readonly writes: boolean;
  /** Where it was aimed: inputs by name, as the caller wrote them. */
  readonly paths?: Readonly<Record<string, string>>;
  /** The etag it was based on. */
  readonly before?: string;
}

/** What the audit gets to know of text that was sent to a language model: never the text. */
export interface SentToModel {
  readonly provider: string;
  readonly model: string;
  /** Where it was sent; undefined = the model of the connected client. */
  readonly host?: string;
  /** Notes whose text was part of it. */
  readonly paths: readonly string[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly outcome: 'ok' | 'error' | 'cancelled';
}

export interface IndexState {
  /**
   * `building`: files are being indexed, answers lack the rest. `checking`: the index of the last run is complete and
   * answers, while the files are compared with it.
   */
  readonly state: 'building' | 'checking' | 'ready' | 'failed';
  readonly done: number;
  readonly total: number;
  readonly message: string | undefined;
}

/** What people should look at: files that cannot be served or read in full, and copies that sync programs made. */
export interface VaultProblem {
  readonly path: string;
  readonly code: StoreProblem['code'] | 'sync_conflict';
  readonly message: string;
}

export interface VaultStatus {
  readonly name: string;
  readonly store: string;
  readonly location: string;
  /** Since when the server behind the store does not answer; undefined when it does, and for a folder. */
  readonly awaySinceMs: number | undefined;
  readonly dialect: string;
  readonly readOnly: boolean;
  readonly index: IndexState;
  /** How far the vectors for search by meaning are; undefined for who may not see every note that is taken in. */
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
  /** The store's own id of it, where it has ids. */
  readonly id?: string;
  /** What the store keeps beside the text, where it does. */
  readonly facts?: NoteFacts;
  /** Set when the caller's spelling was not the path: `case`, `extension`, `name` (unique base name), `page` (Logseq's name of it). */
  readonly resolvedBy: 'exact' | 'case' | 'extension' | 'name' | 'page';
  /** Of a copy that a sync program made, the path of the original. */
  readonly copyOf?: string;
}

/** What is known of a path. */
export interface Existence {
  readonly exists: boolean;
  /** On-disk spelling. */
  readonly path: string | undefined;
  readonly kind: FileRecord['kind'] | undefined;
  /** False when a cloud drive holds the bytes, so that there is no text to read now. */
  readonly isDownloaded: boolean;
}

/** A file of any kind as it is stored. */
export interface OpenedFile {
  /** On-disk spelling. */
  readonly path: string;
  readonly kind: FileRecord['kind'];
  readonly etag: string;
  readonly mtimeMs: number;
  readonly bytes: Uint8Array;
}

/** A canvas, as far as it was asked for. */
export interface OpenedCanvas {
  /** On-disk spelling. */
  readonly path: string;
  readonly etag: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly view: CanvasView;
  /** Titles of the files shown that are there to see, by their paths as the canvas has them. */
  readonly files: ReadonlyMap<string, string>;
}

/** A place in the order of changes. */
export interface ChangePlace {
  /** What to come back with. Opaque. */
  readonly id: string;
  /** Rises from change to change. */
  readonly number: number;
}

export interface ChangeLog {
  readonly changes: readonly (ChangePlace & {
    readonly path: string;
    readonly removed: boolean;
    readonly etag: string | undefined;
  })[];
  /** From which to go on. */
  readonly next: ChangePlace;
  readonly more: boolean;
  /** The id given is not one of this index, which was built anew: what changed since is not known. */
  readonly reset: boolean;
}

/** Where notes of a kind are. */
export interface VaultPlaces {
  /** Folder whose notes are prompts. */
  readonly prompts: string;
  /** Vault-relative path of a day's note, as the vault's own program has it. */
  dailyNote(day: Date): string;
  /** Folder of new notes that are given none, `''` = the top of the vault. */
  readonly newNotes: string;
  /** Where templates are, `''` when the vault's own program was not told, and a new note's text made of one. */
  readonly templates: { readonly folder: string; fill(text: string, title: string): string };
  /** What the vault's own program starts a daily note from: its path, and a day's note made of its text. */
  readonly dailyTemplate?: { readonly path: string; fill(text: string, day: Date): string };
}

/** A note in a list. */
export interface ListedNote extends NoteRecord {
  /** Of a copy that a sync program made, the path of the original. */
  readonly copyOf?: string;
}

/** A page as a session asks for it: the session adds what the caller may see. */
export interface SessionPage {
  readonly limit: number;
  readonly cursor?: string;
}

export interface ForwardLink extends LinkRecord {
  /** The file is there, the heading, block or view of a base that the link names in it is not. */
  readonly subpathMissing: boolean;
}

/** A wikilink in a text, and where it leads. */
export interface TextLink extends Link {
  /** The file it opens among those that the caller sees; undefined when there is none. */
  readonly path: string | undefined;
}

/** A link to a file, or to a note that is not there yet by its name. */
export type LinkToWrite = ({ readonly target: string } | { readonly name: string }) & {
  /** `#Heading`; left out where links of this vault have none. */
  readonly subpath?: string;
  readonly display?: string;
  /** It stands in a table, where a bar ends a cell. */
  readonly inTable?: boolean;
};

/**
 * A vault as one caller sees it: every method applies the caller's scopes, path rules and actor.
 * What is hidden is hidden from results, totals, suggestions and error texts alike.
 * Reads are lenient about spelling and say so; writes are exact.
 */
export interface VaultSession extends WritingSession {
  readonly actor: Actor;
  /** Whether the store keeps title, tags, todo state and times beside the text. */
  readonly keepsFacts: boolean;
  /** The same session, its writes and refusals written down under the name of the tool that was called. */
  as(tool: string): VaultSession;
  /**
   * The same session for one call: what its methods wait for ends when the signal is aborted, with the signal's reason.
   * A write ends so only before anything of it is done; from then on it is carried out.
   */
  until(signal: AbortSignal): VaultSession;
  /** Writes down a call that was refused, or a write that failed. */
  failed(call: FailedCall): void;
  /** Writes down what was sent to a language model by a tool. */
  sent(tool: string, request: SentToModel): void;
  /** Newest first; a caller who does not see the whole vault is told of its own only. */
  refusals(limit: number): Promise<readonly Refusal[]>;
  /** Runs a write once per idempotency key of this caller; a repetition gets the first answer. */
  replayWrite<T>(
    key: string,
    tool: string,
    input: unknown,
    work: (session: VaultSession) => Promise<T>,
  ): Promise<T>;
  /**
   * Answers an identical read of this session from the last one while nothing changed, for a minute at most. An answer
   * that a search had no time to complete is not kept.
   * @param work asks the session it is given
   */
  replayRead<T>(tool: string, input: unknown, work: (session: VaultSession) => Promise<T>): Promise<T>;
  status(): Promise<VaultStatus>;
  /** How far the index is; in per cent for who may not see every file. */
  indexState(): IndexState;
  places(): VaultPlaces;
  /** Ids that notes and folders have in another system, kept by the journal wherever they are moved. */
  ids(scheme: IdScheme): SessionIds;
  /** The owner's settings, as far as this caller may know and change them. */
  readonly configuration: Configuration;
  /**
   * Why an answer from the index may lack something now, as one notice that begins with `index: `
   * (`index: building n/m …`); undefined when the index is up to date.
   */
  staleness(): string | undefined;
  /**
   * Waits while the index is being built, 2 s at most, and not at all when the build is known to take longer.
   * Call it before the methods that answer from the index; afterwards {@link staleness} says what to expect.
   * @throws the signal's reason when it aborts
   */
  untilIndexed(signal?: AbortSignal): Promise<void>;
  /** Builds the index anew; resolves when it is complete. Notes are not touched. */
  reindex(progress: (done: number, total: number) => void, signal: AbortSignal): Promise<void>;
  /** Reads from the store, never from the index. */
  open(path: string): Promise<OpenedNote>;
  exists(path: string): Promise<Existence>;
  /**
   * The bytes of a note, canvas, base or attachment.
   * @throws LecternError `too_large` above `maxBytes`, before anything is read
   */
  file(path: string, maxBytes: number): Promise<OpenedFile>;
  /**
   * What a canvas holds. The ending of its path may be left out.
   * @throws LecternError `invalid_input` for a broken one, with the line
   */
  canvas(path: string, query: CanvasQuery): Promise<OpenedCanvas>;
  /** When the file's content or place last changed, ms; undefined when it is not there to see. Exact paths only. */
  changedAt(path: string): Promise<number | undefined>;
  /** Note paths that start with or contain what was typed so far. */
  complete(partial: string, limit: number): Promise<readonly string[]>;
  /**
   * Files that changed behind a place, oldest first, each once with its last state; without an id
   * only the newest place.
   * @throws LecternError `invalid_input` for an id that is none
   */
  changesSince(id: string | undefined, limit: number): Promise<ChangeLog>;
  /** Calls `listener` with the changes of files this caller may see, until the returned function is called. */
  watch(listener: ChangeListener): () => void;
  list(filter: ListFilter, sort: ListSort, page: SessionPage): Promise<Page<ListedNote>>;
  /** Every listed file that a filter lets through, in batches that yield to the event loop. */
  matching(filter: ListFilter, sort: ListSort): AsyncIterable<readonly MatchingFile[]>;
  /** Folders with something to see in them or below, and empty ones, in order of their paths. */
  folders(): Promise<readonly FolderRecord[]>;
  search(request: SearchRequest): Promise<SearchAnswer>;
  /** Notes near one, by content and links. */
  related(path: string, limit: number): Promise<RelatedAnswer & { path: string }>;
  backlinks(path: string, page: SessionPage): Promise<Page<LinkRecord> & { path: string }>;
  /** Paths of the files that link to this one, in order. */
  backlinkSources(path: string): Promise<readonly string[]>;
  forward(path: string, page: SessionPage): Promise<Page<ForwardLink> & { path: string }>;
  /** Every link of the file at exactly this path, in order of its text; whether headings are there is not looked at. */
  links(path: string): Promise<readonly LinkRecord[]>;
  /** Where a wikilink to `target` would lead from the note `source`, by the index; undefined when nowhere that is seen. */
  resolve(source: string, target: string): Promise<string | undefined>;
  /** The wikilinks of a text as if it stood in the note `source`, in order, each with the file that it opens. */
  wikilinksOf(source: string, text: string): Promise<readonly TextLink[]>;
  /** Links in the note `source` as the vault's own program writes them; undefined where no spelling leads to the file. */
  wikilinksTo(source: string, links: readonly LinkToWrite[]): Promise<readonly (string | undefined)[]>;
  unresolved(page: SessionPage): Promise<Page<UnresolvedRecord>>;
  orphans(page: SessionPage): Promise<Page<ListedNote>>;
  tags(page: SessionPage & { prefix?: string }): Promise<Page<TagRecord>>;
  tagNotes(tag: string, page: SessionPage): Promise<Page<ListedNote>>;
  /** The tasks of the notes that a filter lets through, in order of path and line, in batches that yield to the event loop. */
  tasks(filter: ListFilter): AsyncIterable<readonly TaskRow[]>;
}
