import { isAway } from './presence.ts';
import type { StoredFile } from './store.ts';
import { inParallel } from './turns.ts';

/**
 * Several files of a server, so many at once.
 *
 * @param read one of them
 * @returns those that could be read; what a server says that is away is thrown
 */
export async function readEach(
  paths: readonly string[],
  atOnce: number,
  read: (path: string) => Promise<StoredFile>,
  signal?: AbortSignal,
): Promise<readonly StoredFile[]> {
  const files: StoredFile[] = [];
  await inParallel(paths, atOnce, async (path) => {
    signal?.throwIfAborted();
    const file = await read(path).catch((error: unknown) => {
      if (isAway(error)) throw error;
      return undefined;
    });
    if (file) files.push(file);
  });
  return files;
}
