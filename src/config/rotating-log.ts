import { appendFile, chmod, rename, rm, stat } from 'node:fs/promises';

export interface RotatingLogOptions {
  /** A file that has grown past this many bytes makes room for a new one. Default 10 MiB. */
  readonly maxBytes?: number;
  /** How many old files stay, as `<path>.1` (the newest) and on. Default 5. */
  readonly keep?: number;
  /** Told once per run of failures: a log that cannot be written must not stop the work. */
  readonly onError: (error: unknown) => void;
}

/** One JSON object per line, appended in order and in batches, for the owner's eyes only (0600). */
export class RotatingLog {
  readonly #path: string;
  readonly #options: RotatingLogOptions;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #size: number | undefined;
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
        this.#size = undefined;
        if (!this.#failing) this.#options.onError(error);
        this.#failing = true;
      }
    }
  }

  async #appendBatch(batch: string): Promise<void> {
    const { maxBytes = 10 * 1024 * 1024 } = this.#options;
    if (this.#size === undefined) {
      this.#size = await sizeOf(this.#path);
      // The mode below is for a file that is made; this one may be older.
      if (this.#size > 0) await chmod(this.#path, 0o600);
    }
    const bytes = Buffer.byteLength(batch);
    if (this.#size > 0 && this.#size + bytes > maxBytes) {
      await this.#rotate();
      this.#size = 0;
    }
    await appendFile(this.#path, batch, { mode: 0o600 });
    this.#size += bytes;
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

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
