import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LecternError } from '../../errors.ts';

/**
 * Reads the text of a configuration file.
 *
 * @returns undefined when it does not exist
 * @throws LecternError `unavailable` when it cannot be read
 */
export async function readConfigText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new LecternError('unavailable', `The configuration file ${path} cannot be read.`, { cause: error });
  }
}

/**
 * Replaces the text of a configuration file atomically. Its mode stays, and a link is followed to its target.
 * A new file is readable by its owner only.
 *
 * @param before the text as it was read; undefined = there was no file
 * @throws LecternError `conflict` when the file was changed since, `unavailable` when it cannot be written
 */
export async function replaceConfig(path: string, before: string | undefined, text: string): Promise<void> {
  const target = before === undefined ? path : await realpath(path);
  const folder = dirname(target);
  const temporary = join(folder, `.${basename(target)}.${randomUUID().slice(0, 8)}`);
  try {
    if (before === undefined) await mkdir(folder, { recursive: true, mode: 0o700 });
    const mode = before === undefined ? 0o600 : (await stat(target)).mode & 0o777;
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(text);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if ((await readConfigText(target)) !== before) throw changedMeanwhile();
    if (before === undefined) await putNew(temporary, target);
    else await rename(temporary, target);
    await syncFolder(folder);
  } catch (error) {
    if (error instanceof LecternError) throw error;
    throw new LecternError('unavailable', `The configuration file ${path} cannot be written.`, {
      cause: error,
      next: 'Check that this user may write there and that the drive is not full.',
    });
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** A new file must not replace one created in the meantime. */
async function putNew(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw changedMeanwhile();
    // Some drives have no hard links.
    await rename(temporary, target);
  }
}

/** Makes the rename survive a power cut; not every system can. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The text itself is on disk.
  }
}

function changedMeanwhile(): LecternError {
  return new LecternError('conflict', 'The configuration file was changed meanwhile.', {
    next: 'Look at it and try again.',
  });
}
