import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LecternError } from '../errors.ts';
import { type Database, openDatabase } from '../sqlite/driver.ts';

/** The planned path and id of a file, recorded before anything is written. */
export interface Intent {
  readonly path: string;
  readonly id?: string;
}

/** Etags of a copied file at both stores, after it was read back. */
export interface Carried {
  readonly from: string;
  readonly to: string;
}

type Line =
  | { readonly key: string; readonly intent: Intent }
  | { readonly key: string; readonly carried: Carried };

/**
 * The progress of a copy between two places, as JSON lines in the state folder: the same command continues an
 * interrupted copy. The path and id of a file are on disk before the file is written, so that a file written
 * just before a crash is recognised.
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
   * Opens the record of a copy.
   * @param identity the two places and folders; equal ones share a record
   * @param dryRun only reads the record, and takes no lock
   * @throws LecternError `conflict` while another process copies between these places
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
    // Ends a line that a crash may have cut off.
    await file.appendFile('\n');
    return new CopyRecord(lines, file, lock);
  }

  /** Records the plans of files. They are on disk when this resolves. */
  async intend(intents: ReadonlyMap<string, Intent>): Promise<void> {
    const lines = [...intents].map(([key, intent]) => ({ key, intent }));
    for (const line of lines) this.#took(line);
    await this.#append(lines);
    await this.#file?.datasync();
  }

  /**
   * Records a copied file. It is not flushed to disk: it survives a crash of the process, and after a power
   * cut the file is compared again.
   */
  async done(key: string, carried: Carried): Promise<void> {
    this.#took({ key, carried });
    await this.#append([{ key, carried }]);
  }

  async close(): Promise<void> {
    await this.#file?.datasync();
    await this.#file?.close();
    // Closing alone would not release the lock within this process.
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
      // The line was cut off by a crash.
      return [];
    }
  });
}

/** Takes a lock that is held until the database is closed or the process ends. */
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
