import { extension } from '../../notes/path.ts';
import { checkReadable, refuse } from '../refusals.ts';
import { TRASH } from './space.ts';

/**
 * @throws LecternError `invalid_path` for a path that no store can read, for SilverBullet's own files, and
 *   for the trash
 */
export function checkPath(path: string): void {
  checkReadable(path);
  if (path.startsWith('_plug/') || path.startsWith(TRASH))
    throw refuse(
      'invalid_path',
      path,
      'is kept by SilverBullet itself or is its trash',
      'Choose another folder.',
    );
}

/**
 * SilverBullet lists no file without an extension, and some servers refuse to store one.
 * @throws LecternError `invalid_path`
 */
export function checkExtension(path: string): void {
  if (extension(path) === '')
    throw refuse(
      'invalid_path',
      path,
      'has no extension, without which SilverBullet does not list a file',
      'Add one, such as ".md".',
    );
}
