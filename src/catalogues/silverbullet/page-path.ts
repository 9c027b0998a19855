import { LecternError } from '../../errors.ts';

const TRASH = '_trash/';

/**
 * The path of a page that a client names with or without `.md` and a leading slash.
 *
 * @throws LecternError `invalid_path`
 */
export function pathOf(page: string): string {
  const name = page.startsWith('/') ? page.slice(1) : page;
  if (name === '') throw invalidPath(page, 'it names no page');
  for (const segment of name.split('/')) {
    if (segment === '') throw invalidPath(page, 'it has an empty segment');
    if (segment === '.' || segment === '..') throw invalidPath(page, `it has the segment "${segment}"`);
  }
  // Lectern treats a backslash as a slash, which would name another page.
  if (name.includes('\\')) throw invalidPath(page, 'it has a backslash');
  const path = name.endsWith('.md') ? name : `${name}.md`;
  if (path.includes('.md.md')) throw invalidPath(page, 'it would end in .md twice');
  return path;
}

/**
 * The path of a page to change.
 *
 * @throws LecternError `invalid_path`; `forbidden` for a page in the trash
 */
export function writablePathOf(page: string): string {
  const path = pathOf(page);
  if (isInTrash(path)) throw forbiddenPath(path, 'pages in the trash are not changed');
  return path;
}

/** Compared without case: on some drives `_Trash` is the same folder. */
export function isInTrash(path: string): boolean {
  return path.slice(0, TRASH.length).toLowerCase() === TRASH;
}

/** The path of a page in the trash; with the time when the path is taken. */
export function trashPathOf(path: string, now: Date, taken = false): string {
  const place = `${TRASH}${now.toISOString().slice(0, 7)}/${path}`;
  return taken ? place.replace(/\.md$/, `-${now.getTime()}.md`) : place;
}

/** The name of the page at a path. */
export function pageOf(path: string): string {
  return path.replace(/\.md$/, '');
}

export function invalidPath(input: string, reason: string): LecternError {
  return new LecternError('invalid_path', `Invalid page path ${JSON.stringify(input)}: ${reason}.`, {
    details: { input, reason },
  });
}

export function forbiddenPath(path: string, reason: string): LecternError {
  return new LecternError('forbidden', `Forbidden path ${path}: ${reason}.`, {
    details: { path },
    next: 'Pick a path outside _trash/. delete_page moves a page there, move_page takes it out again.',
  });
}
