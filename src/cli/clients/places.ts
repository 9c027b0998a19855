import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders where this user's programs keep their settings, with read access to them. */
export interface Places {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  readonly home: string;
  /** For desktop programs: `~/Library/Application Support`, `%APPDATA%`, `$XDG_CONFIG_HOME` or `~/.config`. */
  readonly settings: string;
  /** `$XDG_CONFIG_HOME` or `~/.config` on every platform; command-line programs use it on macOS too. */
  readonly dotConfig: string;
  join(...parts: string[]): string;
  /** The parent folder of a path. */
  folderOf(path: string): string;
  exists(path: string): boolean;
  /** The names in a folder; empty when it does not exist. */
  names(folder: string): readonly string[];
  /** The text of a small file; undefined when it does not exist or cannot be read. */
  text(path: string): string | undefined;
}

/** The folders of this user on a platform. */
export function placesOf(environment: Environment, platform: NodeJS.Platform = process.platform): Places {
  const { join, dirname } = platform === 'win32' ? win32 : posix;
  const home = environment.HOME || homedir();
  const dotConfig = (platform !== 'win32' && environment.XDG_CONFIG_HOME) || join(home, '.config');
  return {
    platform,
    environment,
    home,
    settings: settingsFolder(),
    dotConfig,
    join,
    folderOf: dirname,
    exists: (path) => attempt(() => statSync(path)) !== undefined,
    names: (folder) => attempt(() => readdirSync(folder)) ?? [],
    text: (path) => attempt(() => readFileSync(path, 'utf8')),
  };

  function settingsFolder(): string {
    if (platform === 'darwin') return join(home, 'Library', 'Application Support');
    if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
    return dotConfig;
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
