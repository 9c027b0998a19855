import type { Folder } from '../contain/contain.ts';

/**
 * Folders with renames that are not on disk yet. A thousand files replaced in one write are often in a few
 * folders, and one flush of each folder covers all of its files. The folders stay open: one that is renamed
 * meanwhile is still flushed.
 */
export class DueFlushes {
  readonly #folders = new Map<string, Folder>();
  #running = Promise.resolve();

  /** @returns whether this object must close the folder from now on */
  take(folder: Folder): boolean {
    if (this.#folders.has(folder.path)) return false;
    this.#folders.set(folder.path, folder);
    return true;
  }

  /**
   * Resolves when everything taken before is on disk, by this flush or by one in progress.
   * @throws the error of a failed flush
   */
  flush(): Promise<void> {
    const due = [...this.#folders.values()];
    this.#folders.clear();
    const all = Promise.all([this.#running, ...due.map(flushed)]).then(() => undefined);
    this.#running = all;
    const settle = () => {
      if (this.#running === all) this.#running = Promise.resolve();
    };
    all.then(settle, settle);
    return all;
  }
}

async function flushed(folder: Folder): Promise<void> {
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
