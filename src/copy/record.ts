import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LecternError } from '../errors.ts';
import { type Database, openDatabase } from '../sqlite/driver.ts';

/** Where a file of the source goes, settled before anything is written. */
export interface Intent {
  readonly path: string;
  readonly id?: string;
}

/** A file that was carried and read back: the versions of both sides then. */
export interface Carried {
  readonly from: string;
  readonly to: string;
}

type Line =
  | { readonly key: string; readonly intent: Intent }
  | { readonly key: string; readonly carried: Carried };

/**
 * What a copy from one place to another has done so far, as lines in the state folder: the same command goes on where an
 * earlier one was interrupted. Where a file goes, and under which id, is on the disk before the file is made, so that a
 * file made in the last moment is known again.
 */
export class CopyRecord {
  readonly intents = new Map<string, Intent>();
  readonly carried = new Map<string, Carried>();
  readonly #file: FileHandle | undefined;
  readonly #lock: Database | undefined;

  private constructor(lines: readonly Line[], file: FileHandle | undefined, lock: Database | undefined) {
    this.#file = file;
    this.#lock = lock;
    for (const line of lines) this.#took(line);
  }

  /**
   * @param identity names both places and folders once and for all
   * @throws LecternError `conflict` while another process copies between them
   */
  static async open(state: string, identity: readonly string[], dryRun: boolean): Promise<CopyRecord> {
    const name = createHash('sha256').update(identity.join('\0')).digest('hex').slice(0, 16);
    const folder = join(state, 'copies');
    const path = join(folder, `${name}.jsonl`);
    if (dryRun) return new CopyRecord(await linesIn(path), undefined, undefined);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = locked(join(folder, `${name}.lock`));
    const lines = await linesIn(path);
    const file = await open(path, 'a', 0o600);
    // What a crash left of a line ends here.
    await file.appendFile('\n');
    return new CopyRecord(lines, file, lock);
  }

  /** On the disk when this resolves. */
  async intend(intents: ReadonlyMap<string, Intent>): Promise<void> {
    const lines = [...intents].map(([key, intent]) => ({ key, intent }));
    for (const line of lines) this.#took(line);
    await this.#append(lines);
    await this.#file?.datasync();
  }

  /** A process that dies takes nothing of this along; what the machine loses is looked at once more. */
  async done(key: string, carried: Carried): Promise<void> {
    this.#took({ key, carried });
    await this.#append([{ key, carried }]);
  }

  async close(): Promise<void> {
    await this.#file?.datasync();
    await this.#file?.close();
    // Its end alone would not free the lock for this process.
    this.#lock?.exec('ROLLBACK');
    this.#lock?.close();
  }

  #took(line: Line): void {
    if ('intent' in line) {
      this.intents.set(line.key, line.intent);
      this.carried.delete(line.key);
    } else this.carried.set(line.key, line.carried);
  }

  async #append(lines: readonly Line[]): Promise<void> {
    if (lines.length > 0)
      await this.#file?.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

async function linesIn(path: string): Promise<readonly Line[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Line];
    } catch {
      // Cut off in the middle.
      return [];
    }
  });
}

/** Held until it is closed, or its process ends in whatever way. */
function locked(path: string): Database {
  const database = openDatabase(path, { busyTimeoutMs: 0, wal: false });
  try {
    database.exec('BEGIN IMMEDIATE');
    return database;
  } catch (cause) {
    database.close();
    throw new LecternError('conflict', 'Another process is copying between these places.', {
      cause,
      next: 'Wait until it has ended; this command then goes on where it stopped.',
    });
  }
}
