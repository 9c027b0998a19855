import { LecternError } from '../errors.ts';
import {
  fileValue,
  flagName,
  SETTING_TABLE,
  type SettingFlags,
  type SettingKey,
  type SettingRow,
  type SettingValue,
} from './setting-rows.ts';
import { isVaultPlace } from './vault-place.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const ROWS = new Map(SETTING_TABLE.map((row) => [row.name, row]));

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Where a value was found and in which form: a text from a flag or variable is parsed by the kind of its setting. */
export interface FoundValue {
  readonly value: unknown;
  readonly origin: 'flag' | 'environment' | 'file';
}

/**
 * Reads settings by the table. Precedence: flags, environment, configuration file, defaults. An empty text
 * counts as unset; a list given as a flag, even an empty one, replaces the environment's, which is
 * comma-separated.
 */
export class SettingReader {
  readonly #flags: Readonly<Record<string, unknown>>;
  readonly #environment: Environment;
  readonly #file: object;

  /** @param file the values of the configuration file, nested as there */
  constructor(flags: SettingFlags, environment: Environment, file: object = {}) {
    this.#flags = { ...flags };
    this.#environment = environment;
    this.#file = file;
  }

  /**
   * The value in force.
   * @throws LecternError `invalid_input` when the setting does not allow it
   */
  value<K extends SettingKey>(name: K): SettingValue<K> {
    return (this.given(name) ?? defaultOf(rowOf(name))) as SettingValue<K>;
  }

  /**
   * Like {@link value}, but undefined when only the default applies.
   * @throws LecternError `invalid_input` when the setting does not allow the value
   */
  given<K extends SettingKey>(name: K): Exclude<SettingValue<K>, undefined> | undefined {
    const row = rowOf(name);
    const found = this.found(row);
    if (found === undefined) return undefined;
    const said = { flag: row.flag && flagName(row.flag), environment: row.env, file: name }[found.origin];
    return parsed(row, found.value, said ?? name) as Exclude<SettingValue<K>, undefined>;
  }

  /** The source of the value, and its text there; undefined when only the default applies. */
  found({ attribute, env, key }: SettingRow): FoundValue | undefined {
    const flag = attribute === undefined ? undefined : this.#flags[attribute];
    if (flag !== undefined && !isBlank(flag)) return { value: flag, origin: 'flag' };
    const variable = this.#environment[env];
    if (variable !== undefined && !isBlank(variable)) return { value: variable, origin: 'environment' };
    const value = fileValue(this.#file, key);
    return value === undefined ? undefined : { value, origin: 'file' };
  }
}

/** The default value of a setting. Lists are empty, durations in milliseconds. */
export function defaultOf(row: SettingRow): unknown {
  if (row.kind === 'list') return row.default ?? [];
  return row.kind === 'duration' && row.default !== undefined ? durationMs(String(row.default)) : row.default;
}

function rowOf(name: SettingKey): SettingRow {
  const row = ROWS.get(name);
  if (row === undefined) throw new Error(`There is no setting ${name}.`);
  return row;
}

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';

function parsed(row: SettingRow, value: unknown, said: string): unknown {
  switch (row.kind) {
    case 'list':
      return items(value);
    case 'yes':
      return isYes(value);
    case 'number':
      return number(row, String(value).trim(), said);
    case 'amount':
      return amount(String(value).trim(), said);
    case 'duration':
      return duration(row, String(value).trim(), said);
    case 'text':
      return text(row, String(value).trim(), said);
    case 'secret':
      return String(value).trim();
  }
}

/** The items of an array or of a comma-separated text, trimmed, without empty ones. */
export function items(value: unknown): readonly string[] {
  const parts: readonly unknown[] = Array.isArray(value) ? value : String(value).split(',');
  return parts.map((item) => String(item).trim()).filter((item) => item !== '');
}

/** Whether a value is true, or one of the texts 1, true, yes and on. */
export function isYes(value: unknown): boolean {
  return value === true || /^(1|true|yes|on)$/i.test(String(value).trim());
}

function number({ min = 0, max = 999_999_999 }: SettingRow, value: string, said: string): number {
  if (isWholeNumber(value, min, max)) return Number(value);
  throw wrong(said, value, `Give a whole number from ${min} to ${max}.`);
}

/** Parses an amount of money: up to six digits before and six after the point. */
function amount(value: string, said: string): number {
  if (isAmount(value)) return Number(value);
  throw wrong(said, value, 'Give an amount such as 0.15 or 20.');
}

/** Whether a text is an amount of money: up to six digits before and six after the point. */
export function isAmount(value: string): boolean {
  return /^\d{1,6}(\.\d{1,6})?$/.test(value);
}

function duration({ longest = '365d' }: SettingRow, value: string, said: string): number {
  const ms = durationMs(value) ?? 0;
  if (ms > 0 && ms <= (durationMs(longest) ?? 0)) return ms;
  throw wrong(said, value, `Give minutes, hours or days, at most ${longest}: 30m, 12h, 90d.`);
}

function text({ choices, names }: SettingRow, value: string, said: string): string {
  if (names === 'vault place' && !isVaultPlace(value))
    throw wrong(
      said,
      value,
      'Give a place inside the vault, without a leading slash or dot: Daily, Notes/Log.',
    );
  if (choices === undefined) return value;
  const choice = choices.find((known) => known === value.toLowerCase());
  if (choice !== undefined) return choice;
  throw wrong(said, value, `Use one of ${choices.join(', ')}.`);
}

function wrong(said: string, value: string, next: string): LecternError {
  return new LecternError('invalid_input', `${said} cannot be ${JSON.stringify(value)}.`, { next });
}

/** Whether a text is a whole number in a range, both bounds included. */
export function isWholeNumber(value: string, min: number, max: number): boolean {
  return /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
}

/** Minutes, hours or days (`30m`, `12h`, `90d`) in milliseconds; undefined for anything else. */
export function durationMs(value: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(value) ?? [];
  const factor = UNIT_MS[unit];
  return count === undefined || factor === undefined ? undefined : Number(count) * factor;
}
