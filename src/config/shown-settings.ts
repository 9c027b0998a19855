import type { ConfigFile } from './file/parse.ts';
import { fileValue, SETTING_TABLE, type SettingRow } from './setting-table.ts';
import type { ServeFlags, ServeSettings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The flags of a server as the command line gives them, whichever settings they are for. */
export type GivenFlags = ServeFlags & { readonly [flag: string]: unknown };

/** A setting as it holds, and where it comes from. Lists are empty when nothing is set. */
export interface ShownSetting {
  readonly setting: string;
  /** Null when nothing is set; secrets are not shown. */
  readonly value: string | number | boolean | readonly string[] | null;
  /** `combined`: the vault's own rules and the general ones together. */
  readonly origin: 'default' | 'file' | 'environment' | 'flag' | 'combined';
  /** The flag, the variable, or file and line. */
  readonly where: string | undefined;
  readonly live: boolean;
  readonly agent: SettingRow['agent'];
}

/** Stands for what is not shown. */
export const MASK = '********';

/**
 * Every setting as a server with these flags would have it: the vaults with the rules that hold for
 * each, then the table.
 *
 * @param settings as they were resolved; undefined when no vault is named anywhere
 */
export function shownSettings(
  flags: GivenFlags,
  environment: Environment,
  file: ConfigFile | undefined,
  settings: ServeSettings | undefined,
): readonly ShownSetting[] {
  const rows = SETTING_TABLE.map((row) => shown(row, flags, environment, file));
  if (settings === undefined) return [vaultSetting('vaults', null, 'default', undefined, false), ...rows];
  return [...vaultRows(settings, file, namedBy(flags, environment)), ...rows];
}

/** Whether a vault is named anywhere: without one there are no settings of a server. */
export function namesVault(
  flags: ServeFlags,
  environment: Environment,
  file: ConfigFile | undefined,
): boolean {
  return namedBy(flags, environment) !== undefined || file?.values.vaults !== undefined;
}

type Source = Pick<ShownSetting, 'origin' | 'where'>;

function namedBy(flags: ServeFlags, environment: Environment): Source | undefined {
  if (flags.vault?.length) return { origin: 'flag', where: '--vault' };
  const variable = ['LECTERN_VAULT', 'INDX_VAULT'].find((name) => environment[name]?.trim());
  return variable === undefined ? undefined : { origin: 'environment', where: variable };
}

function shown(
  { key, flag, env, kind, fallback, live, agent }: SettingRow,
  flags: GivenFlags,
  environment: Environment,
  file: ConfigFile | undefined,
): ShownSetting {
  const head = { setting: key.join('.'), live, agent };
  const variable = env.find((name) => environment[name]?.trim());
  const given = flag === undefined ? undefined : flags[flag];
  if (flag !== undefined && given !== undefined && given !== '')
    return { ...head, value: typed(given, kind), origin: 'flag', where: `--${flagName(flag)}` };
  if (variable !== undefined)
    return { ...head, value: typed(environment[variable], kind), origin: 'environment', where: variable };
  const value = file && fileValue(file.values, key);
  if (file !== undefined && value !== undefined)
    return { ...head, value: typed(value, kind), origin: 'file', where: place(file, key) };
  const unset = fallback ?? (kind === 'list' ? [] : null);
  return { ...head, value: unset, origin: 'default', where: undefined };
}

/** The rules here are those that hold: the vault's own and the general ones together. */
function vaultRows(
  { vaults }: ServeSettings,
  file: ConfigFile | undefined,
  from: Source | undefined,
): readonly ShownSetting[] {
  return vaults.flatMap(({ name, folder, rules }) => {
    const { origin, where } = from ?? {
      origin: 'file' as const,
      where: file && place(file, ['vaults', name]),
    };
    const lists = {
      'paths.read.allow': rules.read.allow,
      'paths.read.deny': rules.read.deny,
      'paths.write.allow': rules.write.allow,
      'paths.write.deny': rules.write.deny,
    };
    return [
      vaultSetting(`vaults.${name}.path`, folder, origin, where, false),
      vaultSetting(`vaults.${name}.read_only`, rules.readOnly, 'combined', undefined, true),
      ...Object.entries(lists)
        .filter(([, value]) => value.length > 0)
        .map(([key, value]) => vaultSetting(`vaults.${name}.${key}`, value, 'combined', undefined, true)),
    ];
  });
}

function vaultSetting(
  setting: string,
  value: ShownSetting['value'],
  origin: ShownSetting['origin'],
  where: string | undefined,
  live: boolean,
): ShownSetting {
  return { setting, value, origin, where, live, agent: 'nothing' };
}

function place(file: ConfigFile, key: readonly string[]): string {
  const line = file.lineOf(key);
  return line === undefined ? file.path : `${file.path}:${line}`;
}

/** A value of the file, a flag or a variable as the kind of its setting has it; secrets masked. */
export function typed(value: unknown, kind: SettingRow['kind']): ShownSetting['value'] {
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
