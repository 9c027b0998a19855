import { isLecternError, LecternError } from '../../errors.ts';
import type { Store, StoredFile } from '../../stores/store.ts';

/** @throws LecternError `unavailable` when it cannot be read: its links are unknown */
export async function readIfThere(store: Store, path: string): Promise<StoredFile | undefined> {
  try {
    return await store.read(path);
  } catch (error) {
    if (isLecternError(error) && error.code === 'not_found') return undefined;
    throw new LecternError('unavailable', 'A note that has to follow the change cannot be read.', {
      cause: error,
      next: 'See vault_status for files that cannot be read, or leave the links alone with update_links=false.',
    });
  }
}
