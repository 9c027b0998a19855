import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { isLecternError, LecternError } from '../errors.ts';
import { makeAllPrivate, makePrivate } from './private-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where programs of this platform keep what they can do without but should not lose. */
export function stateHome(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  const home = environment.HOME ?? homedir();
  if (environment.XDG_STATE_HOME) return environment.XDG_STATE_HOME;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local');
  return join(home, '.local', 'state');
}

/**
 * The state folder of one vault: outside the vault, so that sync tools never see it. Created when missing;
 * nobody but its owner can read what is in it.
 * @param identity what names the vault's store once and for all, see `placeIdentity`
 * @param base overrides the platform's place
 * @throws LecternError `unavailable` when it cannot be made, or others could read it
 */
export function vaultStateFolder(
  identity: string,
  base: string | undefined,
  environment: Environment,
): string {
  try {
    const readable = basename(identity)
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .slice(0, 40);
    const id = createHash('sha256').update(identity).digest('hex').slice(0, 12);
    const home = base ?? join(stateHome(environment), 'lectern');
    // One that the owner names may be shared with others; the platform's is ours alone.
    if (base === undefined) makePrivate(home);
    const folder = join(home, `${readable}-${id}`);
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
