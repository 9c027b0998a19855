/**
 * Where a vault's bytes live. One port for a folder and for live servers (Joplin, SilverBullet):
 * the second kind has ids beside paths, titles that are not file names, tags and todo state
 * outside the body, versions that are times, no watching and no atomic replace. `capabilities`
 * says which promises an adapter keeps; the vault builds the missing ones on top.
 */
export interface StoreCapabilities {
  /** `watch` reports changes made by others; otherwise the vault polls `list`. */
  readonly watch: boolean;
  /** `replace` compares and swaps; otherwise a racing writer can only be noticed afterwards. */
  readonly atomicReplace: boolean;
  /** Entries carry a stable id that survives a rename. */
  readonly ids: boolean;
  /** Tags, todo state or title live outside the body (see `StoreEntry.metadata`). */
  readonly metadata: boolean;
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
  /** Facts the store keeps beside the body, when `capabilities.metadata`. */
  readonly metadata?: StoreMetadata;
}

export interface StoreMetadata {
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly todo?: { readonly done: boolean; readonly due?: number };
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

/** What a watcher saw. `rescan` = a folder moved or events were lost: list again below `path` ('' = all). */
export interface StoreChange {
  readonly kind: 'changed' | 'removed' | 'rescan';
  readonly path: string;
}

export interface ReplaceOptions {
  /** xxHash64 etag of the bytes the caller read. A different version in the store is a `conflict`, and both versions are kept. */
  readonly expectedEtag: string;
}

export interface ReplaceFileOptions extends ReplaceOptions {
  /** The new version is on disk when this resolves, but that it has the file's place only after `flush`. */
  readonly flushLater?: boolean;
}

export interface MoveFileOptions {
  /** A crash interrupted this move: when `to` is already a second name of the same file, only `from` is taken away. */
  readonly finish?: boolean;
}

/**
 * All paths are vault-relative POSIX, already normalised by `notes/path`. Every method throws
 * `LecternError`: `not_found`, `exists`, `conflict`, `forbidden` (outside the vault, special file),
 * `invalid_path`, `too_large`, `read_only` (drive mounted read-only), `unavailable` (store
 * unreachable, disk full, no permission, file still in the cloud).
 */
export interface Store {
  readonly kind: 'folder' | 'joplin' | 'silverbullet' | 'memory';
  /** Shown to people: the folder or the URL without secrets. */
  readonly location: string;
  readonly capabilities: StoreCapabilities;

  /** Every visible file below `prefix` (a folder path, '' = all), in no particular order. */
  list(prefix?: string, signal?: AbortSignal): Promise<StoreListing>;
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
  create(path: string, bytes: Uint8Array): Promise<StoreEntry>;
  /** Replaces the bytes of an existing file, keeping its mode. */
  replace(path: string, bytes: Uint8Array, options: ReplaceFileOptions): Promise<StoreEntry>;
  /** Resolves when every `replace` that left its flush for later is on disk. */
  flush?(): Promise<void>;
  /** Renames without clobbering; `to` may differ from `from` in case only. */
  move(from: string, to: string, options?: MoveFileOptions): Promise<StoreEntry>;
  /** Renames a folder with everything in it to a place that does not exist yet. */
  moveFolder(from: string, to: string): Promise<void>;
  /** Removes `folder` and those it lies in, up to `top`, as far as nothing is in them. A store without empty folders has none. */
  pruneFolders(folder: string, top: string): Promise<void>;
  /** Moves a file to the store's trash and answers where it went, as a path that `restore` takes. */
  trash(path: string): Promise<{ trashPath: string }>;
  /**
   * Moves a file to the trash of the desktop, where its owner will look for it and nothing here restores it.
   * @returns false, having done nothing, where there is none
   */
  trashOnDesktop?(path: string): Promise<boolean>;
  /** Removes a file for good: the caller keeps its bytes. A different version in the store is a `conflict`. */
  remove(path: string, options: ReplaceOptions): Promise<void>;
  listTrash(): Promise<readonly { trashPath: string; size: number; mtimeMs: number }[]>;
  /** Brings a trashed file back to `to`. Never clobbers. */
  restore(trashPath: string, to: string): Promise<StoreEntry>;

  /** Calls `listener` with batches until the returned function is called. Only when `capabilities.watch`. */
  watch(listener: (changes: readonly StoreChange[]) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
