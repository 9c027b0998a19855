import type { BigIntStats } from 'node:fs';
import { fileKindOf } from '../../../notes/path.ts';
import type { StoreEntry } from '../../store.ts';
import type { Drive } from './drive.ts';

/** `ino:size:mtimeNs:ctimeNs`. The change time catches tools that set the modification time back. */
export function versionOf(stats: BigIntStats): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

/** @param path vault-relative, on-disk spelling */
export function entryOf(path: string, stats: BigIntStats): StoreEntry {
  return {
    path,
    kind: fileKindOf(path),
    size: Number(stats.size),
    mtimeMs: Number(stats.mtimeNs) / 1e6,
    ctimeMs: Number(stats.ctimeNs) / 1e6,
    birthtimeMs: Number(stats.birthtimeNs) / 1e6,
    version: versionOf(stats),
  };
}

/** Below this a drive may store the bytes inside the file's own record and count no block. */
const ONE_BLOCK = 4096n;

/** A size and no block on disk: a cloud drive holds the bytes, if the drive counts blocks at all. */
export function isBlockless({ size, blocks }: BigIntStats): boolean {
  return size >= ONE_BLOCK && blocks === 0n;
}

/** One file under two names or at two times: links and renames change the change time, not this. */
export function isSameInode(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** Same inode, and by size and modification time nobody wrote to it. */
export function isUnchanged(a: BigIntStats, b: BigIntStats): boolean {
  return isSameInode(a, b) && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/**
 * What to report of a file just put in place. Should somebody have changed it again already, its own
 * last known stats: a version that is not on disk makes everybody look again.
 */
export async function settledStats(drive: Drive, place: string, written: BigIntStats): Promise<BigIntStats> {
  const now = await drive.lstat(place).catch(() => undefined);
  return now !== undefined && isUnchanged(now, written) ? now : written;
}

/** Why something that is no regular file cannot be served; never opened, as a FIFO would hang. */
export function specialKind(stats: {
  isFIFO(): boolean;
  isSocket(): boolean;
  isBlockDevice(): boolean;
  isCharacterDevice(): boolean;
}): string {
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isBlockDevice() || stats.isCharacterDevice()) return 'a device';
  return 'not an ordinary file';
}

/** A file read while nobody wrote to it, still open. Whoever asked closes `fd`. */
export interface OpenedFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  readonly bytes: Uint8Array;
}
