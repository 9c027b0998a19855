import { resolve } from 'node:path';
import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import type { EditedValue } from './file/edit.ts';
import { SETTING_TABLE, type SettingRow } from './setting-rows.ts';
import { isAmount } from './setting-values.ts';

/** A setting that can be changed in the file. */
export interface SettingTarget {
  readonly setting: string;
  readonly key: readonly [string, ...string[]];
  readonly kind: SettingRow['kind'];
  readonly live: boolean;
  readonly agent: 'sets' | 'reads' | 'nothing';
  /** undefined for a setting of a vault, which has no row in the table. */
  readonly row: SettingRow | undefined;
}

/** The settings of a vault by their key after its name; the empty key is its folder. */
const OF_A_VAULT: ReadonlyMap<string, SettingRow['kind']> = new Map([
  ['', 'text'],
  ['path', 'text'],
  ['read_only', 'yes'],
  ['paths.read.allow', 'list'],
  ['paths.read.deny', 'list'],
  ['paths.write.allow', 'list'],
  ['paths.write.deny', 'list'],
]);

/** The setting with this name. @throws LecternError `invalid_input` for an unknown one, with a suggestion */
export function settingTarget(name: string): SettingTarget {
  const setting = name.trim();
  const row = SETTING_TABLE.find(({ key }) => key.join('.') === setting);
  if (row !== undefined)
    return {
      setting,
      key: row.key,
      kind: row.kind,
      live: row.live ?? false,
      agent: row.agent ?? 'nothing',
      row,
    };
  const [, vault, rest = ''] = /^vaults\.([^.]+)(?:\.(.+))?$/.exec(setting) ?? [];
  const kind = vault === undefined ? undefined : OF_A_VAULT.get(rest);
  if (vault !== undefined && kind !== undefined) {
    const key = ['vaults', vault, ...(rest === '' ? [] : rest.split('.'))] as const;
    return { setting, key, kind, live: kind !== 'text', agent: 'nothing', row: undefined };
  }
  const names = [
    ...SETTING_TABLE.map(({ key }) => key.join('.')),
    ...[...OF_A_VAULT.keys()].map((part) => ['vaults', vault ?? 'NAME', part].filter(Boolean).join('.')),
  ];
  const meant = closest(setting, names);
  throw new LecternError('invalid_input', `There is no setting ${JSON.stringify(setting.slice(0, 60))}.`, {
    details: { setting: setting.slice(0, 60) },
    next: meant === undefined ? `Settings: ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

/**
 * Parses a value written on one line: `true`, `8080`, text; a list as `[a, b]` or one item; the place of a
 * secret as `env:NAME` or `file:path`. Ranges, such as those of ports, are checked by the file's schema.
 *
 * @param from folder from which a relative path is resolved; undefined = it stays relative to the file
 * @throws LecternError `invalid_input` for a text of another form
 */
export function valueFrom(target: SettingTarget, text: string, from?: string): EditedValue {
  const { setting, kind } = target;
  const value = text.trim();
  if (value === '') throw wrong(setting, 'nothing', 'To take it out of the file, unset it.');
  if (/\p{Cc}/u.test(value)) throw wrong(setting, 'several lines', 'Write it in one line.');
  if (kind === 'secret') {
    const [, place = '', what = ''] = /^(env|file):\s*(\S.*)$/.exec(value) ?? [];
    // The text may be the secret itself, so the error must not repeat it.
    if (place === '') throw wrong(setting, 'the secret itself', 'Say where it is: env:NAME or file:<path>.');
    return { [place]: place === 'file' ? pathFrom(what, from) : what };
  }
  if (kind === 'yes') {
    if (value === 'true' || value === 'false') return value === 'true';
    throw wrong(setting, JSON.stringify(value), 'Write true or false.');
  }
  if (kind === 'number') {
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw wrong(setting, JSON.stringify(value), 'Write a whole number.');
  }
  if (kind === 'amount') {
    if (isAmount(value)) return Number(value);
    throw wrong(setting, JSON.stringify(value), 'Write an amount such as 0.15 or 20.');
  }
  if (kind === 'list') return listFrom(setting, value);
  return isPath(target) ? pathFrom(value, from) : value;
}

/** Whether a text is a path: a vault's only text setting is its folder. */
function isPath({ row }: SettingTarget): boolean {
  return row === undefined || row.names === 'path';
}

/** An absolute path if `from` is given; `~` stays, so that the file can be used on another machine. */
function pathFrom(value: string, from: string | undefined): string {
  return from === undefined || value === '~' || /^~[\\/]/.test(value) ? value : resolve(from, value);
}

/** Parses a list. Commas in quotes and in braces, as in the glob `{a,b}/*`, separate no items. */
function listFrom(setting: string, value: string): readonly string[] {
  if (!/^\[.*\]$/s.test(value)) return [value];
  const items = splitOutside(value.slice(1, -1)).map((item) => item.trim());
  const texts = items.filter((item) => item !== '').map(unquoted);
  if (texts.every((item) => item !== undefined)) return texts;
  throw wrong(setting, JSON.stringify(value), 'Write a list as [one, two, "with, comma"].');
}

function splitOutside(text: string): string[] {
  const parts = [''];
  let quote = '';
  let depth = 0;
  for (const char of text) {
    if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = '';
    else if (quote === '' && char === '{') depth++;
    else if (quote === '' && char === '}') depth--;
    if (char === ',' && quote === '' && depth <= 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}

function unquoted(item: string): string | undefined {
  const [, quote = '', inner = item] = /^(["'])(.*)\1$/s.exec(item) ?? [];
  return quote === '' && /^["']|["']$/.test(item) ? undefined : inner;
}

function wrong(setting: string, value: string, next: string): LecternError {
  return new LecternError('invalid_input', `${setting} cannot be ${value}.`, { details: { setting }, next });
}
