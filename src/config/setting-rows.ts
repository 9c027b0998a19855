import { type Definition, SETTINGS } from './setting-table.ts';

type Settings = typeof SETTINGS;

/** A setting's key in the file, with dots. */
export type SettingKey = keyof Settings;

/** A list, a boolean, milliseconds of a duration, a number, or a text; undefined only without a default. */
export type SettingValue<K extends SettingKey> =
  | ValueOfKind<Settings[K]['kind']>
  | (Settings[K] extends { readonly default: unknown } | { readonly kind: 'list' } ? never : undefined);

interface ValueKinds {
  readonly text: string;
  readonly secret: string;
  readonly list: readonly string[];
  readonly yes: boolean;
  readonly number: number;
  readonly amount: number;
  readonly duration: number;
}
type ValueOfKind<Kind extends keyof ValueKinds> = ValueKinds[Kind];

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text;
type FlagOf<K extends SettingKey> = Settings[K] extends { readonly flag: infer Flag extends string }
  ? Flag
  : never;
type AttributeOf<Flag extends string> = Flag extends `--${infer Name} <${string}`
  ? CamelCase<Name>
  : Flag extends `--${infer Name}`
    ? CamelCase<Name>
    : never;
type GivenValue<Flag extends string> = Flag extends `${string}...>`
  ? readonly string[]
  : Flag extends `${string}>`
    ? string
    : boolean;

/** The flags of all settings under the command-line library's names: `--allow-read` is `allowRead`. */
export type SettingFlags = {
  readonly [K in SettingKey as AttributeOf<FlagOf<K>>]?: GivenValue<FlagOf<K>>;
};

/** One setting of the table, with what follows from its definition. */
export interface SettingRow extends Definition {
  readonly name: SettingKey;
  /** Its path in the configuration file. */
  readonly key: readonly [string, ...string[]];
  /** The flag's name in {@link SettingFlags}. */
  readonly attribute: string | undefined;
}

export const SETTING_TABLE: readonly SettingRow[] = Object.entries(SETTINGS).map(([name, definition]) => ({
  ...(definition as Definition),
  name: name as SettingKey,
  key: name.split('.') as [string, ...string[]],
  attribute: 'flag' in definition ? attributeOf(definition.flag) : undefined,
}));

/** A flag without its argument: `--history-days <days>` → `--history-days`. */
export function flagName(flag: string): string {
  return flag.replace(/ .*$/s, '');
}

function attributeOf(flag: string): string {
  return flagName(flag)
    .slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A value of the file by its key; undefined when it is absent. */
export function fileValue(values: object, key: readonly string[]): unknown {
  let value: unknown = values;
  for (const part of key) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = new Map<string, unknown>(Object.entries(value)).get(part);
  }
  return value;
}
