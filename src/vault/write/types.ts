import type { CanvasOpResult } from '../../formats/canvas/edit/editing.ts';
import type { Page } from '../../index/note-index.ts';
import type { GroupState } from '../../journal/journal.ts';
import type { Replaced } from '../../notes/patch/apply.ts';
import type { PatchOp } from '../../notes/patch/op.ts';
import type { FactChanges, NoteFacts } from '../../stores/store.ts';
import type { LeftAloneList } from '../left-alone.ts';

/** What every write takes. */
export interface WriteOptions {
  /** Etag from the read this write is based on; another version in the store is a `conflict`. */
  readonly ifMatch?: string;
  /** Returns the would-be result and changes nothing. */
  readonly dryRun?: boolean;
  /** The operation's name, for the journal. */
  readonly tool: string;
  readonly requestId?: string;
}

/** The effect of one write on one note. */
export interface WriteResult {
  readonly path: string;
  /** Etag of the note now; in a dry run, of the would-be note. */
  readonly etag: string;
  readonly created: boolean;
  /** False when the write had no effect: nothing was written and the file's time stays. */
  readonly changed: boolean;
  readonly bytes: number;
  /** Lines added and removed in total. */
  readonly added: number;
  readonly removed: number;
  /** Short unified diff, empty for a note that is new. */
  readonly diff: string;
  readonly diffCut: boolean;
  /** Number of the write in the journal, for undo; undefined when nothing was written. */
  readonly writeId: number | undefined;
  readonly dryRun: boolean;
  /** Other notes whose links were rewritten because of this write. */
  readonly relinked: readonly RelinkedNote[];
  /** The matches of each `replace_text` of a patch. */
  readonly replaced?: readonly Replaced[];
  /** The effect of each op of a canvas patch. */
  readonly canvasOps?: readonly CanvasOpResult[] | undefined;
  /** Places outside links that contain the old text of a renamed heading. */
  readonly leftAlone?: LeftAloneList | undefined;
  /** Notices for the caller: an indexing delay, a link that could not be updated. */
  readonly notices: readonly string[];
}

export interface RelinkedNote {
  readonly path: string;
  readonly links: number;
}

export interface NoteContent {
  /**
   * The note's text below its properties. Text that itself starts with a `---` block is the whole
   * note; otherwise an existing note keeps its property block byte for byte.
   */
  readonly body: string;
  /** Properties to set; on an existing note those not named stay. */
  readonly frontmatter?: Readonly<Record<string, unknown>>;
  /** The body is the whole note in any case: properties it does not contain are removed. */
  readonly whole?: boolean;
}

export interface RemoveOptions extends WriteOptions {
  /** The notes in the folder named after the note go to the trash with it; the note itself may be missing. */
  readonly withChildren?: boolean;
}

export interface RestoreOptions extends WriteOptions {
  /** The trashed notes whose child folders contained it are restored with it. */
  readonly withAncestors?: boolean;
}

export interface MoveOptions extends WriteOptions {
  /** The folder named after the note moves with it: the children of that page. */
  readonly withChildren?: boolean;
  /** Default true. */
  readonly updateLinks?: boolean;
}

export interface MoveResult {
  readonly from: string;
  readonly to: string;
  /** Each file moved: one, or everything in a folder. */
  readonly moved: readonly { readonly from: string; readonly to: string }[];
  readonly relinked: readonly RelinkedNote[];
  readonly links: number;
  /** Places outside links that contain the old name. */
  readonly leftAlone: LeftAloneList;
  /** Etag of the moved note (undefined for a folder). */
  readonly etag: string | undefined;
  readonly writeId: number | undefined;
  readonly dryRun: boolean;
  readonly notices: readonly string[];
}

export interface TagRenameResult {
  readonly from: string;
  readonly to: string;
  readonly notes: readonly { readonly path: string; readonly tags: number }[];
  readonly tags: number;
  /** Notes in which links to headings with the tag were rewritten, those that the caller sees. */
  readonly relinked: readonly RelinkedNote[];
  readonly leftAlone: LeftAloneList;
  readonly notices: readonly string[];
  readonly writeId: number | undefined;
  readonly dryRun: boolean;
}

export interface DeleteResult {
  readonly path: string;
  /** Its path in the vault's trash, for `trash_restore`; undefined when it is elsewhere (undo still restores it). */
  readonly trashPath: string | undefined;
  /** Notes from its child folder that were trashed with it. */
  readonly children: readonly { readonly path: string; readonly trashPath: string | undefined }[];
  /** The destination by the vault's settings. */
  readonly kept: 'in_vault' | 'on_desktop' | 'in_journal';
  /** Links that are broken now. */
  readonly brokenLinks: number;
  /** Notes that cannot be read: they may contain links to it too. */
  readonly unreadable: readonly string[];
  readonly writeId: number | undefined;
  readonly dryRun: boolean;
}

export interface HistoryRequest {
  readonly path?: string;
  readonly actor?: string;
  readonly session?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly limit: number;
  readonly cursor?: string;
}

export interface HistoryRecord {
  readonly writeId: number;
  readonly time: number;
  readonly tool: string;
  readonly actor: string;
  readonly session: string;
  /** `mcp`, `rest`, `cli`. */
  readonly door: string;
  /** The client's own name, when that is not the actor's name. */
  readonly client: string | undefined;
  readonly summary: string;
  readonly state: GroupState;
  readonly undoes: number | undefined;
  readonly paths: readonly string[];
  readonly files: number;
}

export interface UndoRequest extends WriteOptions {
  /** One write. */
  readonly writeId?: number;
  /** Or everything since a time (ms), optionally by one actor or session. */
  readonly since?: number;
  readonly actor?: string;
  readonly session?: string;
}

export interface UndoResult {
  /** Reverted writes, newest first. */
  readonly undone: readonly number[];
  readonly notes: readonly { readonly path: string; readonly action: string; readonly diff: string }[];
  readonly writeId: number | undefined;
  readonly dryRun: boolean;
}

export interface TrashRecord {
  readonly trashPath: string;
  readonly originalPath: string | undefined;
  readonly deleted: number;
  readonly size: number;
}

export interface FolderResult {
  readonly path: string;
  readonly writeId: number | undefined;
  readonly dryRun: boolean;
}

/** Changes of facts beside a note's text. */
export interface FactsResult {
  readonly path: string;
  readonly etag: string;
  readonly changed: boolean;
  /** As they are afterwards. */
  readonly facts: NoteFacts;
  readonly writeId: number | undefined;
  readonly dryRun: boolean;
  readonly notices: readonly string[];
}

/**
 * The write half of a session. Paths are exact: writes guess nothing. Common errors: `not_found`, `exists`,
 * `conflict`, `ambiguous`, `invalid_path`, `invalid_input`, `forbidden`, `read_only`, `too_large`,
 * `unavailable`.
 */
export interface WritingSession {
  write(
    path: string,
    content: NoteContent,
    options: WriteOptions & { ifNotExists?: boolean },
  ): Promise<WriteResult>;
  patch(path: string, ops: readonly PatchOp[], options: WriteOptions): Promise<WriteResult>;
  /**
   * Creates or replaces a canvas.
   * @param canvas a JSON Canvas: `nodes`, `edges` and keys of plugins
   */
  writeCanvas(
    path: string,
    canvas: Readonly<Record<string, unknown>>,
    options: WriteOptions & { ifNotExists?: boolean },
  ): Promise<WriteResult>;
  patchCanvas(path: string, ops: readonly unknown[], options: WriteOptions): Promise<WriteResult>;
  /** Title, tags, todo state and times, where the store keeps them beside the text. */
  setFacts(path: string, facts: FactChanges, options: WriteOptions): Promise<FactsResult>;
  remove(path: string, options: RemoveOptions): Promise<DeleteResult>;
  move(from: string, to: string, options: MoveOptions): Promise<MoveResult>;
  /** Makes an empty folder, parents included. */
  makeFolder(path: string, options: WriteOptions): Promise<FolderResult>;
  renameTag(from: string, to: string, options: WriteOptions): Promise<TagRenameResult>;
  history(request: HistoryRequest): Promise<Page<HistoryRecord>>;
  undo(request: UndoRequest): Promise<UndoResult>;
  trashList(request: { limit: number; cursor?: string }): Promise<Page<TrashRecord>>;
  trashRestore(trashPath: string, to: string | undefined, options: RestoreOptions): Promise<WriteResult>;
}
