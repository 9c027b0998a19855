import { describe, expect, it } from 'vitest';
import { configSchema } from './file/schema.ts';
import { SETTING_TABLE } from './setting-rows.ts';
import { defaultOf, SettingReader } from './setting-values.ts';

describe('the table', () => {
  it('names each key, flag and variable once', () => {
    for (const names of [
      SETTING_TABLE.map(({ name }) => name),
      SETTING_TABLE.map(({ env }) => env),
      SETTING_TABLE.flatMap(({ attribute }) => attribute ?? []),
    ])
      expect(new Set(names).size).toBe(names.length);
  });

  it.each(SETTING_TABLE.filter((row) => row.default !== undefined).map((row) => [row.name, row] as const))(
    'the default of %s is a value that the file may have',
    (_, row) => {
      const nested = row.key.reduceRight<unknown>((value, part) => ({ [part]: value }), row.default);
      expect(configSchema.safeParse(nested).error).toBeUndefined();
    },
  );

  it('says of every number its range, and of every flag where it is taken', () => {
    for (const { name, kind, min, max, flag, on } of SETTING_TABLE) {
      if (kind === 'number') expect([min, max], name).toEqual([expect.any(Number), expect.any(Number)]);
      expect(flag === undefined, name).toBe(on === undefined);
    }
  });
});

describe('SettingReader', () => {
  const file = { history: { days: 7 }, paths: { read: { deny: ['{a,b}/*'] } } };

  it('takes the flag, then the variable, then the file, then the default', () => {
    const days = (flags: object, environment: object, values: object = {}) =>
      new SettingReader(flags, { ...environment }, values).value('history.days');
    const environment = { LECTERN_HISTORY_DAYS: '9' };
    expect(days({ historyDays: '8' }, environment, file)).toBe(8);
    expect(days({ historyDays: ' ' }, environment, file)).toBe(9);
    expect(days({}, { LECTERN_HISTORY_DAYS: '' }, file)).toBe(7);
    expect(days({}, {})).toBe(30);
  });

  it('splits lists of the environment at commas, and no others', () => {
    const deny = (flags: object, environment: object) =>
      new SettingReader(flags, { ...environment }, file).value('paths.read.deny');
    expect(deny({}, { LECTERN_DENY_READ: 'a, b,' })).toEqual(['a', 'b']);
    expect(deny({ denyRead: ['{c,d}'] }, {})).toEqual(['{c,d}']);
    expect(deny({ denyRead: [] }, { LECTERN_DENY_READ: 'a' })).toEqual([]);
    expect(deny({}, {})).toEqual(['{a,b}/*']);
    expect(new SettingReader({}, {}).value('tools.allow')).toEqual([]);
  });

  it('gives durations in milliseconds, also those of the table', () => {
    expect(new SettingReader({}, {}).value('http.oauth_access_life')).toBe(3_600_000);
    expect(new SettingReader({}, { LECTERN_OAUTH_ACCESS_LIFE: '2d' }).value('http.oauth_access_life')).toBe(
      172_800_000,
    );
    for (const row of SETTING_TABLE.filter(({ kind }) => kind === 'duration'))
      expect(defaultOf(row), row.name).toEqual(expect.any(Number));
  });

  it.each([
    [{ port: '70000' }, {}, '--port cannot be "70000".', 'from 0 to 65535'],
    [{}, { LECTERN_PORT: 'x' }, 'LECTERN_PORT cannot be "x".', 'from 0 to 65535'],
    [{ oauthAccessLife: '400d' }, {}, '--oauth-access-life cannot be "400d".', 'at most 365d'],
    [{ logLevel: 'loud' }, {}, '--log-level cannot be "loud".', 'silent, error'],
    [{}, { LECTERN_DAILY_NOTES_FOLDER: '../x' }, 'LECTERN_DAILY_NOTES_FOLDER cannot be', 'inside the vault'],
  ])('names the place of a value that cannot be meant: %j %j', (flags, environment, message, next) => {
    const reader = new SettingReader(flags, environment);
    const read = () => {
      for (const { name } of SETTING_TABLE) reader.value(name);
    };
    expect(read).toThrow(
      expect.objectContaining({ code: 'invalid_input', next: expect.stringContaining(next) }),
    );
    expect(read).toThrow(message);
  });
});
