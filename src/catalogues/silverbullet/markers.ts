import { LecternError } from '../../errors.ts';
import type { OpenedNote } from '../../vault/session.ts';

/** Limits of the pages whose versions are kept, and of the versions of each. */
const MOST_PAGES = 10_000;
const MOST_VERSIONS = 8;

interface Version {
  /** The time by which clients identify the version, ms since the epoch. */
  readonly lastModified: number;
  readonly etag: string;
  /** Modification time of the file, ms since the epoch. */
  readonly mtime: number;
}

type Page = Pick<OpenedNote, 'path' | 'etag' | 'mtimeMs'>;

/** By path; the page used last is at the end. */
const handedOut = new Map<string, readonly Version[]>();

/**
 * A time in whole seconds for lists: it shows which pages are new, and is not accepted for overwriting a page
 * that was not read.
 */
export function blurred(mtimeMs: number): number {
  return Math.floor(mtimeMs / 1000) * 1000;
}

/**
 * Registers a version that a client has read completely, and returns its time, ms since the epoch. File
 * systems store times in steps of milliseconds up to two seconds, so two versions can have the same time: the
 * later one gets a time that is one millisecond higher, as long as this process knows both.
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

/** @throws LecternError `conflict` unless the page is still the version with this time */
export function assertUnchanged(page: Page, expected: number): void {
  const known = handedOut.get(page.path)?.find(({ lastModified }) => lastModified === expected);
  const mtime = Math.floor(page.mtimeMs);
  // Lists show whole seconds: such a time is a version only if it was registered.
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
