import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readConfigText, replaceConfig } from '../../config/file/replace.ts';
import { makePrivate } from '../../config/private-folder.ts';
import { stateHome } from '../../config/state-folder.ts';
import { missingFolders, removeEmpty } from '../made-folders.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const RECORD = z.object({
  /** SHA-256 of the file as it was written, hexadecimal. */
  after: z.string(),
  /** SHA-256 of the file before; null = it did not exist. */
  before: z.string().nullable(),
  /** Path of the copy of the file before. */
  backup: z.string().optional(),
  /** Whether the file had no entry of our name before, so that undoing restores the backup. */
  restores: z.boolean(),
  inserted: z.object({ text: z.string(), comma: z.number().optional() }).optional(),
  /** Folders that were created for the file, innermost first. */
  folders: z.array(z.string()),
});

/** What `lectern init` did to a client's file, so that it can be undone exactly. */
export type FileRecord = z.output<typeof RECORD>;

const CONTENT = z.object({
  /** Records by path. */
  files: z.record(z.string(), RECORD),
  /** Folders that were created for this records file, innermost first. */
  folders: z.array(z.string()),
});
type Content = z.output<typeof CONTENT>;

/** The records of all changed files, in a file of the state folder that only its owner can read. */
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

  /** Stores the record of a file. @param record undefined = nothing is left to undo */
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

  /** Reads the records; an unreadable file counts as empty, as entries can be removed without records. */
  #read(): Content {
    try {
      return CONTENT.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch {
      return { files: {}, folders: [] };
    }
  }
}

/** SHA-256 of a text, hexadecimal. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
