import { chmodSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LecternError } from '../../errors.ts';
import type { DoctorSources } from './context.ts';
import { usersOf } from './users-of-file.ts';

/** The files of a database: its log and shared memory are moved with it. */
export const SUFFIXES = ['', '-wal', '-shm', '-journal'] as const;

/**
 * Creates a folder beside a database for files that are taken out of use.
 * @param now ms since the epoch
 * @returns its path
 */
export function asideFolder(path: string, now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  for (let number = 1; ; number++) {
    const folder = join(dirname(path), `damaged-${time}${number === 1 ? '' : `-${number}`}`);
    if (existsSync(folder)) continue;
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
    return folder;
  }
}

/**
 * Moves a database with its other files. The log is moved first: it must never remain beside another
 * database.
 */
export function setAside(path: string, folder: string): void {
  for (const suffix of [...SUFFIXES].reverse())
    if (existsSync(path + suffix)) renameSync(path + suffix, join(folder, basename(path) + suffix));
}

/** @throws LecternError `conflict` while somebody works with the files of a database, or when nobody can tell */
export async function checkUnused(
  path: string,
  sources: Pick<DoctorSources, 'platform' | 'proc'>,
): Promise<void> {
  const users = await usersOf(
    SUFFIXES.map((suffix) => path + suffix),
    sources,
  );
  if (users?.length === 0) return;
  const who =
    users === undefined
      ? 'Nobody can tell whether a server has it open'
      : `It is in use: ${users.map(({ pid, name }) => `${name} (process ${pid})`).join(', ')}`;
  throw new LecternError('conflict', `${who}.`, {
    next: 'End every Lectern of this vault, and repair again.',
  });
}
