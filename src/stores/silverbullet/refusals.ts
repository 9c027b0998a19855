import { extension } from '../../notes/path.ts';
import { checkReadable, refuse } from '../refusals.ts';
import { TRASH } from './space.ts';

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

/** Some servers refuse a file without an extension, and none lists it. */
export function checkExtension(path: string): void {
  if (extension(path) === '')
    throw refuse(
      'invalid_path',
      path,
      'has no extension, without which SilverBullet does not list a file',
      'Add one, such as ".md".',
    );
}
