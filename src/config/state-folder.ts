import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { LecternError } from '../errors.ts';

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
 * The state folder of one vault: outside the vault, so that sync tools never see it. Created when missing,
 * for its owner only.
 * @param identity what names the vault's store once and for all, see `placeIdentity`
 * @param base overrides the platform's place
 * @throws LecternError `unavailable` when it cannot be made
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
    const folder = join(base ?? join(stateHome(environment), 'lectern'), `${readable}-${id}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    throw new LecternError('unavailable', 'The folder for the index and the journal cannot be made.', {
      cause: error,
      next: 'Name a folder that can be written with --state or LECTERN_STATE.',
    });
  }
}
