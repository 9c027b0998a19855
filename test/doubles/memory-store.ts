import { etagOf } from '../../src/notes/etag.ts';
import { fileKindOf, pathKey, readablePathProblem } from '../../src/notes/path.ts';
import { withFacts } from '../../src/stores/facts.ts';
import { FoldersOfFiles, placeAmong } from '../../src/stores/place-among.ts';
import { checkReadable, refuse } from '../../src/stores/refusals.ts';
import type {
  FactChanges,
  NoteFacts,
  Origin,
  Placement,
  Store,
  StoreChange,
  StoreEntry,
} from '../../src/stores/store.ts';

export interface MemoryStoreOptions {
  /** Files to start with, text or bytes by path. Dot folders hold settings (`.obsidian/app.json`). */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Another memory store's files: both see each other's changes, like two programs on one folder. */
  readonly shareWith?: MemoryStore;
  readonly maxBytes?: number;
  /** Keeps facts beside the bytes, and an id of each note. */
  readonly facts?: boolean;
}

interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly facts?: NoteFacts;
  /** Stays with the file wherever it goes. */
  readonly id: string;
  readonly showsId: boolean;
  readonly mtimeMs: number;
  readonly birthtimeMs: number;
  readonly serial: number;
}

interface Shared {
  readonly files: Map<string, MemoryFile>;
  readonly trash: Map<string, MemoryFile>;
  readonly listeners: Set<(change: StoreChange) => void>;
  serial: number;
}

export interface MemoryStore extends Store {
  readonly shared: Shared;
}

/** A vault in memory with the folder store's contract, for tests of everything above the port. */
export function openMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const shared: Shared = options.shareWith?.shared ?? {
    files: new Map(),
    trash: new Map(),
    listeners: new Set(),
    serial: 0,
  };
  const { files, trash } = shared;
  const maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
  const encoder = new TextEncoder();
  const stops = new Set<() => Promise<void>>();

  const keepsFacts = options.facts ?? false;
  const put = (path: string, bytes: Uint8Array, old?: MemoryFile, origin?: Origin): StoreEntry => {
    const now = origin?.modifiedMs ?? Date.now();
    const serial = ++shared.serial;
    const file: MemoryFile = {
      bytes: bytes.slice(),
      id: old?.id ?? origin?.id ?? serial.toString(16).padStart(32, '0'),
      showsId: keepsFacts,
      mtimeMs: now,
      birthtimeMs: old?.birthtimeMs ?? origin?.createdMs ?? now,
      serial,
      ...(keepsFacts && fileKindOf(path) === 'note' && { facts: old?.facts ?? origin?.facts ?? {} }),
    };
    files.set(path, file);
    emit({ kind: 'changed', path });
    return entryOf(path, file);
  };
  const emit = (change: StoreChange) => {
    for (const listener of shared.listeners) listener(change);
  };
  const find = (path: string): [string, MemoryFile] | undefined => {
    checkReadable(path);
    const exact = files.get(path);
    if (exact !== undefined) return [path, exact];
    const key = path.normalize('NFC');
    for (const [other, file] of files) {
      if (!isHidden(other) && other.normalize('NFC') === key) return [other, file];
    }
    return undefined;
  };
  const get = (path: string): [string, MemoryFile] => {
    const found = find(path);
    if (found !== undefined) return found;
    if (isFolder(path)) {
      throw refuse('invalid_path', path, 'is a folder, not a file', 'Pass the path of a file.');
    }
    throw refuse('not_found', path, 'does not exist', 'Check the spelling.');
  };
  const isFolder = (path: string) => [...files.keys()].some((other) => other.startsWith(`${path}/`));
  const placeFor = (path: string): Placement => {
    checkReadable(path);
    return placeAmong(new FoldersOfFiles([...files.keys()].filter((other) => !isHidden(other))), path);
  };
  const assertFree = (path: string) => {
    checkReadable(path);
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      const folder = pathKey(path.slice(0, slash));
      if ([...files.keys()].some((other) => pathKey(other) === folder)) {
        throw refuse('invalid_path', path, 'has a parent that is a file', 'Choose another folder.');
      }
    }
    const isTaken =
      isFolder(path) || [...files.keys()].some((other) => other.normalize('NFC') === path.normalize('NFC'));
    if (isTaken) throw refuse('exists', path, 'already exists', 'Choose another name.');
  };
  const checkSize = (path: string, bytes: Uint8Array) => {
    if (bytes.length > maxBytes) throw refuse('too_large', path, 'is too large', 'Split the file.');
  };

  for (const [path, content] of Object.entries(options.files ?? {})) {
    put(path, typeof content === 'string' ? encoder.encode(content) : content);
  }

  return {
    shared,
    kind: 'memory',
    location: 'memory',
    capabilities: { watch: true, ids: keepsFacts, facts: keepsFacts },
    async list(prefix = '', signal) {
      signal?.throwIfAborted();
      const entries = [...files]
        .filter(([path]) => !isHidden(path) && (prefix === '' || path.startsWith(`${prefix}/`)))
        .map(([path, file]) => entryOf(path, file));
      return { entries, problems: [] };
    },
    async stat(path) {
      const found = find(path);
      return found && entryOf(...found);
    },
    async read(path) {
      const [real, file] = get(path);
      checkSize(path, file.bytes);
      return { entry: entryOf(real, file), bytes: file.bytes.slice() };
    },
    async topNames() {
      return [...new Set([...files.keys()].map((path) => path.split('/')[0] ?? path))];
    },
    async readSetting(path) {
      return files.get(path)?.bytes.slice();
    },
    async placeFor(path) {
      return placeFor(path);
    },
    async create(asked, bytes, origin) {
      checkSize(asked, bytes);
      const { path } = placeFor(asked);
      assertFree(path);
      return put(path, bytes, undefined, origin);
    },
    async replace(path, bytes, { expectedEtag }) {
      checkSize(path, bytes);
      const [real, file] = get(path);
      if (etagOf(file.bytes, file.facts) !== expectedEtag) {
        throw refuse('conflict', path, 'was changed by someone else', 'Read it again and repeat the change.');
      }
      return put(real, bytes, file);
    },
    ...(keepsFacts && {
      async setFacts(path: string, changes: FactChanges, { expectedEtag }: { expectedEtag: string }) {
        const [real, file] = get(path);
        if (etagOf(file.bytes, file.facts) !== expectedEtag) {
          throw refuse(
            'conflict',
            path,
            'was changed by someone else',
            'Read it again and repeat the change.',
          );
        }
        const facts = withFacts(file.facts, changes);
        return put(real, file.bytes, { ...file, facts });
      },
    }),
    async move(from, asked) {
      const [real, file] = get(from);
      const { path: to } = placeFor(asked);
      if (real === to) return entryOf(real, file);
      assertFree(to);
      files.delete(real);
      files.set(to, { ...file, serial: ++shared.serial });
      emit({ kind: 'removed', path: real });
      emit({ kind: 'changed', path: to });
      return entryOf(to, { ...file, serial: shared.serial });
    },
    async moveFolder(from, asked) {
      checkReadable(from);
      const { path: to } = placeFor(asked);
      if (files.has(from)) throw refuse('forbidden', from, 'is not a folder', 'Pass the path of a folder.');
      if (to.startsWith(`${from}/`))
        throw refuse('invalid_path', to, 'lies inside the moved folder', 'Choose another place.');
      const below = [...files].filter(([path]) => path.startsWith(`${from}/`));
      if (below.length === 0) throw refuse('not_found', from, 'does not exist', 'List the folders first.');
      const key = pathKey(to);
      const isTaken = (path: string) =>
        !path.startsWith(`${from}/`) && (pathKey(path) === key || pathKey(path).startsWith(`${key}/`));
      if ([...files.keys()].some(isTaken)) {
        throw refuse('exists', to, 'exists already', 'Choose another place.');
      }
      for (const [path, file] of below) {
        files.delete(path);
        files.set(to + path.slice(from.length), { ...file, serial: ++shared.serial });
      }
      emit({ kind: 'rescan', path: from });
      emit({ kind: 'rescan', path: to });
    },
    async pruneFolders() {
      // A folder is here as long as a file lies in it.
    },
    async trash(path) {
      const [real, file] = get(path);
      const trashPath = freeTrashPath(trash, real);
      files.delete(real);
      trash.set(trashPath, file);
      emit({ kind: 'removed', path: real });
      return { trashPath };
    },
    async remove(path, { expectedEtag }) {
      const [real, file] = get(path);
      if (etagOf(file.bytes, file.facts) !== expectedEtag) {
        throw refuse('conflict', path, 'was changed by someone else', 'Read it again and repeat the change.');
      }
      files.delete(real);
      emit({ kind: 'removed', path: real });
    },
    async listTrash() {
      return [...trash].map(([trashPath, { bytes, mtimeMs }]) => ({
        trashPath,
        size: bytes.length,
        mtimeMs,
      }));
    },
    async restore(trashPath, asked) {
      const { path: to } = placeFor(asked);
      if (!trashPath.startsWith('.trash/') || readablePathProblem(trashPath.slice(7)) !== undefined) {
        throw refuse('invalid_path', trashPath, 'is not a path in the trash', 'Pass a path from its list.');
      }
      const file = trash.get(trashPath);
      if (file === undefined) {
        throw refuse('not_found', trashPath, 'does not exist', 'List the trash.');
      }
      assertFree(to);
      trash.delete(trashPath);
      files.set(to, { ...file, serial: ++shared.serial });
      emit({ kind: 'changed', path: to });
      return entryOf(to, { ...file, serial: shared.serial });
    },
    async watch(listener) {
      const pending = new Map<string, StoreChange>();
      const flush = () => {
        const changes = [...pending.values()];
        pending.clear();
        if (changes.length > 0) listener(changes);
      };
      const take = (change: StoreChange) => {
        if (isHidden(change.path)) return;
        if (pending.size === 0) setImmediate(flush);
        pending.set(change.path, change);
      };
      shared.listeners.add(take);
      const stop = async () => {
        pending.clear();
        shared.listeners.delete(take);
        stops.delete(stop);
      };
      stops.add(stop);
      return stop;
    },
    async close() {
      for (const stop of [...stops]) await stop();
    },
  };
}

function freeTrashPath(trash: ReadonlyMap<string, unknown>, path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
  for (let number = 1; ; number++) {
    const candidate = `.trash/${stem}${number === 1 ? '' : ` ${number}`}${extension}`;
    if (!trash.has(candidate)) return candidate;
  }
}

function entryOf(path: string, file: MemoryFile): StoreEntry {
  return {
    path,
    kind: fileKindOf(path),
    size: file.bytes.length,
    mtimeMs: file.mtimeMs,
    ctimeMs: file.mtimeMs,
    birthtimeMs: file.birthtimeMs,
    version: String(file.serial),
    ...(file.showsId && { id: file.id }),
    ...(file.facts && { facts: file.facts }),
  };
}

function isHidden(path: string): boolean {
  return path.startsWith('.') || path.includes('/.');
}
