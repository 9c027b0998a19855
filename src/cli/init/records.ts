import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { readConfigText, replaceConfig } from '../../config/file/replace.ts';
import { makePrivate } from '../../config/private-folder.ts';
import { stateHome } from '../../config/state-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const RECORD = z.object({
  /** Digest of the file as it was left. */
  after: z.string(),
  /** Digest of the file before; null = there was none. */
  before: z.string().nullable(),
  /** The file before, or as it was found with an entry of the name in it. */
  backup: z.string().optional(),
  /** There was no entry of the name before: the backup is what the file goes back to. */
  restores: z.boolean(),
  inserted: z.object({ text: z.string(), comma: z.number().optional() }).optional(),
  /** Folders that were made for the file, the innermost first. */
  folders: z.array(z.string()),
});

/** What `lectern init` did to one file of a client, so that it can be undone to the byte. */
export type FileRecord = z.output<typeof RECORD>;

const CONTENT = z.object({
  /** By path. */
  files: z.record(z.string(), RECORD),
  /** Folders that were made for this file itself, the innermost first. */
  folders: z.array(z.string()),
});
type Content = z.output<typeof CONTENT>;

/** What was written where, in a file of the state folder that its owner alone can read. */
export class Records {
  readonly #folder: string;
  readonly #file: string;
  constructor(environment: Environment) {
    this.#folder = join(stateHome(environment), 'lectern');
    this.#file = join(this.#folder, 'clients.json');
  }

  get(file: string): FileRecord | undefined {
    const { files } = this.#read();
    return Object.hasOwn(files, file) ? files[file] : undefined;
  }

  /** @param record undefined = nothing is left to be undone there */
  async set(file: string, record: FileRecord | undefined): Promise<void> {
    const { files, folders } = this.#read();
    const { [file]: _, ...others } = files;
    const left = record === undefined ? others : { ...others, [file]: record };
    if (Object.keys(left).length === 0) {
      rmSync(this.#file, { force: true });
      for (const folder of folders) removeEmpty(folder);
      return;
    }
    const content: Content = { files: left, folders: [...missingFolders(this.#file), ...folders] };
    makePrivate(this.#folder);
    const before = await readConfigText(this.#file);
    await replaceConfig(this.#file, before, `${JSON.stringify(content, undefined, 2)}\n`);
  }

  /** One that cannot be read is as good as none: entries can be taken out without. */
  #read(): Content {
    try {
      return CONTENT.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch {
      return { files: {}, folders: [] };
    }
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Takes a folder away unless something is in it. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is in use.
  }
}

/** Folders that a file needs and that are not there, the innermost first. */
export function missingFolders(file: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  return missing;
}
