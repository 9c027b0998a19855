import { homedir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { LecternError } from '../../errors.ts';
import { realPlace } from '../../real-place.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigPlace {
  readonly path: string;
  /** The file was named explicitly, so it must exist. */
  readonly named: boolean;
}

/**
 * Path of the configuration file: `--config`, LECTERN_CONFIG, or `lectern.yaml` in the platform's folder for
 * configuration. Never the working folder or a vault.
 */
export function configPlace(
  flag: string | undefined,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): ConfigPlace {
  const given = [flag, environment.LECTERN_CONFIG].find(
    (value) => value !== undefined && value.trim() !== '',
  );
  if (given !== undefined) return { path: fromHome(given, process.cwd()), named: true };
  return { path: join(configHome(environment, platform), 'lectern', 'lectern.yaml'), named: false };
}

/** The platform's folder for the configuration of programs. */
export function configHome(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  const home = environment.HOME ?? homedir();
  if (environment.XDG_CONFIG_HOME) return environment.XDG_CONFIG_HOME;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
  return join(home, '.config');
}

/** `~` is not expanded in files in which people and clients keep their settings. */
export function fromHome(path: string, base: string): string {
  return path === '~' || /^~[\\/]/.test(path) ? resolve(homedir() + path.slice(1)) : resolve(base, path);
}

/**
 * A vault may come from a stranger, so a file in it must not configure the server.
 *
 * @throws LecternError `invalid_input`
 */
export function refuseInsideVault(file: string, folders: readonly string[]): void {
  for (const folder of folders) {
    const way = relative(realPlace(folder), realPlace(file));
    if (way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way) continue;
    throw new LecternError(
      'invalid_input',
      `The configuration file ${file} lies inside the vault ${folder}.`,
      {
        next: 'Keep it outside: whoever can change the notes could change the rules.',
      },
    );
  }
}
