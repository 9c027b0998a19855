import { LecternError } from '../errors.ts';

/** The text of `vault_status` about such a file. */
export const NOT_DOWNLOADED =
  'Its text is not on this computer: a cloud drive holds it. It is found by its name only.';

/** The file exists by name, but a cloud drive holds its bytes. */
export function notDownloaded(path: string, drive = 'a cloud drive'): LecternError {
  return new LecternError(
    'unavailable',
    `${JSON.stringify(path)} is in ${drive} and not on this computer: the note exists, its text was not downloaded.`,
    {
      details: { path, reason: 'not_downloaded' },
      next: 'Do not write it anew. Ask the owner to open it once on this computer or to keep the folder downloaded, then call again.',
    },
  );
}
