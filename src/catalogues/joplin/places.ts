import { isLecternError } from '../../errors.ts';
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

export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
