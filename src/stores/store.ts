/**
 * Where a vault's notes live. One port for a folder and for live servers (Joplin, SilverBullet): the second kind has
 * ids beside paths, titles that are not file names, tags and todo state outside the body, versions that are times, a
 * feed of changes in place of a watcher. `capabilities` says which promises an adapter keeps.
 */
export interface StoreCapabilities {
  /** `watch` reports changes made by others; otherwise the vault asks `changesSince`, or lists everything, once in a while. */
  readonly watch: boolean;
  /** Entries carry a stable id that survives a rename. */
  readonly ids: boolean;
  /** Facts beside the body (see {@link NoteFacts}) are kept, and written with `setFacts`. */
  readonly facts: boolean;
}

export type FileKind = 'note' | 'canvas' | 'base' | 'attachment';

export interface StoreEntry {
  /** Vault-relative POSIX path in the store's own spelling (not normalised to NFC). */
  readonly path: string;
  readonly kind: FileKind;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, with fractions where the file system has them. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** Creation time, ms. */
  readonly birthtimeMs: number;
  /** Cheap change token: for a folder `ino:size:mtimeNs:ctimeNs`, for a server its version or time. Equal token = treat as unchanged. */
  readonly version: string;
  /** Known by its name alone, as a cloud drive holds the bytes: `read` throws `unavailable`. */
  readonly isPlaceholder?: true;
  /** Stable id of the store's own, when `capabilities.ids`. */
  readonly id?: string;
  /** What the store keeps beside the body, when `capabilities.facts`. */
  readonly facts?: NoteFacts;
}

/** What a store keeps of a note outside its text. A version of the note is its bytes and these together. */
export interface NoteFacts {
  readonly title?: string;
  readonly tags?: readonly string[];
  /** Null for a note that is no todo. */
  readonly todo?: { readonly done: boolean; readonly dueMs?: number } | null;
  /** Times the owner may set, ms since the epoch. */
  readonly createdMs?: number;
  readonly updatedMs?: number;
  readonly sourceUrl?: string;
  readonly author?: string;
  /** Where it was written: degrees, and metres above the sea. */
  readonly geo?: { readonly latitude: number; readonly longitude: number; readonly altitude: number };
}

/** Facts to set; null takes one away, what is left out stays. */
export type FactChanges = { readonly [K in keyof NoteFacts]?: NoteFacts[K] | null };

/** What a file brings along from another store; a store takes over what it can keep. */
export interface Origin {
  /** Only when `capabilities.ids`: an id in the store's own form that nothing in it has. */
  readonly id?: string;
  /** Only when `capabilities.facts`. */
  readonly facts?: NoteFacts;
  /** ms since the epoch. */
  readonly createdMs?: number;
  readonly modifiedMs?: number;
}

/** Where a file that is not there yet would lie. */
export interface Placement {
  /** The path asked for, each folder on its way spelled as the store has it. */
  readonly path: string;
  /** The topmost of the folders that would be made for it; undefined when its folder is there. */
  readonly madeFolder: string | undefined;
}

export interface StoredFile {
  readonly entry: StoreEntry;
  readonly bytes: Uint8Array;
}

/** A file or folder that is there but cannot be served; reported in `vault_status`, never skipped in silence. */
export interface StoreProblem {
  readonly path: string;
  readonly code:
    | 'unreadable'
    | 'not_utf8'
    | 'cloud_placeholder'
    | 'outside_vault'
    | 'special_file'
    | 'too_large'
    | 'name_not_utf8'
    | 'duplicate_name'
    | 'unreadable_properties';
  readonly message: string;
}

export interface StoreListing {
  readonly entries: readonly StoreEntry[];
  readonly problems: readonly StoreProblem[];
}

/** A folder as its store has it. */
export interface FolderEntry {
  readonly path: string;
  /** When it was made, ms since the epoch. */
  readonly birthtimeMs: number;
  /** No file is in it or below it. */
  readonly isEmpty: boolean;
}

/** Files by path, as they were when somebody looked. */
export type KnownVersions = ReadonlyMap<string, Pick<StoreEntry, 'version'>>;

/** What a watcher saw. `rescan` = a folder moved or events were lost: list again below `path` ('' = all). */
export interface StoreChange {
  readonly kind: 'changed' | 'removed' | 'rescan';
  readonly path: string;
}

export interface ReplaceOptions {
  /** xxHash64 etag of the bytes the caller read. A different version in the store is a `conflict`, and both versions are kept. */
  readonly expectedEtag: string;
}

/** Many replacements whose safety is waited for once. */
export interface ReplaceBatch {
  /** As {@link Store.replace}; a crash before `settle` may leave the old version in its place, whole. */
  replace(path: string, bytes: Uint8Array, options: ReplaceOptions): Promise<StoreEntry>;
  /** Resolves when every replacement so far survives a crash. */
  settle(): Promise<void>;
}

export interface MoveFileOptions {
  /** A crash interrupted this move: what it left half done is finished, and nothing is done twice. */
  readonly interrupted?: boolean;
}

/** The store's own trash, from which `restore` brings back, or that of the machine's desktop where there is one. */
export type TrashPlace = 'store' | 'desktop';

/** What changed since a cursor, and from where to ask next. */
export interface StoreChanges {
  readonly changes: readonly StoreChange[];
  readonly cursor: string;
}

/**
 * All paths are vault-relative POSIX, already normalised by `notes/path`. Every method throws
 * `LecternError`: `not_found`, `exists`, `conflict`, `forbidden` (outside the vault, special file),
 * `invalid_path`, `too_large`, `read_only` (drive mounted read-only), `unavailable` (store
 * unreachable, disk full, no permission, file still in the cloud).
 */
export interface Store {
  /** The word for this kind of store: `folder`, `joplin`. */
  readonly kind: string;
  /** Shown to people: the folder or the URL without secrets. */
  readonly location: string;
  readonly capabilities: StoreCapabilities;

  /** Every visible file below `prefix` (a folder path, '' = all), in no particular order. */
  list(prefix?: string, signal?: AbortSignal): Promise<StoreListing>;
  /**
   * What has perhaps changed since a time (ms since the epoch) among these files, and what came: told by change times,
   * where that takes much less than `list`.
   * @returns undefined where it does not
   */
  touchedSince?(time: number, known: KnownVersions): Promise<readonly StoreChange[] | undefined>;
  /** The entry in its on-disk spelling, found by exact path, else by NFC key; undefined when absent or a folder. */
  stat(path: string): Promise<StoreEntry | undefined>;
  read(path: string): Promise<StoredFile>;
  /** Names at the top of the vault, dot folders included: they tell which program's rules the notes follow. */
  topNames(): Promise<readonly string[]>;
  /** A settings file of the program the notes belong to (`.obsidian/app.json`); undefined when there is none. Never a note. */
  readSetting(path: string): Promise<Uint8Array | undefined>;

  /**
   * Where a new file of this path would lie. A folder that differs from one that is there in case or Unicode form only
   * is that one, here and in everything that makes folders: many drives and sync programs cannot hold both.
   * @throws LecternError `ambiguous` when several folders answer to a name that none of them has
   */
  placeFor(path: string): Promise<Placement>;
  /** Creates a file that must not exist, parents included. Never clobbers. */
  create(path: string, bytes: Uint8Array, origin?: Origin): Promise<StoreEntry>;
  /** Replaces the bytes of an existing file, keeping its mode. */
  replace(path: string, bytes: Uint8Array, options: ReplaceOptions): Promise<StoreEntry>;
  /** Where many replacements are cheaper together; absent where they are not. */
  batch?(): ReplaceBatch;
  /** Facts as the store will keep them (spelling and order of tags), for a store that changes them. */
  asKept?(facts: FactChanges): Promise<FactChanges>;
  /** Sets these facts of a note and leaves the others. Only when `capabilities.facts`. A different version is a `conflict`. */
  setFacts?(path: string, facts: FactChanges, options: ReplaceOptions): Promise<StoreEntry>;
  /** Renames without clobbering; `to` may differ from `from` in case only. */
  move(from: string, to: string, options?: MoveFileOptions): Promise<StoreEntry>;
  /** Renames a folder with everything in it to a place that does not exist yet. */
  moveFolder(from: string, to: string): Promise<void>;
  /** Every visible folder, in no particular order. Absent where folders are only what files lie in. */
  folders?(signal?: AbortSignal): Promise<readonly FolderEntry[]>;
  /** Makes a folder, parents included, unless it is there. Absent where no folder can be empty. */
  makeFolder?(path: string): Promise<void>;
  /** Removes `folder` and those it lies in, up to `top`, as far as nothing is in them. A store without empty folders has none. */
  pruneFolders(folder: string, top: string): Promise<void>;
  /**
   * Moves a file to the trash.
   * @param place `desktop` where its owner will look for it; a store that has none takes its own
   * @returns where it went, as a name that `restore` takes; nothing for a place that nothing here restores from
   */
  trash(path: string, place?: TrashPlace): Promise<{ trashPath?: string }>;
  /** Removes a file for good: the caller keeps its bytes. A different version in the store is a `conflict`. */
  remove(path: string, options: ReplaceOptions): Promise<void>;
  listTrash(): Promise<readonly { trashPath: string; size: number; mtimeMs: number }[]>;
  /** Brings a trashed file back to `to`. Never clobbers. */
  restore(trashPath: string, to: string): Promise<StoreEntry>;

  /**
   * What changed since a cursor that it gave out; without one no changes and the cursor to begin with. For stores that
   * cannot watch. Undefined when the cursor is too old or of another store: everything is to be listed again.
   */
  changesSince?(cursor: string | undefined, signal?: AbortSignal): Promise<StoreChanges | undefined>;
  /** The store's own id of what is at exactly this path, folders too; only when `capabilities.ids`. */
  idAt?(path: string): Promise<string | undefined>;
  /** Where what has this id lies now; undefined when it is not there, or in the trash. */
  pathOfId?(id: string): Promise<string | undefined>;
  /** Several files at once, where that is cheaper than one after the other; what cannot be read is left out. */
  readMany?(paths: readonly string[], signal?: AbortSignal): Promise<readonly StoredFile[]>;
  /**
   * Since when the server behind the store does not answer, ms since the epoch; undefined when it does. Absent where
   * there is none.
   */
  awaySince?(): Promise<number | undefined>;
  /** Calls `listener` with batches until the returned function is called. Only when `capabilities.watch`. */
  watch(listener: (changes: readonly StoreChange[]) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
