import { join } from 'node:path';
import { configHome } from './file/place.ts';
import { type Environment, SettingReader } from './setting-values.ts';
import type { ServeFlags, ServeSettings } from './settings.ts';
import { parsePlace, type StorePlace } from './store-place.ts';

/** File in which `lectern joplin pair` stores Joplin's token. */
export function pairedTokenFile(environment: Environment): string {
  return join(configHome(environment), 'lectern', 'joplin-token');
}

/**
 * Settings with the addresses and secrets of vaults on servers.
 *
 * @param environment completed with the secrets the configuration file names
 * @param file values of the configuration file
 * @throws LecternError `invalid_input` for an invalid address
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
