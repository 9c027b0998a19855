import {
  type BigIntStats,
  fchmod,
  fchown,
  fstatSync,
  linkSync,
  lstatSync,
  readSync,
  renameSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { promisify } from 'node:util';
import { etagOf } from '../../../notes/etag.ts';
import type { StoreEntry } from '../../store.ts';
import type { Containment, Folder, Located } from '../contain/contain.ts';
import type { Drive } from '../contain/drive.ts';
import { conflict, hasCode, isLinkUnsupported, storeError } from '../contain/errno.ts';
import type { OpenedFile } from '../contain/identity.ts';
import { entryOf, isUnchanged, settledStats, versionOf } from '../contain/identity.ts';
import { findAndOpen } from '../contain/open-plain.ts';
import { placeNew, takeAway } from '../contain/place.ts';
import { MAX_BYTES } from '../contain/read-plain.ts';
import { absent, readAll } from '../read.ts';
import type { Activity } from '../watch/activity.ts';
import { keepBeside } from './conflict-copy.ts';
import { writeDurably } from './create.ts';
import type { DueFlushes } from './due-flushes.ts';
import type { LateWrites } from './late-writes.ts';
import { openSwap, type Swap, settleVersion, TAKEN } from './swap.ts';
import { oldVersionName, releaseTempName, tempFileName } from './temp.ts';

export interface ReplaceContext {
  readonly maxBytes: number;
  readonly activity: Activity;
  readonly late: LateWrites;
  /** Receives the folder when its flush is deferred. */
  readonly due?: DueFlushes;
}

/**
 * Compare and swap on a file that other programs write without coordination. The new version is complete and
 * flushed before anything is changed. Then there are two cases:
 *
 * - Quiet (no sign of another writer for five seconds): the old version gets a second name, its identity is
 *   checked, and the new one is renamed over it. The path always exists, and sync tools see an ordinary save.
 *   An editor's save is lost only if it is a rename that falls between two adjacent system calls.
 * - Busy: the old version is renamed away first, which captures the current file, and the new one is linked
 *   to the free name, which cannot overwrite. The path is missing for microseconds; a crash at that moment is
 *   repaired by the next listing (`sweep`).
 *
 * Afterwards the old version is read again through its open descriptor: if an editor was writing in place,
 * its version is put back and the caller gets a `conflict`. No version is deleted unread.
 *
 * A file with several hard links is an ordinary file: the other names keep the old version.
 */
export async function replaceFile(
  wall: Containment,
  path: string,
  bytes: Uint8Array,
  expectedEtag: string,
  context: ReplaceContext,
): Promise<StoreEntry> {
  const found = await findAndOpen(wall, path, context.maxBytes);
  if (found === undefined) throw await absent(wall, path);
  const { located, old } = found;
  let isDue = false;
  try {
    let watched = false;
    try {
      if (etagOf(old.bytes) !== expectedEtag) throw conflict(located.path);
      const stats = await exchange(located, old, bytes, expectedEtag, context);
      isDue = context.due?.take(located.folder) ?? false;
      context.activity.wrote(versionOf(stats));
      context.late.watch(wall, located.path, old);
      watched = true;
      return entryOf(located.path, stats);
    } finally {
      if (!watched) await wall.drive.close(old.fd);
    }
  } catch (error) {
    const refusal = storeError(error, path);
    if (refusal.code === 'conflict') context.activity.noticeOther(located.path);
    throw refusal;
  } finally {
    if (!isDue) await located.folder.close();
  }
}

async function exchange(
  located: Located,
  old: OpenedFile,
  bytes: Uint8Array,
  etag: string,
  context: ReplaceContext,
): Promise<BigIntStats> {
  const { folder, name, path } = located;
  const temp = tempFileName();
  const newPlace = folder.at(temp);
  let isPlaced = false;
  try {
    const fresh = await writeDurably(
      folder.drive,
      newPlace,
      bytes,
      Number(old.stats.mode) & 0o777,
      (fd, written) => keepOwnership(fd, written, old.stats),
    );
    const replaced = { folder, name, newPlace, old, etag, fresh };
    const isDone = context.activity.isBusy(path, old.stats, fresh.mtimeNs)
      ? await replaceBusy(replaced)
      : await replaceQuiet(replaced);
    if (!isDone) throw conflict(path);
    isPlaced = true;
    if (context.due === undefined) await folder.sync();
    return await settledStats(folder.drive, folder.at(name), fresh);
  } finally {
    if (!isPlaced) await folder.drive.remove(newPlace).catch(() => undefined);
    releaseTempName(temp);
  }
}

interface Exchange {
  readonly folder: Folder;
  readonly name: string;
  /** Temporary path of the new version. */
  readonly newPlace: string;
  readonly old: OpenedFile;
  readonly etag: string;
  /** The new version's identity. */
  readonly fresh: BigIntStats;
}

/** @returns whether the new version is in place and the old one was not written meanwhile */
async function replaceQuiet(exchange: Exchange): Promise<boolean> {
  const { folder, name, newPlace, old, etag } = exchange;
  const second = oldVersionName(etag);
  const oldPlace = folder.at(second);
  try {
    if (!checkThenRename(folder.at(name), newPlace, oldPlace, old.stats)) {
      await settleIfThere(folder, oldPlace, name, etag);
      return false;
    }
    if (await isStillRead(folder.drive, old)) {
      await folder.drive.remove(oldPlace);
      return true;
    }
    const swap = await openSwap(folder, etag);
    try {
      await giveBack(exchange, swap, oldPlace);
    } finally {
      await swap.settle();
      await settleIfThere(folder, oldPlace, name, etag);
    }
    return false;
  } finally {
    releaseTempName(second);
  }
}

/** @returns as {@link replaceQuiet} */
async function replaceBusy(exchange: Exchange): Promise<boolean> {
  const { folder, name, newPlace, old, etag } = exchange;
  const swap = await openSwap(folder, etag);
  try {
    if (!captureThenPlace(folder.at(name), newPlace, swap.at(name), old.stats)) return false;
    // The new version got its name by a link, so its temporary name is removed.
    await folder.drive.remove(newPlace);
    if (await isStillRead(folder.drive, old)) {
      await swap.discard();
      return true;
    }
    await giveBack(exchange, swap, swap.at(name));
    return false;
  } finally {
    await swap.settle();
  }
}

/** A version that is neither in place nor the one that was read is kept where its owner will see it. */
async function settleIfThere(folder: Folder, place: string, name: string, etag: string): Promise<void> {
  try {
    await settleVersion(folder, place, name, etag);
    await folder.drive.remove(place);
  } catch {
    // It does not exist, or it stays for the sweep of the next listing.
  }
}

function checkThenRename(target: string, newPlace: string, oldPlace: string, old: BigIntStats): boolean {
  try {
    linkSync(target, oldPlace);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    if (!isLinkUnsupported(error)) throw error;
  }
  const now = lstatSync(target, { bigint: true, throwIfNoEntry: false });
  if (now === undefined || !isUnchanged(now, old)) return false;
  renameSync(newPlace, target);
  return true;
}

function captureThenPlace(target: string, newPlace: string, oldPlace: string, old: BigIntStats): boolean {
  try {
    renameSync(target, oldPlace);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
  // After any failure or mismatch from here on, `settle` puts the captured version back or beside the note.
  const isExpected = isUnchanged(lstatSync(oldPlace, { bigint: true }), old);
  try {
    placeNew(isExpected ? newPlace : oldPlace, target);
    return isExpected;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Compares all bytes of the old version: a save within one clock tick can look unchanged. */
export async function isStillRead(drive: Drive, old: OpenedFile): Promise<boolean> {
  const { fd, stats, bytes } = old;
  const isStill = bytes.length > MAX_BYTES ? undefined : await drive.together(() => isStillReadNow(old));
  if (isStill !== undefined) return isStill;
  if (!isUnchanged(await drive.fstat(fd), stats)) return false;
  return Buffer.compare(await readAll(drive, fd, bytes.length), bytes) === 0;
}

function isStillReadNow({ fd, stats, bytes }: OpenedFile): boolean {
  if (!isUnchanged(fstatSync(fd, { bigint: true }), stats)) return false;
  // One byte more than expected shows that the file has grown.
  const now = Buffer.allocUnsafe(bytes.length + 1);
  const length = readSync(fd, now, 0, now.length, 0);
  return Buffer.compare(now.subarray(0, length), bytes) === 0;
}

/**
 * Puts back an old version that an editor wrote in place during the replacement. When another version has
 * taken the path, this one is kept beside it by the code that settles `oldPlace`.
 */
async function giveBack({ folder, name, old, fresh }: Exchange, swap: Swap, oldPlace: string): Promise<void> {
  const target = folder.at(name);
  if (lstatSync(oldPlace, { throwIfNoEntry: false }) === undefined) {
    // On a drive without hard links the old version exists only through its descriptor.
    const bytes = await readAll(folder.drive, old.fd, old.bytes.length);
    await keepBeside(folder, name, { bytes });
    return;
  }
  if (!takeAway(target, swap.at(TAKEN), fresh)) return;
  placeNew(oldPlace, target);
  await fs.rm(swap.at(TAKEN), { force: true });
}

/** @returns whether the file had to be changed */
async function keepOwnership(fd: number, now: BigIntStats, old: BigIntStats): Promise<boolean> {
  const isOwner = now.uid === old.uid && now.gid === old.gid;
  if (isOwner && (now.mode === old.mode || process.platform === 'win32')) return false;
  if (!isOwner) {
    // Only the superuser may give files away; the group alone is often allowed.
    await chown(fd, Number(old.uid), Number(old.gid)).catch(async () => {
      await chown(fd, Number(now.uid), Number(old.gid)).catch(() => undefined);
    });
  }
  // After chown, which clears the set-id bits; past the umask.
  if (process.platform !== 'win32') await chmod(fd, Number(old.mode) & 0o7777);
  return true;
}

const chown = promisify(fchown);
const chmod = promisify(fchmod);
