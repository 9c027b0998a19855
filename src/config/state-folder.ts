import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { isLecternError, LecternError } from '../errors.ts';
import { makeAllPrivate, makePrivate } from './private-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The platform's folder for data of programs that can be recreated but should not be lost. */
export function stateHome(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  const home = environment.HOME ?? homedir();
  if (environment.XDG_STATE_HOME) return environment.XDG_STATE_HOME;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local');
  return join(home, '.local', 'state');
}

/**
 * Path of a vault's state folder, which may not exist.
 * @param identity identity of the vault's store, see `placeIdentity`
 * @param base overrides the platform's folder
 */
export function vaultStatePath(identity: string, base: string | undefined, environment: Environment): string {
  const readable = basename(identity)
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, 40);
  const id = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  return join(base ?? join(stateHome(environment), 'lectern'), `${readable}-${id}`);
}

/**
 * The state folder of one vault: outside the vault, so that sync tools do not see it. Created when missing;
 * readable by its owner only. Parameters as those of {@link vaultStatePath}.
 * @throws LecternError `unavailable` when it cannot be created, or other users could read it
 */
export function vaultStateFolder(
  identity: string,
  base: string | undefined,
  environment: Environment,
): string {
  try {
    // A base folder given by the owner may be shared; the platform's must be private.
    if (base === undefined) makePrivate(join(stateHome(environment), 'lectern'));
    const folder = vaultStatePath(identity, base, environment);
    makeAllPrivate(folder);
    return folder;
  } catch (error) {
    if (isLecternError(error)) throw error;
    throw new LecternError('unavailable', 'The folder for the index and the journal cannot be made.', {
      cause: error,
      next: 'Name a folder that can be written with --state or LECTERN_STATE.',
    });
  }
}
