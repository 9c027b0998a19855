import type { ConfigFile } from '../config/file/parse.ts';
import { configPlace } from '../config/file/place.ts';
import { configJsonSchema } from '../config/file/schema.ts';
import { loadSettings, readConfig } from '../config/load.ts';
import { fileValue, SETTING_TABLE, type SettingRow } from '../config/setting-table.ts';
import type { ServeFlags, ServeSettings } from '../config/settings.ts';

/** What `lectern config` takes: the flags of a server, so that it shows what that server would be given. */
export type ConfigFlags = ServeFlags & Readonly<Record<string, unknown>>;

/** A setting as it holds, and where it comes from. Lists are empty when nothing is set. */
export interface ShownSetting {
  readonly setting: string;
  /** Null when nothing is set; secrets are not shown. */
  readonly value: string | number | boolean | readonly string[] | null;
  readonly origin: string;
}

const MASK = '********';

/** Prints where the configuration file is looked for. */
export function printConfigPath(flags: ConfigFlags): void {
  process.stdout.write(`${configPlace(flags.config, process.env).path}\n`);
}

/** Prints the JSON Schema of the file. */
export function printConfigSchema(): void {
  process.stdout.write(`${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
}

/** Prints every setting as a server started with these flags would have it. */
export async function printConfig(flags: ConfigFlags): Promise<void> {
  const rows = await shownSettings(flags, process.env);
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
    return;
  }
  const width = Math.max(...rows.map(({ setting }) => setting.length));
  for (const { setting, value, origin } of rows) {
    const shown = value === null || (Array.isArray(value) && value.length === 0) ? '-' : String(value);
    const from = flags.origin === true ? `  (${origin})` : '';
    process.stdout.write(`${setting.padEnd(width)}  ${shown}${from}\n`);
  }
}

/** @throws LecternError for settings with which no server would start */
export async function shownSettings(
  flags: ConfigFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly ShownSetting[]> {
  const file = await readConfig(configPlace(flags.config, environment));
  const named = flags.vault?.length || environment.LECTERN_VAULT?.trim() || environment.INDX_VAULT?.trim();
  const loaded = named || file?.values.vaults ? await loadSettings(flags, environment) : undefined;
  const rows = SETTING_TABLE.map((row) => shown(row, flags, environment, file));
  if (loaded === undefined) return [{ setting: 'vaults', value: null, origin: 'default' }, ...rows];
  const from = flags.vault?.length
    ? 'flag --vault'
    : environment.LECTERN_VAULT?.trim()
      ? 'environment LECTERN_VAULT'
      : environment.INDX_VAULT?.trim()
        ? 'environment INDX_VAULT'
        : undefined;
  return [...vaultRows(loaded.settings, file, from), ...rows];
}

function shown(
  { key, flag, env, kind, fallback }: SettingRow,
  flags: ConfigFlags,
  environment: Readonly<Record<string, string | undefined>>,
  file: ConfigFile | undefined,
): ShownSetting {
  const setting = key.join('.');
  const variable = env.find((name) => environment[name]?.trim());
  const given = flag === undefined ? undefined : flags[flag];
  if (given !== undefined && given !== '')
    return { setting, value: typed(given, kind), origin: `flag --${flagName(flag ?? '')}` };
  if (variable !== undefined)
    return { setting, value: typed(environment[variable], kind), origin: `environment ${variable}` };
  const value = file && fileValue(file.values, key);
  if (file !== undefined && value !== undefined)
    return { setting, value: typed(value, kind), origin: place(file, key) };
  return { setting, value: fallback ?? (kind === 'list' ? [] : null), origin: 'default' };
}

/** The rules here are those that hold: the vault's own and the general ones together. */
function vaultRows(
  { vaults }: ServeSettings,
  file: ConfigFile | undefined,
  from: string | undefined,
): readonly ShownSetting[] {
  return vaults.flatMap(({ name, folder, rules }) => {
    const own = file?.lineOf(['vaults', name]) === undefined ? undefined : place(file, ['vaults', name]);
    const origin = from ?? own ?? 'default';
    const lists = {
      'paths.read.allow': rules.read.allow,
      'paths.read.deny': rules.read.deny,
      'paths.write.allow': rules.write.allow,
      'paths.write.deny': rules.write.deny,
    };
    return [
      { setting: `vaults.${name}.path`, value: folder, origin },
      { setting: `vaults.${name}.read_only`, value: rules.readOnly, origin: 'in effect' },
      ...Object.entries(lists)
        .filter(([, value]) => value.length > 0)
        .map(([key, value]) => ({ setting: `vaults.${name}.${key}`, value, origin: 'in effect' })),
    ];
  });
}

function place(file: ConfigFile, key: readonly string[]): string {
  const line = file.lineOf(key);
  return line === undefined ? file.path : `${file.path}:${line}`;
}

function typed(value: unknown, kind: SettingRow['kind']): ShownSetting['value'] {
  if (kind === 'secret') return MASK;
  if (kind === 'yes') return value === true || /^(1|true|yes|on)$/i.test(String(value).trim());
  if (kind === 'number') return Number(value);
  if (kind === 'text') return String(value);
  const items: readonly unknown[] = Array.isArray(value) ? value : String(value).split(',');
  return items.map((item) => String(item).trim()).filter((item) => item !== '');
}

function flagName(attribute: string): string {
  return attribute.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
