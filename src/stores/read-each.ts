import { isAway } from './presence.ts';
import type { StoredFile } from './store.ts';
import { inParallel } from './turns.ts';

/**
 * Reads several files of a server, a limited number at once.
 *
 * @param read reads one of them
 * @returns those that could be read; an error because the server is away is thrown
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
