import { isUtf8 } from 'node:buffer';
import { existsSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { replaceConfig } from '../../config/file/replace.ts';
import { LecternError } from '../../errors.ts';
import type { Command, McpClient } from '../clients/client.ts';
import { withEntry, withoutEntry } from '../clients/entry-file.ts';
import type { EntryEdit } from '../clients/formats/entry-format.ts';
import { missingFolders } from '../made-folders.ts';
import { digestOf, type FileRecord, type Records } from './records.ts';

/** A planned change of a client's file. */
export interface FilePlan {
  readonly client: McpClient;
  readonly file: string;
  /** undefined = the file does not exist. */
  readonly before: string | undefined;
  /** undefined = the file is deleted. */
  readonly after: string | undefined;
  readonly inserted: EntryEdit['inserted'];
}

/**
 * Plans adding our entry to a client's file.
 *
 * @throws LecternError `invalid_input` for a file that is not well-formed or not UTF-8, `unavailable` for one
 *   that cannot be read, `conflict` when no exact edit is possible
 */
export async function planEntry(client: McpClient, file: string, command: Command): Promise<FilePlan> {
  const before = await readClientFile(client, file);
  const { text, inserted } = withEntry(client, file, before, command);
  return { client, file, before, after: text, inserted };
}

/**
 * Writes a planned file, the first time with a backup beside it.
 *
 * @returns path of the backup; undefined when there is none
 * @throws LecternError `conflict` when the file has changed since it was read, `unavailable` when it cannot be
 *   written
 */
export async function writeEntry(plan: FilePlan, records: Records): Promise<string | undefined> {
  const { file, before, after = '', inserted } = plan;
  const known = records.get(file);
  const goesOn = known !== undefined && before !== undefined && digestOf(before) === known.after;
  const folders = goesOn ? known.folders : missingFolders(file);
  const backup = goesOn ? known.backup : before === undefined ? undefined : await backUp(file, before);
  await replaceConfig(file, before, after);
  const record: FileRecord = goesOn
    ? { ...known, after: digestOf(after), inserted }
    : {
        after: digestOf(after),
        before: before === undefined ? null : digestOf(before),
        ...(backup !== undefined && { backup }),
        restores: inserted !== undefined,
        inserted,
        folders,
      };
  await records.set(file, record);
  return backup;
}

/** Plans removing our entry from a client's file. @throws LecternError as {@link planEntry} */
export async function planRemoval(client: McpClient, file: string, records: Records): Promise<FilePlan> {
  const before = await readClientFile(client, file);
  const plan = { client, file, before, inserted: undefined };
  if (before === undefined) return { ...plan, after: undefined };
  const record = records.get(file);
  if (record?.restores === true && digestOf(before) === record.after) {
    if (record.before === null) return { ...plan, after: undefined };
    const earlier = record.backup === undefined ? undefined : await readClientFile(client, record.backup);
    if (earlier !== undefined && digestOf(earlier) === record.before) return { ...plan, after: earlier };
  }
  return { ...plan, after: withoutEntry(client, file, before, record?.inserted) };
}

/**
 * Writes or deletes a file without our entry, and deletes its backup.
 *
 * @returns the folders that were created for it; the caller removes them after all files, which may share them
 * @throws LecternError `conflict` when the file has changed since it was read, `unavailable` when it cannot be
 *   written
 */
export async function writeRemoval(
  { file, before, after }: FilePlan,
  records: Records,
): Promise<readonly string[]> {
  const record = records.get(file);
  if (after === undefined) rmSync(file, { force: true });
  else if (after !== before) await replaceConfig(file, before, after);
  if (record === undefined) return [];
  if (record.backup !== undefined && before !== undefined) rmSync(record.backup, { force: true });
  await records.set(file, undefined);
  return record.folders;
}

async function readClientFile({ name }: McpClient, file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new LecternError('unavailable', `${file}, the settings of ${name}, cannot be read.`, {
      cause: error,
      next: 'Check that this user may read it.',
    });
  }
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new LecternError('invalid_input', `${file}, the settings of ${name}, is no text in UTF-8.`, {
    next: 'Save it as UTF-8 and try again. It is left as it is.',
  });
}

/** Writes a backup beside the file that only its owner can read. @returns its path */
async function backUp(file: string, text: string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = `${file}.lectern-backup${number === 1 ? '' : `-${number}`}`;
    if (existsSync(path)) continue;
    await replaceConfig(path, undefined, text);
    return path;
  }
}
