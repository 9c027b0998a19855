import type { ConfigFile } from './file/parse.ts';
import { flagName, SETTING_TABLE, type SettingRow } from './setting-rows.ts';
import { type Environment, isYes, items, SettingReader } from './setting-values.ts';
import type { ServeFlags, ServeSettings } from './settings.ts';

/** The flags of a server as the command line gives them, whichever settings they are for. */
export type GivenFlags = ServeFlags & { readonly [flag: string]: unknown };

/** A setting's current value and its source. Lists are empty when nothing is set. */
export interface ShownSetting {
  readonly setting: string;
  /** Null when nothing is set; secrets are not shown. */
  readonly value: string | number | boolean | readonly string[] | null;
  /** `combined`: the vault's own rules and the general ones together. */
  readonly origin: 'default' | 'file' | 'environment' | 'flag' | 'combined';
  /** The flag, the variable, or file and line. */
  readonly where: string | undefined;
  readonly live: boolean;
  readonly agent: 'sets' | 'reads' | 'nothing';
}

/** Replaces hidden values. */
export const MASK = '********';

/**
 * Every setting of a server with these flags: the vaults with their effective rules, then the table.
 *
 * @param settings the resolved settings; undefined when no vault is named anywhere
 */
export function shownSettings(
  flags: GivenFlags,
  environment: Environment,
  file: ConfigFile | undefined,
  settings: ServeSettings | undefined,
): readonly ShownSetting[] {
  const reader = new SettingReader(flags, environment, file?.values);
  const rows = SETTING_TABLE.map((row) => shown(row, reader, file));
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

function shown(row: SettingRow, reader: SettingReader, file: ConfigFile | undefined): ShownSetting {
  const head = { setting: row.name, live: row.live ?? false, agent: row.agent ?? 'nothing' } as const;
  const found = reader.found(row);
  if (found === undefined) {
    const unset = row.default ?? (row.kind === 'list' ? [] : null);
    return { ...head, value: unset, origin: 'default', where: undefined };
  }
  const where = {
    flag: row.flag && flagName(row.flag),
    environment: row.env,
    file: file && place(file, row.key),
  }[found.origin];
  return { ...head, value: typed(found.value, row.kind), origin: found.origin, where };
}

/** The effective rules: the vault's own and the general ones together. */
function vaultRows(
  { vaults }: ServeSettings,
  file: ConfigFile | undefined,
  from: Source | undefined,
): readonly ShownSetting[] {
  return vaults.flatMap(({ name, location, rules }) => {
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
      vaultSetting(`vaults.${name}.path`, location, origin, where, false),
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

/** Converts a value of the file, a flag or a variable to the type of its setting; a secret is masked. */
export function typed(value: unknown, kind: SettingRow['kind']): ShownSetting['value'] {
  if (kind === 'secret') return MASK;
  if (kind === 'yes') return isYes(value);
  if (kind === 'number' || kind === 'amount') return Number(value);
  return kind === 'list' ? items(value) : String(value);
}
