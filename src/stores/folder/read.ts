import type { BigIntStats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { LecternError } from '../../errors.ts';
import { notDownloaded } from '../not-downloaded.ts';
import type { StoredFile } from '../store.ts';
import type { Containment, Located } from './contain/contain.ts';
import type { Drive } from './contain/drive.ts';
import { forbidden, hasCode, notFound, storeError } from './contain/errno.ts';
import {
  entryOf,
  isBlockless,
  isSameInode,
  isUnchanged,
  type OpenedFile,
  specialKind,
} from './contain/identity.ts';
import { OPEN_FILE, readPlain } from './contain/read-plain.ts';
import { cloudPlaceholder } from './icloud.ts';
import { isBeingReplaced } from './swap/sweep.ts';

const READ_ATTEMPTS = 6;
const HELD_ATTEMPTS = 50;

/** @throws LecternError `not_found`, `forbidden`, `invalid_path`, `too_large`, `unavailable` */
export async function readFile(wall: Containment, path: string, maxBytes: number): Promise<StoredFile> {
  const plain = await readPlain(wall, path, maxBytes);
  if (plain !== undefined) return plain;
  const located = await locateSettled(wall, path);
  if (located === undefined) throw await absent(wall, path);
  try {
    const { fd, stats, bytes } = await openStable(wall, located, maxBytes);
    await wall.drive.close(fd);
    return { entry: entryOf(located.path, stats), bytes };
  } finally {
    await located.folder.close();
  }
}

/**
 * Like `locate`, with a second look before it fails: replacing a file that an editor is using removes the old
 * version microseconds before the new one is in place, or permanently when the process is killed at that
 * moment.
 */
export async function locateSettled(wall: Containment, path: string): Promise<Located | undefined> {
  const first = await wall.locate(path);
  if (first !== undefined) return first;
  for (let attempt = 0; attempt < HELD_ATTEMPTS; attempt++) {
    const wasHeld = await isBeingReplaced(wall, path);
    const found = await wall.locate(path);
    if (found !== undefined || !wasHeld) return found;
  }
  return undefined;
}

/** Why a file was not found: it may be a folder, or a cloud drive may hold it. */
export async function absent(wall: Containment, path: string): Promise<LecternError> {
  const folder = await wall.folder(path);
  if (folder !== undefined) {
    await folder.close();
    return new LecternError('invalid_path', `${JSON.stringify(path)} is a folder, not a file.`, {
      details: { path },
      next: 'Pass the path of a file.',
    });
  }
  return (await cloudPlaceholder(wall, path)) ?? notFound(path);
}

/** Opens and reads a located file, again when it was written meanwhile, so that no mixed text is returned. */
export async function openStable(wall: Containment, located: Located, maxBytes: number): Promise<OpenedFile> {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    if (attempt > 0) await delay(2 ** attempt);
    const opened = await openOnce(wall, located, maxBytes);
    if (opened !== undefined) return opened;
  }
  throw new LecternError('unavailable', `${JSON.stringify(located.path)} keeps changing while it is read.`, {
    details: { path: located.path },
    next: 'Try again when the program that writes it has finished.',
  });
}

async function openOnce(
  wall: Containment,
  { folder, name, path }: Located,
  maxBytes: number,
): Promise<OpenedFile | undefined> {
  const { drive } = wall;
  let fd: number;
  try {
    fd = await drive.open(folder.at(name), OPEN_FILE);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      const wasHeld = await isBeingReplaced(wall, path);
      const again = await drive.open(folder.at(name), OPEN_FILE).catch((second: unknown) => {
        if (wasHeld && hasCode(second, 'ENOENT')) return undefined;
        throw storeError(second, path);
      });
      if (again === undefined) return undefined;
      fd = again;
    } else if (hasCode(error, 'ELOOP', 'ENXIO')) {
      throw forbidden(path, 'was replaced by something that is not an ordinary file');
    } else {
      throw storeError(error, path);
    }
  }
  let keep = false;
  let before: BigIntStats | undefined;
  try {
    before = await drive.fstat(fd);
    if (!before.isFile()) throw forbidden(path, `is ${specialKind(before)}`);
    await assertInside(wall, folder.at(name), before, path);
    if (before.size > BigInt(maxBytes)) throw tooLarge(path, Number(before.size), maxBytes);
    const bytes = await readAll(drive, fd, Number(before.size));
    const after = await drive.fstat(fd);
    keep = isUnchanged(before, after) && bytes.length === Number(after.size);
    return keep ? { fd, stats: after, bytes } : undefined;
  } catch (error) {
    // Reading it would download it, which fails without a connection.
    const isOutOfReach = before !== undefined && isBlockless(before) && !(error instanceof LecternError);
    throw isOutOfReach ? notDownloaded(path) : storeError(error, path);
  } finally {
    if (!keep) await drive.close(fd);
  }
}

/** Reads to the current end of the file, whatever its size was before. */
export async function readAll(drive: Drive, fd: number, expected: number): Promise<Uint8Array> {
  // Asking for one byte more than expected shows in the first call that the file has grown.
  let buffer = Buffer.allocUnsafeSlow(expected + 1);
  let length = 0;
  for (;;) {
    const bytesRead = await drive.read(fd, buffer, length, length);
    length += bytesRead;
    // A short read that ends at the known end of the file needs no second read.
    if (bytesRead === 0 || length === expected) return new Uint8Array(buffer.buffer, 0, length);
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafeSlow(buffer.length * 2);
      buffer.copy(larger);
      buffer = larger;
    }
  }
}

/** Where folders cannot be pinned by a descriptor, the opened file is compared with its name again. */
async function assertInside(
  wall: Containment,
  place: string,
  opened: BigIntStats,
  path: string,
): Promise<void> {
  if (place.startsWith('/proc/self/fd/')) return;
  const real = await fs.realpath(place);
  if (wall.relative(real) === undefined) throw forbidden(path, 'leads outside the vault');
  if (!isSameInode(await fs.lstat(real, { bigint: true }), opened)) {
    throw forbidden(path, 'was swapped while it was opened');
  }
}

export function tooLarge(path: string, size: number, maxBytes: number): LecternError {
  return new LecternError(
    'too_large',
    `${JSON.stringify(path)} has ${size} bytes; the limit is ${maxBytes} bytes.`,
    { details: { path, size, limit: maxBytes }, next: 'Split the file, or raise the limit in the settings.' },
  );
}
