import * as fs from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Containment, type Folder } from '../contain/contain.ts';
import { Drive } from '../contain/drive.ts';
import { storeError } from '../contain/errno.ts';
import { placeNumbered } from './conflict-copy.ts';
import { locateForRemoval, relocate } from './move.ts';

/**
 * The desktop's trash by the freedesktop.org Trash specification 1.0: `files/<name>` beside
 * `info/<name>.trashinfo`, in `$XDG_DATA_HOME/Trash`. It is used only when a desktop has created it: on a
 * server, in a container or under another account nobody would look into a new one.
 *
 * @param environment `XDG_DATA_HOME`, `HOME`
 * @returns undefined where there is none
 */
export async function openDesktopTrash(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Containment | undefined> {
  if (process.platform !== 'linux') return undefined;
  const { XDG_DATA_HOME: data = '', HOME: home = homedir() } = environment;
  const place = join(isAbsolute(data) ? data : join(home, '.local', 'share'), 'Trash');
  try {
    const root = await fs.realpath(place);
    for (const part of ['files', 'info']) {
      if (!(await fs.lstat(join(root, part))).isDirectory()) return undefined;
    }
    return new Containment(root, await Drive.at(root));
  } catch {
    return undefined;
  }
}

/** Moves a file into the trash, across drives if needed. A number is added to a name that is taken. */
export async function trashOnDesktop(wall: Containment, trash: Containment, path: string): Promise<void> {
  const source = await locateForRemoval(wall, path);
  let files: Folder | undefined;
  let info: Folder | undefined;
  try {
    files = await trash.folder('files');
    info = await trash.folder('info');
    if (files === undefined || info === undefined) throw new Error('The trash is gone.');
    const [target, notes] = [files, info];
    const text = trashInfo(wall.absolute(source.path), new Date());
    await placeNumbered(source.name, '', async (name) => {
      // The info file is created first: it reserves the name.
      const place = notes.at(`${name}.trashinfo`);
      await fs.writeFile(place, text, { flag: 'wx', mode: 0o600, flush: true });
      try {
        await relocate(source, { folder: target, name });
      } catch (error) {
        await fs.rm(place, { force: true });
        throw error;
      }
    });
    await info.sync();
  } catch (error) {
    throw storeError(error, path);
  } finally {
    await files?.close();
    await info?.close();
    await source.folder.close();
  }
}

/** @param original absolute path */
export function trashInfo(original: string, deleted: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${deleted.getFullYear()}-${two(deleted.getMonth() + 1)}-${two(deleted.getDate())}`;
  const time = `${two(deleted.getHours())}:${two(deleted.getMinutes())}:${two(deleted.getSeconds())}`;
  const path = original.split('/').map(encodeURIComponent).join('/');
  return `[Trash Info]\nPath=${path}\nDeletionDate=${day}T${time}\n`;
}
