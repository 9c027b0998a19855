import { open, rename, rm, stat } from 'node:fs/promises';

export interface RotatingLogOptions {
  /** Size in bytes from which the file is rotated. Default 10 MiB. */
  readonly maxBytes?: number;
  /** Number of old files that are kept, as `<path>.1` (the newest) and so on. Default 5. */
  readonly keep?: number;
  /** Called once per series of failures: an unwritable log must not stop the work. */
  readonly onError: (error: unknown) => void;
}

/** An older lock, ms, was left by a process that died. */
const LOCK_STALE_MS = 10_000;

/**
 * One JSON object per line, appended in order and in batches, readable by the owner only (0600). Several
 * processes may append to the same file; one of them rotates it when it is full.
 */
export class RotatingLog {
  readonly #path: string;
  readonly #options: RotatingLogOptions;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #failing = false;

  constructor(path: string, options: RotatingLogOptions) {
    this.#path = path;
    this.#options = options;
  }

  append(record: object): void {
    this.#waiting.push(`${JSON.stringify(record)}\n`);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything appended so far is in the file. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.join('');
      this.#waiting = [];
      try {
        await this.#appendBatch(batch);
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) this.#options.onError(error);
        this.#failing = true;
      }
    }
  }

  async #appendBatch(batch: string): Promise<void> {
    const { maxBytes = 10 * 1024 * 1024 } = this.#options;
    const bytes = Buffer.byteLength(batch);
    const isFull = async () => {
      const size = await sizeOf(this.#path);
      return size > 0 && size + bytes > maxBytes;
    };
    // Checked again under the lock: another process may have rotated the file.
    if (await isFull()) await this.#alone(async () => void ((await isFull()) && (await this.#rotate())));
    const file = await open(this.#path, 'a', 0o600);
    try {
      // The mode above applies to a new file; this one may be older.
      await file.chmod(0o600);
      await file.appendFile(batch);
    } finally {
      await file.close();
    }
  }

  /**
   * Runs work under the lock file; does nothing while another process rotates, as a larger file does no harm.
   */
  async #alone(work: () => Promise<void>): Promise<void> {
    const lock = `${this.#path}.lock`;
    try {
      await (await open(lock, 'wx', 0o600)).close();
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      if (Date.now() - (await modifiedAt(lock)) > LOCK_STALE_MS) await rm(lock, { force: true });
      return;
    }
    try {
      await work();
    } finally {
      await rm(lock, { force: true });
    }
  }

  async #rotate(): Promise<void> {
    const { keep = 5 } = this.#options;
    await rm(`${this.#path}.${keep}`, { force: true });
    for (let n = keep - 1; n >= 1; n--) await renameIfThere(`${this.#path}.${n}`, `${this.#path}.${n + 1}`);
    if (keep === 0) await rm(this.#path, { force: true });
    else await renameIfThere(this.#path, `${this.#path}.1`);
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function modifiedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return Date.now();
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
