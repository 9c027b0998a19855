import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { LecternError } from '../../errors.ts';

/**
 * Checks that a vault can be opened, with messages its owner understands.
 *
 * @throws LecternError `unavailable` when the folder is missing, is a file, or may not be read
 */
export async function checkVaultFolder(folder: string): Promise<void> {
  try {
    const found = await stat(folder);
    if (!found.isDirectory()) {
      throw new LecternError('unavailable', `The vault '${folder}' is a file, not a folder.`, {
        next: 'Give the folder that holds the notes with --vault or LECTERN_VAULT.',
      });
    }
    await access(folder, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof LecternError) throw error;
    throw unavailable(folder, error);
  }
}

function unavailable(folder: string, error: unknown): LecternError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') {
    return new LecternError('unavailable', `The vault folder '${folder}' does not exist.`, {
      cause: error,
      next: 'Check the path given with --vault or LECTERN_VAULT, or connect the drive it is on.',
    });
  }
  if (code === 'ENOTDIR') {
    return new LecternError(
      'unavailable',
      `A part of the vault's path '${folder}' is a file, not a folder.`,
      {
        cause: error,
        next: 'Check the path given with --vault or LECTERN_VAULT.',
      },
    );
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new LecternError('unavailable', `The vault folder '${folder}' may not be read by this user.`, {
      cause: error,
      next: 'Give the program access to the folder (on macOS: Privacy & Security, Files and Folders) and try again.',
    });
  }
  return new LecternError(
    'unavailable',
    `The vault folder '${folder}' cannot be opened${code === undefined ? '' : ` (${code})`}.`,
    {
      cause: error,
      next: 'Check the folder and its drive, then try again.',
    },
  );
}
