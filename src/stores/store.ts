/**
 * Where a vault's notes are stored. One port for a folder and for live servers (Joplin, SilverBullet): the
 * latter have ids beside paths, titles that are not file names, tags and todo state outside the body,
 * versions that are times, and a change feed in place of a watcher. `capabilities` says which promises an
 * adapter keeps.
 */
export interface StoreCapabilities {
  /**
   * `watch` reports changes made by other programs; without it the vault calls `changesSince`, or lists
   * everything from time to time.
   */
  readonly watch: boolean;
  /** Entries carry a stable id that survives a rename. */
  readonly ids: boolean;
  /** Facts beside the body (see {@link NoteFacts}) are stored, and written with `setFacts`. */
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
  /** Only the name is known, because a cloud drive holds the bytes: `read` throws `unavailable`. */
  readonly isPlaceholder?: true;
  /** Stable id assigned by the store, when `capabilities.ids`. */
  readonly id?: string;
  /** Facts beside the body, when `capabilities.facts`. */
  readonly facts?: NoteFacts;
}

/** What a store keeps of a note outside its text. A version of the note is its bytes together with its facts. */
export interface NoteFacts {
  readonly title?: string;
  readonly tags?: readonly string[];
  /** Null for a note that is not a todo. */
  readonly todo?: { readonly done: boolean; readonly dueMs?: number } | null;
  /** Times the owner may set, ms since the epoch. */
  readonly createdMs?: number;
  readonly updatedMs?: number;
  readonly sourceUrl?: string;
  readonly author?: string;
  /** Where the note was written: degrees, and metres above sea level. */
  readonly geo?: { readonly latitude: number; readonly longitude: number; readonly altitude: number };
}

/** Facts to set; null removes one, absent ones stay. */
export type FactChanges = { readonly [K in keyof NoteFacts]?: NoteFacts[K] | null };

/** Data of a file copied from another store; a store takes over what it can keep. */
export interface Origin {
  /** Only when `capabilities.ids`: an unused id in the store's own form. */
  readonly id?: string;
  /** Only when `capabilities.facts`. */
  readonly facts?: NoteFacts;
  /** ms since the epoch. */
  readonly createdMs?: number;
  readonly modifiedMs?: number;
}

/** The path of a file that does not exist yet. */
export interface Placement {
  /** The requested path, with each existing folder in the store's spelling. */
  readonly path: string;
  /** The topmost folder that would be created; undefined when its folder exists. */
  readonly madeFolder: string | undefined;
}

export interface StoredFile {
  readonly entry: StoreEntry;
  readonly bytes: Uint8Array;
}

/** A file or folder that exists but cannot be served; reported in `vault_status`, never left out silently. */
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
    | 'unreadable_properties'
    | 'not_parsed';
  readonly message: string;
}

export interface StoreListing {
  readonly entries: readonly StoreEntry[];
  readonly problems: readonly StoreProblem[];
}

/** A folder, as stored. */
export interface FolderEntry {
  readonly path: string;
  /** Creation time, ms since the epoch. */
  readonly birthtimeMs: number;
  /** True when it contains no file at any depth. */
  readonly isEmpty: boolean;
}

/** Files by path, as of an earlier listing. */
export type KnownVersions = ReadonlyMap<string, Pick<StoreEntry, 'version'>>;

/**
 * A change reported by a watcher. `rescan` = a folder moved or events were lost: list again below `path` (''
 * = all).
 */
export interface StoreChange {
  readonly kind: 'changed' | 'removed' | 'rescan';
  readonly path: string;
}

export interface ReplaceOptions {
  /** xxHash64 etag of the bytes the caller read. A different version in the store is a `conflict`, and both versions are kept. */
  readonly expectedEtag: string;
}

/** Many replacements that are made durable together. */
export interface ReplaceBatch {
  /** As {@link Store.replace}; after a crash before `settle` the old version may be in place, complete. */
  replace(path: string, bytes: Uint8Array, options: ReplaceOptions): Promise<StoreEntry>;
  /** Resolves when every replacement so far survives a crash. */
  settle(): Promise<void>;
}

export interface MoveFileOptions {
  /** A crash interrupted this move: the rest is done, and nothing is done twice. */
  readonly interrupted?: boolean;
}

/** The store's own trash, from which `restore` restores, or the machine's desktop trash where there is one. */
export type TrashPlace = 'store' | 'desktop';

/** The changes after a cursor, and the next cursor. */
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
  /** The kind of store: `folder`, `joplin`. */
  readonly kind: string;
  /** For display: the folder, or the URL without secrets. */
  readonly location: string;
  readonly capabilities: StoreCapabilities;

  /** Every visible file below `prefix` (a folder path, '' = all), in no particular order. */
  list(prefix?: string, signal?: AbortSignal): Promise<StoreListing>;
  /**
   * What may have changed among these files since a time (ms since the epoch), and new files: from change
   * times, where that is much cheaper than `list`.
   * @returns undefined where it is not
   */
  touchedSince?(time: number, known: KnownVersions): Promise<readonly StoreChange[] | undefined>;
  /** The entry in its on-disk spelling, found by exact path, else by NFC key; undefined when absent or a folder. */
  stat(path: string): Promise<StoreEntry | undefined>;
  read(path: string): Promise<StoredFile>;
  /** Names at the top of the vault, dot folders included: they show which program's rules the notes follow. */
  topNames(): Promise<readonly string[]>;
  /** A settings file of the notes' own program (`.obsidian/app.json`); undefined when there is none. Never a note. */
  readSetting(path: string): Promise<Uint8Array | undefined>;

  /**
   * The path a new file would get. A folder name that differs from an existing folder in case or Unicode form
   * only means that folder, here and wherever folders are created: many drives and sync programs cannot hold
   * both.
   * @throws LecternError `ambiguous` when several folders match a name and none has exactly that name
   */
  placeFor(path: string): Promise<Placement>;
  /** Creates a file that must not exist, parents included. Never overwrites. */
  create(path: string, bytes: Uint8Array, origin?: Origin): Promise<StoreEntry>;
  /** Replaces the bytes of an existing file, keeping its mode. */
  replace(path: string, bytes: Uint8Array, options: ReplaceOptions): Promise<StoreEntry>;
  /** For many replacements together, where that is cheaper; absent where it is not. */
  batch?(): ReplaceBatch;
  /** Facts in the form the store will keep (spelling and order of tags), for a store that changes them. */
  asKept?(facts: FactChanges): Promise<FactChanges>;
  /** Sets these facts of a note and leaves the others. Only when `capabilities.facts`. A different version is a `conflict`. */
  setFacts?(path: string, facts: FactChanges, options: ReplaceOptions): Promise<StoreEntry>;
  /** Renames without overwriting; `to` may differ from `from` in case only. */
  move(from: string, to: string, options?: MoveFileOptions): Promise<StoreEntry>;
  /** Renames a folder with everything in it to a path that does not exist yet. */
  moveFolder(from: string, to: string): Promise<void>;
  /** Every visible folder, in no particular order. Absent where a folder exists only through its files. */
  folders?(signal?: AbortSignal): Promise<readonly FolderEntry[]>;
  /** Creates a folder, parents included, unless it exists. Absent where a folder cannot be empty. */
  makeFolder?(path: string): Promise<void>;
  /**
   * Removes `folder` and its parents up to `top` while they are empty. A store without empty folders has
   * nothing to do.
   */
  pruneFolders(folder: string, top: string): Promise<void>;
  /**
   * Moves a file to the trash.
   * @param place `desktop` = the trash of the owner's desktop; a store that has none uses its own
   * @returns its name in the trash, as `restore` takes it; nothing for a trash that `restore` cannot read
   */
  trash(path: string, place?: TrashPlace): Promise<{ trashPath?: string }>;
  /** Permanently removes a file: the caller keeps its bytes. A different version in the store is a `conflict`. */
  remove(path: string, options: ReplaceOptions): Promise<void>;
  listTrash(): Promise<readonly { trashPath: string; size: number; mtimeMs: number }[]>;
  /** Restores a trashed file to `to`. Never overwrites. */
  restore(trashPath: string, to: string): Promise<StoreEntry>;

  /**
   * Changes after a cursor from this method; without a cursor no changes and the first cursor. For stores
   * that cannot watch. Undefined when the cursor is too old or from another store: everything must be listed
   * again.
   */
  changesSince?(cursor: string | undefined, signal?: AbortSignal): Promise<StoreChanges | undefined>;
  /** The store's own id of the file or folder at exactly this path; only when `capabilities.ids`. */
  idAt?(path: string): Promise<string | undefined>;
  /** The current path of this id; undefined when it does not exist or is in the trash. */
  pathOfId?(id: string): Promise<string | undefined>;
  /** Reads several files at once, where that is cheaper than one by one; unreadable files are left out. */
  readMany?(paths: readonly string[], signal?: AbortSignal): Promise<readonly StoredFile[]>;
  /**
   * Since when the server behind the store does not answer, ms since the epoch; undefined while it does.
   * Absent for stores without a server.
   */
  awaySince?(): Promise<number | undefined>;
  /** Calls `listener` with batches until the returned function is called. Only when `capabilities.watch`. */
  watch(listener: (changes: readonly StoreChange[]) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
