import type { BigIntStats } from 'node:fs';
import { fileKindOf } from '../../../notes/path.ts';
import type { StoreEntry } from '../../store.ts';
import type { Drive } from './drive.ts';

/** `ino:size:mtimeNs:ctimeNs`. The change time reveals tools that reset the modification time. */
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

/** Smaller files may be stored inside the file's own record, without a block. */
const ONE_BLOCK = 4096n;

/** A size but no blocks on disk: a cloud drive holds the bytes, if the drive counts blocks at all. */
export function isBlockless({ size, blocks }: BigIntStats): boolean {
  return size >= ONE_BLOCK && blocks === 0n;
}

/**
 * Whether two stats describe one file, under two names or at two times: links and renames change the change
 * time, not these fields.
 */
export function isSameInode(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** The same inode, with a size and modification time that show no write in between. */
export function isUnchanged(a: BigIntStats, b: BigIntStats): boolean {
  return isSameInode(a, b) && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/**
 * The stats to report of a file just put in place. If it was changed again already, its last own stats: a
 * version that is not on disk makes every reader look again.
 */
export async function settledStats(drive: Drive, place: string, written: BigIntStats): Promise<BigIntStats> {
  const now = await drive.lstat(place).catch(() => undefined);
  return now !== undefined && isUnchanged(now, written) ? now : written;
}

/** Why a special file cannot be served; it is never opened, because a FIFO would block. */
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

/** A file that was read without a concurrent write, still open. The caller must close `fd`. */
export interface OpenedFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  readonly bytes: Uint8Array;
}
