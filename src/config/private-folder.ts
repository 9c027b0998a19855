import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { LecternError } from '../errors.ts';

const FOLDER = 0o700;
const FILE = 0o600;
/** Permission bits of other users. */
const OTHERS = 0o077;

/**
 * Creates a folder if it is missing and makes it accessible to its owner only, whatever the umask and its
 * previous mode.
 *
 * @param user the required owner; undefined on systems without user ids
 * @throws LecternError `unavailable`, with the reason, when other users could still read it
 */
export function makePrivate(folder: string, user: number | undefined = process.getuid?.()): void {
  mkdirSync(folder, { recursive: true, mode: FOLDER });
  if (user === undefined) return;
  const found = statSync(folder);
  if (user !== 0 && found.uid !== user)
    throw refused(folder, 'belongs to another user, who could read and change what is in it');
  close(folder, found, FOLDER);
}

/**
 * {@link makePrivate} for a folder and everything in it. Symbolic links are not followed.
 *
 * @throws LecternError `unavailable`, with the reason, when other users could still read a part of it
 */
export function makeAllPrivate(folder: string, user: number | undefined = process.getuid?.()): void {
  makePrivate(folder, user);
  if (user === undefined) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    // Files beside a database may appear and disappear in the meantime.
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry?.isDirectory()) makeAllPrivate(path, user);
    else if (entry?.isFile()) close(path, entry, FILE);
  }
}

function close(path: string, { mode }: Stats, wanted: number): void {
  if ((mode & OTHERS) === 0) return;
  let cause: unknown;
  try {
    chmodSync(path, wanted);
  } catch (error) {
    cause = error;
  }
  const now = statSync(path, { throwIfNoEntry: false });
  if (now === undefined || (now.mode & OTHERS) === 0) return;
  throw refused(
    path,
    'can be read by other users and cannot be closed to them: it is not this user’s, or its drive keeps no modes',
    cause,
  );
}

function refused(path: string, reason: string, cause?: unknown): LecternError {
  return new LecternError('unavailable', `${path} ${reason}.`, {
    ...(cause !== undefined && { cause }),
    next: 'Text of notes is kept there. Give the folder to this user alone (chmod 700), or name another one with --state or LECTERN_STATE.',
  });
}
