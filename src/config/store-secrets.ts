import { join } from 'node:path';
import { configHome } from './file/place.ts';
import { type Environment, SettingReader } from './setting-values.ts';
import type { ServeFlags, ServeSettings } from './settings.ts';
import { parsePlace, type StorePlace } from './store-place.ts';

/** Where `lectern joplin pair` leaves the token that Joplin gave it. */
export function pairedTokenFile(environment: Environment): string {
  return join(configHome(environment), 'lectern', 'joplin-token');
}

/**
 * Settings whose vaults on servers have their address and what opens them.
 *
 * @param environment with secrets that the configuration file names filled in
 * @param file values of the configuration file
 * @throws LecternError `invalid_input` for an address that is none
 */
export function withSecrets(
  settings: ServeSettings,
  flags: ServeFlags,
  environment: Environment,
  file: object,
): ServeSettings {
  const setting = new SettingReader(flags, environment, file);
  const addressed = <T extends StorePlace>(vault: T, url: string | undefined): T =>
    vault.location === `${vault.kind}:` && url !== undefined
      ? { ...vault, location: parsePlace(`${vault.kind}:${url}`, '').location }
      : vault;
  const complete = <T extends StorePlace>(vault: T): T => {
    switch (vault.kind) {
      case 'folder':
        return vault;
      case 'joplin': {
        const secret = environment.LECTERN_JOPLIN_TOKEN?.trim();
        const secretFile = setting.value('joplin.token_file') ?? pairedTokenFile(environment);
        return {
          ...addressed(vault, setting.value('joplin.url')),
          ...(secret ? { secret } : { secretFile }),
        };
      }
      case 'silverbullet': {
        const secret = environment.LECTERN_SILVERBULLET_TOKEN?.trim();
        return { ...addressed(vault, setting.value('silverbullet.url')), ...(secret && { secret }) };
      }
    }
  };
  return { ...settings, vaults: settings.vaults.map(complete), known: settings.known.map(complete) };
}
