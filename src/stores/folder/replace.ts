import { type BigIntStats, linkSync, lstatSync, renameSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { etagOf } from '../../notes/etag.ts';
import type { StoreEntry } from '../store.ts';
import type { Activity } from './activity.ts';
import { keepBeside } from './conflict-copy.ts';
import type { Containment, Located } from './contain.ts';
import { writeDurably } from './create.ts';
import { conflict, hasCode, isLinkUnsupported, storeError } from './errno.ts';
import { entryOf, isUnchanged, settledStats, versionOf } from './identity.ts';
import type { LateWrites } from './late-writes.ts';
import { placeNew, takeAway } from './place.ts';
import { absent, locateSettled, type OpenedFile, openStable, readAll } from './read.ts';
import { NEW, openSwap, type Swap, TAKEN } from './swap.ts';

export interface ReplaceContext {
  readonly maxBytes: number;
  readonly activity: Activity;
  readonly late: LateWrites;
}

/**
 * Compare and swap on a file that other programs write without asking. The new version is complete
 * and flushed before anything is touched. Then, by how the file looks:
 *
 * - Quiet (no sign of another writer for five seconds): the old version gets a second name, its
 *   identity is checked, and the new one is renamed over it. The path always exists, and sync tools
 *   see the kind of save they know. To be lost, an editor's first save after a pause would have to
 *   be a rename that falls between two adjacent system calls.
 * - Busy: the old version is renamed away first, which captures whatever is there, and the new one
 *   is linked to the free name, which cannot overwrite. The path is missing for microseconds;
 *   a crash just then is repaired by the next listing (`sweep`).
 *
 * Afterwards the old version is read again through its open descriptor: an editor that was writing
 * in place gets its version back and the caller a `conflict`. No version is destroyed unread.
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
  const located = await locateSettled(wall, path);
  if (located === undefined) throw await absent(wall, path);
  try {
    const old = await openStable(wall, located, context.maxBytes);
    let watched = false;
    try {
      if (etagOf(old.bytes) !== expectedEtag) throw conflict(located.path);
      const stats = await exchange(located, old, bytes, expectedEtag, context);
      context.activity.wrote(versionOf(stats));
      context.late.watch(wall, located.path, old);
      watched = true;
      return entryOf(located.path, stats);
    } finally {
      if (!watched) await old.handle.close();
    }
  } catch (error) {
    const refusal = storeError(error, path);
    if (refusal.code === 'conflict') context.activity.noticeOther(located.path);
    throw refusal;
  } finally {
    await located.folder.close();
  }
}

async function exchange(
  { folder, name, path }: Located,
  old: OpenedFile,
  bytes: Uint8Array,
  etag: string,
  context: ReplaceContext,
): Promise<BigIntStats> {
  const swap = await openSwap(folder, etag);
  const target = folder.at(name);
  const newPlace = swap.at(NEW);
  const oldPlace = swap.at(name);
  try {
    await writeDurably(newPlace, bytes, Number(old.stats.mode) & 0o777, (handle) =>
      keepOwnership(handle, old.stats),
    );
    const fresh = await fs.lstat(newPlace, { bigint: true });
    const isDone = context.activity.isBusy(path, old.stats, fresh.mtimeNs)
      ? captureThenPlace(target, newPlace, oldPlace, old.stats)
      : checkThenRename(target, newPlace, oldPlace, old.stats);
    if (!isDone) throw conflict(path);
    if (!(await isStillRead(old))) {
      await giveBack(swap, target, name, fresh, old);
      throw conflict(path);
    }
    await swap.discard();
    await folder.sync();
    return await settledStats(target, fresh);
  } finally {
    await swap.settle();
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
  // Whatever fails or is found from here on, `settle` puts the captured version back or beside.
  const isExpected = isUnchanged(lstatSync(oldPlace, { bigint: true }), old);
  try {
    placeNew(isExpected ? newPlace : oldPlace, target);
    return isExpected;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** The bytes of the old version, compared in full: a save within one clock tick can look unchanged. */
async function isStillRead({ handle, stats, bytes }: OpenedFile): Promise<boolean> {
  if (!isUnchanged(await handle.stat({ bigint: true }), stats)) return false;
  return Buffer.compare(await readAll(handle, bytes.length), bytes) === 0;
}

/**
 * Puts back an old version that an editor wrote to in place while it was being replaced. When yet
 * another version has taken the place, `settle` keeps this one beside it.
 */
async function giveBack(
  swap: Swap,
  target: string,
  name: string,
  fresh: BigIntStats,
  old: OpenedFile,
): Promise<void> {
  const linked = lstatSync(swap.at(name), { bigint: true, throwIfNoEntry: false });
  if (linked === undefined) {
    // A drive without hard links: the old version lives on in its descriptor only.
    await keepBeside(swap.folder, name, { bytes: await readAll(old.handle, old.bytes.length) });
    return;
  }
  if (!takeAway(target, swap.at(TAKEN), fresh)) return;
  placeNew(swap.at(name), target);
  await fs.rm(swap.at(TAKEN), { force: true });
}

async function keepOwnership(handle: fs.FileHandle, old: BigIntStats): Promise<void> {
  const now = await handle.stat();
  if (now.uid !== Number(old.uid) || now.gid !== Number(old.gid)) {
    // Only the superuser may give files away; the group alone is often allowed.
    await handle.chown(Number(old.uid), Number(old.gid)).catch(async () => {
      await handle.chown(now.uid, Number(old.gid)).catch(() => undefined);
    });
  }
  // After chown, which clears the set-id bits; past the umask.
  if (process.platform !== 'win32') await handle.chmod(Number(old.mode) & 0o7777);
}
