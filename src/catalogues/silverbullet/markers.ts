import { LecternError } from '../../errors.ts';
import type { OpenedNote } from '../../vault/session.ts';

/** Pages whose versions are remembered, and versions of each. */
const MOST_PAGES = 10_000;
const MOST_VERSIONS = 8;

interface Version {
  /** What clients know it by. */
  readonly lastModified: number;
  readonly etag: string;
  /** Of the file, milliseconds. */
  readonly mtime: number;
}

type Page = Pick<OpenedNote, 'path' | 'etag' | 'mtimeMs'>;

/** By path, the pages handed out last at the end. */
const handedOut = new Map<string, readonly Version[]>();

/** For lists: good for showing what is new, useless for overwriting what nobody has read. */
export function blurred(mtimeMs: number): number {
  return Math.floor(mtimeMs / 1000) * 1000;
}

/**
 * Hands a version out to a client that has seen all of it: the time of the file. Drives keep times in steps of
 * some milliseconds up to two seconds, so two versions may have the same one: the later is told one
 * millisecond more then, for as long as this process knows of both.
 */
export function handOut({ path, etag, mtimeMs }: Page): number {
  const mtime = Math.floor(mtimeMs);
  const versions = handedOut.get(path) ?? [];
  const same = versions.find((one) => one.etag === etag && one.mtime === mtime);
  let lastModified = same?.lastModified ?? mtime;
  if (same === undefined) while (versions.some((one) => one.lastModified === lastModified)) lastModified += 1;
  handedOut.delete(path);
  const others = versions.filter((one) => one !== same).slice(1 - MOST_VERSIONS);
  handedOut.set(path, [...others, { lastModified, etag, mtime }]);
  const [oldest] = handedOut.keys();
  if (handedOut.size > MOST_PAGES && oldest !== undefined) handedOut.delete(oldest);
  return lastModified;
}

/** @throws LecternError `conflict` unless the page is the version that a client knows by this time */
export function assertUnchanged(page: Page, expected: number): void {
  const known = handedOut.get(page.path)?.find(({ lastModified }) => lastModified === expected);
  const mtime = Math.floor(page.mtimeMs);
  // Whole seconds are what lists show: of those only one that was handed out is a version.
  const isVersion =
    known === undefined
      ? mtime === expected && expected % 1000 !== 0
      : known.mtime === mtime && known.etag === page.etag;
  if (isVersion) return;
  throw new LecternError(
    'conflict',
    `Conflict on ${page.path}: the page has been modified since you last read it.`,
    { details: { path: page.path } },
  );
}
