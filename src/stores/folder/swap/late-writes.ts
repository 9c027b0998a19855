import * as fs from 'node:fs/promises';
import { baseName, dirName } from '../../../notes/path.ts';
import type { Containment } from '../contain/contain.ts';
import type { OpenedFile } from '../contain/identity.ts';
import { isUnchanged } from '../contain/identity.ts';
import { readAll } from '../read.ts';
import { keepBeside } from './conflict-copy.ts';

/** An editor's in-place save takes milliseconds from opening the file to closing it. */
const GRACE_MS = 1000;
const MAX_WATCHED = 32;

interface Watched {
  readonly timer: NodeJS.Timeout;
  readonly check: () => Promise<void>;
}

/**
 * An editor may open a note before it is replaced and write into the old version afterwards: its save would
 * be lost with that version. Replaced versions therefore stay open for a second, and what is written to one
 * in that time becomes a conflict copy beside the note.
 */
export class LateWrites {
  readonly #watched = new Set<Watched>();
  readonly #running = new Set<Promise<void>>();

  /** Takes over `old.fd`. */
  watch(wall: Containment, path: string, old: OpenedFile): void {
    const entry: Watched = {
      timer: setTimeout(() => this.#finish(entry), GRACE_MS),
      check: () => rescue(wall, path, old),
    };
    entry.timer.unref();
    this.#watched.add(entry);
    if (this.#watched.size > MAX_WATCHED) {
      const [oldest] = this.#watched;
      if (oldest !== undefined) this.#finish(oldest);
    }
  }

  /** Checks the versions still watched at once. */
  async close(): Promise<void> {
    for (const entry of [...this.#watched]) this.#finish(entry);
    await Promise.all(this.#running);
  }

  #finish(entry: Watched): void {
    clearTimeout(entry.timer);
    if (!this.#watched.delete(entry)) return;
    const run: Promise<void> = entry.check().finally(() => this.#running.delete(run));
    this.#running.add(run);
  }
}

async function rescue(wall: Containment, path: string, old: OpenedFile): Promise<void> {
  try {
    if (isUnchanged(await wall.drive.fstat(old.fd), old.stats)) return;
    const bytes = await readAll(wall.drive, old.fd, old.bytes.length);
    if (Buffer.compare(bytes, old.bytes) === 0) return;
    const folder = await wall.folder(dirName(path));
    if (folder === undefined) return;
    try {
      if (!(await isAlreadyThere(folder.at(baseName(path)), bytes))) {
        await keepBeside(folder, baseName(path), { bytes });
      }
    } finally {
      await folder.close();
    }
  } catch {
    // The folder is gone or the disk is full: the editor still shows the text it could not save.
  } finally {
    await wall.drive.closeLast(old.fd).catch(() => undefined);
  }
}

async function isAlreadyThere(place: string, bytes: Uint8Array): Promise<boolean> {
  const stats = await fs.lstat(place).catch(() => undefined);
  if (stats === undefined || !stats.isFile() || stats.size !== bytes.length) return false;
  return Buffer.compare(await fs.readFile(place), bytes) === 0;
}
