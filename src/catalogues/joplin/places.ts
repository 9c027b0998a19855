import { isLecternError } from '../../errors.ts';
import { joplinFileName } from '../../notes/dialects/joplin.ts';
import { nameOf } from '../../notes/dialects/joplin-names.ts';
import type { VaultLookups } from '../catalogue.ts';
import { ToolError } from './failures.ts';

/** Notes of one title in one notebook, which Joplin may have and a folder may not. */
const MOST_TWINS = 200;

/**
 * Does something at the first place that is free: `Title`, `Title-1` and so on, as Joplin's exports number them.
 *
 * @param attempt throws LecternError `exists` where the place is taken
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

/** The file name of a note by its title: as the app's export has it, or as the store of a running app does. */
export function fileNameOf(title: string, { keepsFacts }: Pick<VaultLookups, 'keepsFacts'>): string {
  return keepsFacts ? nameOf(title) : joplinFileName(title);
}
