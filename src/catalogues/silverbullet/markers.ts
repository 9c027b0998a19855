import { LecternError } from '../../errors.ts';
import type { OpenedNote } from '../../vault/session.ts';
import type { VaultLookups } from '../catalogue.ts';

/** Versions remembered at once. */
const MOST = 10_000;

/** By session and path: the bytes that a client knows by their `lastModified`. */
const handedOut = new Map<string, { readonly lastModified: number; readonly etag: string }>();

/** Milliseconds since the epoch: what a client shows again to overwrite a page. */
export function lastModifiedOf({ mtimeMs }: Pick<OpenedNote, 'mtimeMs'>): number {
  return Math.floor(mtimeMs);
}

/** For lists: good for showing what is new, useless for overwriting what nobody has read. */
export function blurred(mtimeMs: number): number {
  return Math.floor(mtimeMs / 1000) * 1000;
}

/**
 * Hands a version out to a client that has seen all of its text. Drives keep times in steps of up to two
 * seconds, so that two versions may have the same one: what is remembered here tells them apart.
 */
export function handOut(note: Pick<OpenedNote, 'path' | 'etag' | 'mtimeMs'>, session: VaultLookups): number {
  const lastModified = lastModifiedOf(note);
  const key = keyOf(note.path, session);
  handedOut.delete(key);
  handedOut.set(key, { lastModified, etag: note.etag });
  if (handedOut.size > MOST) for (const [oldest] of handedOut) return forget(oldest, lastModified);
  return lastModified;
}

/** @throws LecternError `conflict` unless the page is as the client knows it */
export function assertUnchanged(note: OpenedNote, expected: number, session: VaultLookups): void {
  const known = handedOut.get(keyOf(note.path, session));
  const isKnown = known?.lastModified !== expected || known.etag === note.etag;
  if (lastModifiedOf(note) === expected && isKnown) return;
  throw new LecternError(
    'conflict',
    `Conflict on ${note.path}: the page has been modified since you last read it.`,
    { details: { path: note.path } },
  );
}

function forget(key: string, lastModified: number): number {
  handedOut.delete(key);
  return lastModified;
}

function keyOf(path: string, { actor }: VaultLookups): string {
  return `${actor.session}\0${path}`;
}
