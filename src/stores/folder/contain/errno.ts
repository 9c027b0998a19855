import { LecternError } from '../../../errors.ts';

/** True when `error` is a system error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** The file system cannot make hard links (FAT, exFAT, many network and phone file systems). */
export function isLinkUnsupported(error: unknown): boolean {
  return hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK');
}

/**
 * Translates a system error for the caller: what happened to which vault path, and what to do. Absolute paths
 * of the machine stay in `cause`, which is logged and never sent.
 * @param path vault-relative
 */
export function storeError(error: unknown, path: string): LecternError {
  if (error instanceof LecternError) return error;
  const name = path === '' ? 'The vault folder' : JSON.stringify(path);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const details = { path, system: code };
  const make = (kind: LecternError['code'], message: string, next: string) =>
    new LecternError(kind, message, { details, next, cause: error });
  switch (code) {
    case 'ENOENT':
      return make('not_found', `${name} does not exist.`, 'Check the spelling, or list the folder.');
    case 'EEXIST':
    case 'ENOTEMPTY':
      return make('exists', `${name} already exists.`, 'Choose another name, or change the existing file.');
    case 'ENOSPC':
    case 'EDQUOT':
      return make(
        'unavailable',
        `The disk is full or over quota; ${name} was not changed.`,
        'Free some space, then try again.',
      );
    case 'EACCES':
    case 'EPERM':
      return make(
        'unavailable',
        `The system denies access to ${name}.`,
        'Give the account that runs Lectern permission on this file and its folder.',
      );
    case 'EROFS':
      return make(
        'read_only',
        `${name} lies on a drive that is mounted read-only.`,
        'Mount the drive for writing, then try again.',
      );
    case 'ENAMETOOLONG':
      return make('invalid_path', `The path ${name} is too long for this drive.`, 'Use a shorter name.');
    case 'EILSEQ':
    case 'EINVAL':
      return make('invalid_path', `This drive cannot hold the name ${name}.`, 'Use a simpler name.');
    case 'EISDIR':
      return make('invalid_path', `${name} is a folder, not a file.`, 'Pass the path of a file.');
    case 'ENOTDIR':
      return make(
        'invalid_path',
        `A part of the path ${name} is a file, not a folder.`,
        'Choose a path whose parents are folders.',
      );
    case 'ELOOP':
      return make('forbidden', `${name} is a symbolic link that leads in a circle.`, 'Remove the link.');
    case 'EFBIG':
      return make('too_large', `${name} would be too large for this drive.`, 'Split the file.');
    case 'EMFILE':
    case 'ENFILE':
      return make(
        'unavailable',
        `Too many files are open on this computer; ${name} was left alone.`,
        'Try again in a moment, or raise the limit on open files.',
      );
    case 'EBUSY':
    case 'ETXTBSY':
      return make('unavailable', `Another program holds ${name}.`, 'Close it there, then try again.');
    default:
      return make(
        'unavailable',
        `The drive failed on ${name} (${code}).`,
        'Check the drive, then try again.',
      );
  }
}

/** @param path vault-relative */
export function notFound(path: string): LecternError {
  return new LecternError('not_found', `${JSON.stringify(path)} does not exist.`, {
    details: { path },
    next: 'Check the spelling, or list the folder.',
  });
}

/** @param path vault-relative */
export function alreadyExists(path: string): LecternError {
  return new LecternError('exists', `${JSON.stringify(path)} already exists.`, {
    details: { path },
    next: 'Choose another name, or change the existing file.',
  });
}

/** Another program changed the file. The message never contains the current version. */
export function conflict(path: string, details: Record<string, unknown> = {}): LecternError {
  return new LecternError('conflict', `${JSON.stringify(path)} was changed by someone else.`, {
    details: { path, ...details },
    next: 'Read it again and repeat the change on the fresh text.',
  });
}

/** @param reason completes the sentence "path …" */
export function forbidden(path: string, reason: string): LecternError {
  return new LecternError('forbidden', `${JSON.stringify(path)} ${reason}.`, {
    details: { path },
    next: 'Use a path of an ordinary file inside the vault.',
  });
}
