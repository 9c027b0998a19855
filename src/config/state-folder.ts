import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
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
 * The state folder of one vault: outside the vault, so that sync tools never see it, the same for
 * every way the vault's folder can be spelled. Created when missing, for its owner only.
 * @param base overrides the platform's place
 * @throws LecternError `unavailable` when it cannot be made
 */
export function vaultStateFolder(vault: string, base: string | undefined, environment: Environment): string {
  try {
    const real = realPlace(vault);
    const readable = basename(real)
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .slice(0, 40);
    const id = createHash('sha256').update(real).digest('hex').slice(0, 12);
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

/** The real path of a folder, or the one it will have when it is there again: its drive may be away. */
function realPlace(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    const parent = dirname(folder);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || parent === folder) throw error;
    return join(realPlace(parent), basename(folder));
  }
}
