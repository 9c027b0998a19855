import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { LecternError } from '../../../errors.ts';
import { brokenModel } from './broken-model.ts';

/** Settings of a model are a few kilobytes. */
const MOST_SETTINGS_BYTES = 4 * 1024 * 1024;

/** @throws LecternError `invalid_input` when the file is missing, too large or no JSON object or list */
export async function readJson(path: string, mostBytes = MOST_SETTINGS_BYTES): Promise<object> {
  const json = await readOptionalJson(path, mostBytes);
  if (json === undefined) throw brokenModel(`The model's folder has no ${basename(path)}.`);
  return json;
}

/** Undefined when there is no such file. @throws LecternError `invalid_input` as {@link readJson} */
export async function readOptionalJson(
  path: string,
  mostBytes = MOST_SETTINGS_BYTES,
): Promise<object | undefined> {
  try {
    if ((await stat(path)).size > mostBytes) throw brokenModel(`${basename(path)} is too large.`);
    const json: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof json === 'object' && json !== null) return json;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof LecternError) throw error;
    throw brokenModel(`${basename(path)} cannot be read as JSON.`, error);
  }
  throw brokenModel(`${basename(path)} holds no object.`);
}
