import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isLecternError, LecternError } from '../errors.ts';
import { type AiProvider, isHosted } from './ai-setting.ts';
import { takesKey } from './embedder-setting.ts';
import type { ConfigFile } from './file/parse.ts';
import { type ConfigPlace, configPlace, refuseInsideVault } from './file/place.ts';
import type { ConfigValues, SecretReference } from './file/schema.ts';
import { fileValue, SETTING_TABLE, type SettingFlags } from './setting-rows.ts';
import { SETTINGS } from './setting-table.ts';
import { type Environment, SettingReader } from './setting-values.ts';
import { resolveSettings, type ServeFlags, type ServeSettings } from './settings.ts';
import { withSecrets } from './store-secrets.ts';

export interface LoadedSettings {
  readonly settings: ServeSettings;
  /** The environment, completed with values of the file: for settings that are read from flags and environment only. */
  readonly environment: Environment;
  /** Settings without an effect, as sentences for the owner. */
  readonly warnings: readonly string[];
  /** undefined when there is none. */
  readonly file: ConfigFile | undefined;
}

/**
 * The settings of a command from its flags, the environment and the configuration file. Without a file, no
 * parser is loaded: a server's start does not pay for unused code.
 *
 * @throws LecternError `invalid_input` for an invalid setting, `unavailable` when a named file cannot be read
 */
export async function loadSettings(flags: ServeFlags, environment: Environment): Promise<LoadedSettings> {
  const file = await readConfig(configPlace(flags.config, environment));
  const settings = resolveSettings(flags, environment, file?.values);
  const warnings = settingWarnings(flags, environment, file?.values);
  if (file === undefined)
    return { settings: withSecrets(settings, flags, environment, {}), environment, warnings, file };
  const complete = await layered(environment, file.values, flags, settings);
  return {
    settings: withSecrets(checkedPlace(settings, file), flags, complete, file.values),
    environment: complete,
    warnings,
    file,
  };
}

/** The same from a file's new text, for a server that is running. */
export async function settingsFromText(
  source: string,
  path: string,
  flags: ServeFlags,
  environment: Environment,
): Promise<{ settings: ServeSettings; file: ConfigFile }> {
  const { parseConfig } = await import('./file/parse.ts');
  const file = parseConfig(source, path);
  const settings = checkedPlace(resolveSettings(flags, environment, file.values), file);
  return { settings: withSecrets(settings, flags, environment, file.values), file };
}

/** @returns undefined when no file was named and the default one does not exist */
export async function readConfig({ path, named }: ConfigPlace): Promise<ConfigFile | undefined> {
  let source: string;
  try {
    source = await readFile(path, 'utf8');
  } catch (error) {
    // An existing file that cannot be read may contain rules: no server starts without them.
    if (!named && !existsSync(path)) return undefined;
    throw new LecternError('unavailable', `The configuration file ${path} cannot be read.`, {
      cause: error,
      next: 'Check the path given with --config or LECTERN_CONFIG, and that this user may read it.',
    });
  }
  const { parseConfig } = await import('./file/parse.ts');
  return parseConfig(source, path);
}

function checkedPlace(settings: ServeSettings, file: ConfigFile): ServeSettings {
  refuseInsideVault(
    file.path,
    settings.vaults.filter(({ kind }) => kind === 'folder').map(({ location }) => location),
  );
  return settings;
}

/**
 * The environment, completed with values of the file. Path rules, tools and catalogues are left out, because
 * globs may contain the comma that separates lists in the environment. A secret that is not used is not read.
 *
 * @throws LecternError `unavailable` when the secret is not where the file says
 */
export async function layered(
  environment: Environment,
  values: ConfigValues,
  flags: SettingFlags = {},
  served?: Pick<ServeSettings, 'vaults'>,
): Promise<Environment> {
  const result: Record<string, string | undefined> = { ...environment };
  for (const { key, env: name, kind } of SETTING_TABLE) {
    const value = fileValue(values, key);
    if (value === undefined || result[name]?.trim() || /^(paths|tools|catalogues)$/.test(key[0])) continue;
    if (kind !== 'secret') result[name] = Array.isArray(value) ? value.join(',') : String(value);
    else if (isUsed(key[0]))
      result[name] = await secretAt(value as SecretReference, key.join('.'), name, environment);
  }
  return result;

  /** Whether the embedder takes a key, or the store is served; all other secrets are used. */
  function isUsed(group: string): boolean {
    switch (group) {
      case 'embedder_key':
        return usesEmbedderKey(flags, environment, values);
      case 'ai':
        return isHosted(new SettingReader(flags, environment, values).value('ai.provider') as AiProvider);
      case 'joplin':
      case 'silverbullet':
        return served?.vaults.some(({ kind }) => kind === group) ?? false;
      default:
        return true;
    }
  }
}

/** Settings without an effect on this server, as sentences. */
export function settingWarnings(
  flags: SettingFlags,
  environment: Environment,
  values: ConfigValues = {},
): readonly string[] {
  const variable = SETTINGS.embedder_key.env;
  const where = environment[variable]?.trim() ? variable : values.embedder_key && 'embedder_key';
  if (where === undefined || usesEmbedderKey(flags, environment, values)) return [];
  return [
    `${where} is set, but no embedder that takes a key: choose one with embedder, e.g. openai:<model>.`,
  ];
}

function usesEmbedderKey(flags: SettingFlags, environment: Environment, values: ConfigValues): boolean {
  const chosen = new SettingReader(flags, environment, values).value('embedder');
  return chosen !== undefined && takesKey(chosen);
}

/** Secrets whose file nobody else may read: they spend money. */
const PRIVATE: ReadonlySet<string> = new Set(['ai.key']);

/** Whether only its owner may read a file. Windows has no such mode bits, but protects the folders of users. */
async function isPrivate(file: string): Promise<boolean> {
  return process.platform === 'win32' || ((await stat(file)).mode & 0o077) === 0;
}

function notPrivate(setting: string, file: string): LecternError {
  return new LecternError('invalid_input', `Others may read the file with ${setting}, ${file}.`, {
    next: `Make it its owner's alone: chmod 600 ${file}`,
  });
}

/**
 * Reads a secret from where the file says.
 *
 * @throws LecternError `unavailable` when it is not there, `invalid_input` when other users may read its file
 */
async function secretAt(
  reference: SecretReference,
  setting: string,
  variable: string,
  environment: Environment,
): Promise<string> {
  const noSecret = (reason: string, cause?: unknown) =>
    new LecternError('unavailable', `There is no secret where ${setting} says: ${reason}.`, {
      cause,
      next: `Correct ${setting} in the configuration file, or set ${variable}.`,
    });
  if ('env' in reference) {
    const value = environment[reference.env]?.trim();
    if (value) return value;
    throw noSecret(`the environment has no ${reference.env}`);
  }
  try {
    if (PRIVATE.has(setting) && !(await isPrivate(reference.file))) throw notPrivate(setting, reference.file);
    const [value = ''] = (await readFile(reference.file, 'utf8')).split(/\r?\n/);
    if (value.trim() !== '') return value.trim();
  } catch (error) {
    if (isLecternError(error)) throw error;
    throw noSecret(`${reference.file} cannot be read`, error);
  }
  throw noSecret(`${reference.file} starts with an empty line`);
}
