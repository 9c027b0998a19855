import * as fs from 'node:fs/promises';
import { LecternError } from '../../errors.ts';
import type { Store, StoreEntry } from '../store.ts';
import { Containment, checkWritable } from './contain/contain.ts';
import { Drive } from './contain/drive.ts';
import { hasCode, storeError } from './contain/errno.ts';
import { entryOf } from './contain/identity.ts';
import { placeFor, pruneFolders } from './contain/place-for.ts';
import { listFolders } from './folders.ts';
import { findPlaceholder } from './icloud.ts';
import { LARGEST_FILE } from './largest.ts';
import { listFiles } from './list.ts';
import { locateSettled, readFile, tooLarge } from './read.ts';
import { readSetting, topNames } from './settings.ts';
import { createFile } from './swap/create.ts';
import { openDesktopTrash, trashOnDesktop } from './swap/desktop-trash.ts';
import { DueFlushes } from './swap/due-flushes.ts';
import { LateWrites } from './swap/late-writes.ts';
import { moveFile } from './swap/move.ts';
import { moveFolder } from './swap/move-folder.ts';
import { removeFile } from './swap/remove.ts';
import { replaceFile } from './swap/replace.ts';
import { restoreFile, TRASH, trashFile } from './swap/trash.ts';
import { Activity } from './watch/activity.ts';
import { ChangeSweep } from './watch/touched-since.ts';
import { watchFolder } from './watch/watch.ts';
import { WatchTurn } from './watch/watch-turn.ts';

export interface FolderStoreOptions {
  /** The vault's folder; a symbolic link to it is fine. */
  readonly root: string;
  /** Files and folders (vault-relative) that listing and watching leave out. They stay readable by path. */
  readonly ignore?: (path: string) => boolean;
  /** Largest file that is read or written, bytes. Default 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * A vault that is a folder on disk, shared with editors and sync tools that do not cooperate.
 * @throws LecternError `not_found`, `invalid_input` (a file), `unavailable`
 */
export async function openFolderStore(options: FolderStoreOptions): Promise<Store> {
  const { maxBytes = LARGEST_FILE } = options;
  const turn = WatchTurn.ofProcess();
  const wall = await openWall(options.root);
  const activity = new Activity();
  const late = new LateWrites();
  const due = new DueFlushes();
  const folders = new Set<string>();
  const sweep = new ChangeSweep({ wall, ignore: options.ignore, folders });
  const remember = (entry: StoreEntry) => {
    activity.wrote(entry.version);
    return entry;
  };
  const checkSize = (path: string, bytes: Uint8Array) => {
    if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes);
  };
  const list = (prefix = '', signal?: AbortSignal) =>
    listFiles(wall, prefix, {
      maxBytes,
      ignore: options.ignore,
      signal,
      onFolder: (path) => {
        folders.add(path);
        sweep.listed(path);
      },
    });

  const replace = async (path: string, bytes: Uint8Array, expectedEtag: string, later?: DueFlushes) => {
    checkSize(path, bytes);
    return replaceFile(wall, path, bytes, expectedEtag, {
      maxBytes,
      activity,
      late,
      ...(later && { due: later }),
    });
  };

  return {
    kind: 'folder',
    location: options.root,
    capabilities: { watch: true, ids: false, facts: false },
    list,
    touchedSince: (time, known) => sweep.run(time, known),
    stat: async (path) => {
      const located = await locateSettled(wall, path);
      if (located === undefined) return findPlaceholder(wall, path);
      await located.folder.close();
      return entryOf(located.path, located.stats);
    },
    read: (path) => readFile(wall, path, maxBytes),
    topNames: () => topNames(wall),
    readSetting: (path) => readSetting(wall, path),
    placeFor: (path) => placeFor(wall, path),
    create: async (path, bytes, origin) => {
      checkSize(path, bytes);
      return remember(await createFile(wall, path, bytes, origin?.modifiedMs));
    },
    replace: (path, bytes, { expectedEtag }) => replace(path, bytes, expectedEtag),
    batch: () => ({
      replace: (path, bytes, { expectedEtag }) => replace(path, bytes, expectedEtag, due),
      settle: async () => {
        try {
          await due.flush();
        } catch (error) {
          throw storeError(error, '');
        }
      },
    }),
    move: async (from, to, options) => remember(await moveFile(wall, from, to, options)),
    moveFolder: (from, to) => moveFolder(wall, from, to),
    folders: (signal) => listFolders(wall, { ignore: options.ignore, signal }),
    makeFolder: async (path) => {
      checkWritable(path);
      const { folder } = await wall.makeFolder(path);
      await folder.close();
    },
    pruneFolders: (folder, top) => pruneFolders(wall, folder, top),
    trash: async (path, place = 'store') => {
      const desktop = place === 'desktop' ? await openDesktopTrash() : undefined;
      if (desktop === undefined) return await trashFile(wall, path);
      await trashOnDesktop(wall, desktop, path);
      return {};
    },
    remove: (path, expected) => removeFile(wall, path, expected, { maxBytes, activity, late }),
    listTrash: async () => {
      const { entries } = await listFiles(wall, TRASH, { maxBytes });
      return entries.map(({ path, size, mtimeMs }) => ({ trashPath: path, size, mtimeMs }));
    },
    restore: async (trashPath, to) => remember(await restoreFile(wall, trashPath, to)),
    watch: (listener) => watchFolder({ wall, ignore: options.ignore, folders, list, turn }, listener),
    close: async () => {
      await late.close();
      await due.flush();
    },
  };
}

async function openWall(root: string): Promise<Containment> {
  const next = 'Pass the folder that holds your notes.';
  try {
    const real = await fs.realpath(root);
    if ((await fs.stat(real)).isDirectory()) return new Containment(real, await Drive.at(real));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) {
      throw new LecternError('not_found', `The vault folder ${JSON.stringify(root)} does not exist.`, {
        next,
        cause: error,
      });
    }
    throw storeError(error, '');
  }
  throw new LecternError('invalid_input', `${JSON.stringify(root)} is a file, not a folder.`, { next });
}
