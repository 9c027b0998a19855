import * as fs from 'node:fs/promises';
import type { Folder } from '../contain/contain.ts';
import { hasCode } from '../contain/errno.ts';
import { placeNew } from '../contain/place.ts';
import { writeThenPlace } from './create.ts';

const MAX_NAME_BYTES = 255;
const MAX_TRIES = 1000;

/**
 * Keeps a version that was replaced by another one as an ordinary note beside it, `Note (conflict 2026-11-27
 * 221530).md`, where its owner will see it.
 * @param version its path (it is moved), or its bytes
 * @returns vault-relative path of the copy
 */
export async function keepBeside(
  folder: Folder,
  name: string,
  version: { readonly place: string } | { readonly bytes: Uint8Array },
): Promise<string> {
  const time = new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '');
  const copy = await placeNumbered(name, ` (conflict ${time})`, async (candidate) => {
    if ('bytes' in version) {
      await writeThenPlace(folder, candidate, version.bytes);
      return;
    }
    placeNew(version.place, folder.at(candidate));
    await fs.rm(version.place, { force: true });
  });
  await folder.sync();
  return folder.path === '' ? copy : `${folder.path}/${copy}`;
}

/**
 * Tries `Name<mark>.ext`, `Name<mark> 2.ext`, `Name<mark> 3.ext` … until `place` succeeds.
 * @param place throws EEXIST for a name that is taken
 */
export async function placeNumbered(
  name: string,
  mark: string,
  place: (candidate: string) => Promise<void>,
): Promise<string> {
  const dot = name.lastIndexOf('.');
  const stem = dot <= 0 ? name : name.slice(0, dot);
  const extension = dot <= 0 ? '' : name.slice(dot);
  for (let number = 1; ; number++) {
    const suffix = `${mark}${number === 1 ? '' : ` ${number}`}${extension}`;
    const candidate = shorten(stem, MAX_NAME_BYTES - Buffer.byteLength(suffix)) + suffix;
    try {
      await place(candidate);
      return candidate;
    } catch (error) {
      if (!hasCode(error, 'EEXIST') || number >= MAX_TRIES) throw error;
    }
  }
}

/** Whole code points only. */
function shorten(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let kept = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
