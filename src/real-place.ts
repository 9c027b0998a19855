import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The file system functions used; replaced in tests. */
export interface PlaceReader {
  realpath(path: string): string;
  readlink(path: string): string;
  /** Undefined when nothing exists there. */
  stat(path: string): Pick<Stats, 'dev' | 'ino'> | undefined;
  isLink(path: string): boolean;
  names(folder: string): readonly string[];
}

const FILE_SYSTEM: PlaceReader = {
  realpath: (path) => realpathSync.native(path),
  readlink: (path) => readlinkSync(path),
  stat: (path) => statSync(path, { throwIfNoEntry: false }),
  isLink: (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true,
  names: (folder) => readdirSync(folder),
};

/** The limit operating systems use themselves. */
const MAX_LINKS = 40;

/**
 * The canonical path of a file or folder, however it is written: links followed, in the case and Unicode form
 * of the drive. For a missing one (its drive may be away) the path it would have; for one that cannot be
 * read, or a circle of links, the path as given.
 */
export function realPlace(path: string, files: PlaceReader = FILE_SYSTEM): string {
  return placeOf(resolve(path), files, MAX_LINKS);
}

function placeOf(path: string, files: PlaceReader, links: number): string {
  try {
    return spelledTrue(files.realpath(path), files);
  } catch (error) {
    const parent = dirname(path);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || parent === path) return path;
    // A link whose target is missing leads to the target's future path.
    if (links > 0 && files.isLink(path))
      return placeOf(resolve(dirname(path), files.readlink(path)), files, links - 1);
    return join(placeOf(parent, files, links), basename(path));
  }
}

/** On drives where several spellings name one folder, each name as listed. */
function spelledTrue(path: string, files: PlaceReader): string {
  const parent = dirname(path);
  if (parent === path) return path;
  return join(spelledTrue(parent, files), trueName(parent, basename(path), files));
}

function trueName(folder: string, name: string, files: PlaceReader): string {
  const found = files.stat(join(folder, name));
  const isSame = (other: string) => {
    const there = files.stat(join(folder, other));
    return there !== undefined && there.ino === found?.ino && there.dev === found.dev;
  };
  const variants = new Set([
    name.toLowerCase(),
    name.toUpperCase(),
    name.normalize('NFC'),
    name.normalize('NFD'),
  ]);
  variants.delete(name);
  if (found === undefined || ![...variants].some(isSame)) return name;
  try {
    const names = files.names(folder);
    return names.includes(name)
      ? name
      : (names.find((other) => fold(other) === fold(name) && isSame(other)) ?? name);
  } catch {
    // A folder that may be traversed but not listed.
    return name;
  }
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}
