import { LecternError } from '../errors.ts';

/**
 * Vault-relative paths: `/` as separator, no leading slash, in the store's spelling. Two spellings name one
 * file when their {@link pathKey}s are equal.
 *
 * Reading and creating have separate rules: a vault may contain a name that some systems cannot write (`a:b.md`
 * from Linux). Such a note must stay readable, but no new one is created.
 */

/** The kinds of files, as in the store port. */
export type FileKind = 'note' | 'canvas' | 'base' | 'attachment';

const MAX_SEGMENT_BYTES = 255;
const MAX_PATH_BYTES = 4096;

/** Characters that a file system (HFS+) may ignore in names, so that `\u200c.git` would open `.git`. */
const IGNORABLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
/** NTFS short names of the folders that must never be reached. */
const SHORT_NAME = /^(git|obsidi|trash)~\d+$/;
const WINDOWS_RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)/i;
const WINDOWS_FORBIDDEN = /[<>:"|?*\u0000-\u001f\u007f]/g;
const UNLINKABLE = /[#|^[\]:]|%%/g;

/**
 * A path that passes all rules below, as nearly every path does: ASCII, each segment begins with a letter, a
 * digit or `_`, and no special characters.
 */
const PLAIN = /^\w[\w .,'()&+=!-]*(?:\/\w[\w .,'()&+=!-]*)*$/;

/** Why a path is refused: the end of a sentence about it, and the next step. */
export interface PathProblem {
  readonly reason: string;
  readonly next: string;
}

/**
 * The canonical form of a file's path: backslashes become slashes, repeated slashes one, a leading slash or
 * `./` is removed. Unicode form and case stay.
 *
 * @throws LecternError `invalid_path` when the path cannot name a file inside a vault
 */
export function normalizePath(input: string): string {
  const path = fromRoot(input);
  if (path === '')
    throw invalid(input, { reason: 'is empty', next: 'Pass a path such as "Folder/Note.md".' });
  if (path.endsWith('/')) {
    throw invalid(input, {
      reason: 'ends with a slash and so names a folder',
      next: 'Pass the path of a file, such as "Folder/Note.md".',
    });
  }
  return checked(input, path);
}

/**
 * {@link normalizePath} for a folder: a trailing slash is removed, and the vault root is the empty string.
 *
 * @throws LecternError `invalid_path` when the path cannot name a folder inside a vault
 */
export function normalizeFolder(input: string): string {
  const path = fromRoot(input).replace(/\/$/, '');
  return path === '' || path === '.' ? '' : checked(input, path);
}

/**
 * Why a canonical path must not be read; undefined when it may. It refuses paths that could leave the vault or
 * reach a hidden folder: `.` and `..` segments, NUL, and names with a leading dot at any depth, also when
 * disguised.
 */
export function readablePathProblem(path: string): PathProblem | undefined {
  if (path.length <= MAX_SEGMENT_BYTES && PLAIN.test(path)) return undefined;
  if (path.includes('\0')) {
    return { reason: 'contains a NUL character', next: 'Remove it.' };
  }
  if (/\p{Surrogate}/u.test(path)) {
    return { reason: 'contains half of a surrogate pair', next: 'Pass well-formed Unicode.' };
  }
  if (/^[a-z]:(\/|$)/i.test(path)) {
    return {
      reason: 'starts with a drive letter',
      next: 'Pass a path relative to the vault, such as "Folder/Note.md".',
    };
  }
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    return { reason: `is longer than ${MAX_PATH_BYTES} bytes`, next: 'Use a shorter path.' };
  }
  for (const segment of path.split('/')) {
    if (segment === '') return { reason: 'has an empty segment', next: 'Remove the extra slash.' };
    const bare = segment.replace(IGNORABLE, '').trim().toLowerCase();
    if (bare === '' || bare === '.' || bare === '..') {
      return {
        reason: `has the segment "${segment}", which names no file`,
        next: 'Pass the full path from the vault root, without "." and "..".',
      };
    }
    if (bare.startsWith('.') || SHORT_NAME.test(bare)) {
      return {
        reason: `has the hidden segment "${segment}"`,
        next: 'Files and folders whose names start with a dot are settings of other programs, never notes.',
      };
    }
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
      return {
        reason: `has a segment longer than ${MAX_SEGMENT_BYTES} bytes`,
        next: 'Use a shorter name.',
      };
    }
  }
  return undefined;
}

export interface CreatableOptions {
  /** Whether names are accepted that links cannot contain (`# | ^ [ ] :` and `%%`). */
  readonly allowUnlinkable?: boolean;
}

/**
 * Why no file may be created at a canonical path; undefined when one may. Besides unreadable paths it refuses
 * names that Windows cannot store, as vaults are synced between systems, and names that links cannot contain.
 */
export function creatablePathProblem(path: string, options: CreatableOptions = {}): PathProblem | undefined {
  const readable = readablePathProblem(path);
  if (readable !== undefined) return readable;
  for (const segment of path.split('/')) {
    if (WINDOWS_RESERVED.test(segment)) {
      return { reason: `has the name "${segment}", which Windows reserves`, next: 'Choose another name.' };
    }
    if (/[. ]$/.test(segment) || / \.[^.]*$/.test(segment) || segment.startsWith(' ')) {
      return {
        reason: `has the name "${segment}" with a space or dot at its edge, which some systems drop`,
        next: 'Remove the space or dot.',
      };
    }
    if (options.allowUnlinkable !== true) {
      const unlinkable = distinct(segment.match(UNLINKABLE));
      if (unlinkable !== '') {
        return {
          reason: `has the name "${segment}", which no link can name because of ${unlinkable}`,
          next: 'Choose a name without # | ^ [ ] : and %%.',
        };
      }
    }
    const forbidden = distinct(segment.match(WINDOWS_FORBIDDEN));
    if (forbidden !== '') {
      return {
        reason: `has the name "${segment}", which Windows cannot hold because of ${forbidden}`,
        next: 'Choose a name without < > : " | ? * and control characters.',
      };
    }
  }
  return undefined;
}

/** @throws LecternError `invalid_path` when no file may be created at this canonical path */
export function assertCreatable(path: string, options: CreatableOptions = {}): void {
  const problem = creatablePathProblem(path, options);
  if (problem !== undefined) throw invalid(path, problem);
}

/** The form in which paths are compared: NFC, lower case. It is no path and must never be passed to a store. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** {@link pathKey} of the last segment, extension included. */
export function nameKey(path: string): string {
  return pathKey(baseName(path));
}

/** Whether a path is that of a Markdown note: its extension is `md` in any case. */
export function isNotePath(path: string): boolean {
  return extension(path) === 'md';
}

/** The kind of a file by its extension. */
export function fileKindOf(path: string): FileKind {
  switch (extension(path)) {
    case 'md':
      return 'note';
    case 'canvas':
      return 'canvas';
    case 'base':
      return 'base';
    default:
      return 'attachment';
  }
}

/** The extension of a path, lower case and without the dot; empty when there is none. */
export function extension(path: string): string {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The last segment, extension included. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The last segment without its extension: `a/v1.2 notes.md` → `v1.2 notes`. */
export function stem(path: string): string {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name : name.slice(0, dot);
}

/** The parent folder of a path; empty for the vault root. */
export function dirName(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** The path of a name in a folder; the vault root is the empty path. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/**
 * Joins a relative link path to the folder of the note that contains it, resolving `.` and `..`.
 *
 * @returns the canonical path; undefined when it leaves the vault or is its root
 */
export function joinRelative(sourcePath: string, relative: string): string | undefined {
  const folder = dirName(sourcePath);
  const segments = folder === '' ? [] : folder.split('/');
  for (const segment of relative.replaceAll('\\', '/').split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else {
      segments.push(segment);
    }
  }
  return segments.length === 0 ? undefined : segments.join('/');
}

function fromRoot(input: string): string {
  return input
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .replace(/^\.?\//, '');
}

function checked(input: string, path: string): string {
  const problem = readablePathProblem(path);
  if (problem !== undefined) throw invalid(input, problem);
  return path;
}

/** Longest path that an error repeats, UTF-16 code units, as callers may pass a whole text as a path. */
const MAX_SHOWN = 300;

function invalid(path: string, problem: PathProblem): LecternError {
  const shown = path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path;
  return new LecternError('invalid_path', `The path ${JSON.stringify(shown)} ${problem.reason}.`, {
    details: { path: shown },
    next: problem.next,
  });
}

function distinct(found: readonly string[] | null): string {
  return [...new Set(found ?? [])].map((text) => JSON.stringify(text).slice(1, -1)).join(' ');
}
