import { isLecternError } from '../../errors.ts';
import { joplinFileName } from '../../notes/dialects/joplin.ts';
import { nameOf } from '../../notes/dialects/joplin-names.ts';
import type { VaultLookups } from '../catalogue.ts';
import { ToolError } from './failures.ts';

/** Limit of notes with one title in one notebook, which Joplin allows and a folder does not. */
const MOST_TWINS = 200;

/**
 * Runs an attempt for the first free place: `Title`, `Title-1` and so on, numbered as in Joplin's exports.
 *
 * @param attempt throws LecternError `exists` when the place is taken
 * @throws ToolError when all places are taken
 */
export async function atFreePlace<T>(place: string, attempt: (place: string) => Promise<T>): Promise<T> {
  for (let number = 0; number <= MOST_TWINS; number++) {
    try {
      return await attempt(number === 0 ? place : `${place}-${number}`);
    } catch (error) {
      if (!isLecternError(error) || error.code !== 'exists') throw error;
    }
  }
  throw new ToolError('There are too many notes or notebooks of this title here; choose another title');
}

/** The file name for a title: that of the app's export, or that of the store of a running app. */
export function fileNameOf(title: string, { keepsFacts }: Pick<VaultLookups, 'keepsFacts'>): string {
  return keepsFacts ? nameOf(title) : joplinFileName(title);
}
