import { describe, expect, it } from 'vitest';
import { settingTarget, valueFrom } from './setting-target.ts';

describe('settingTarget', () => {
  it('knows the settings of the table and those of a vault', () => {
    expect(settingTarget(' http.port ')).toMatchObject({
      key: ['http', 'port'],
      kind: 'number',
      live: false,
    });
    expect(settingTarget('paths.read.deny')).toMatchObject({ kind: 'list', live: true, agent: 'nothing' });
    expect(settingTarget('vaults.home')).toMatchObject({
      key: ['vaults', 'home'],
      kind: 'text',
      agent: 'nothing',
    });
    expect(settingTarget('vaults.home.paths.read.deny')).toMatchObject({ kind: 'list', live: true });
  });

  it.each([
    ['http.prot', 'Did you mean http.port?'],
    ['readonly', 'Did you mean read_only?'],
    ['vaults.home.readonly', 'Did you mean vaults.home.read_only?'],
    ['__proto__', /^Settings: read_only, /],
    ['vaults', /^Settings: |^Did you mean/],
    ['http', /^Settings: |^Did you mean/],
  ])('%s is no setting', (name, next) => {
    expect(() => settingTarget(name)).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        next: typeof next === 'string' ? next : expect.stringMatching(next),
      }),
    );
  });
});

describe('valueFrom', () => {
  it.each([
    ['read_only', 'true', true],
    ['http.port', '80', 80],
    ['log_level', ' debug ', 'debug'],
    ['paths.read.deny', 'Private', ['Private']],
    ['paths.read.deny', '{a,b}/*', ['{a,b}/*']],
    ['paths.read.deny', '[Private, "a, b", {c,d}/**, \'e\']', ['Private', 'a, b', '{c,d}/**', 'e']],
    ['paths.read.deny', '[]', []],
    ['embedder_key', 'env:MY_KEY', { env: 'MY_KEY' }],
    ['embedder_key', 'file: key', { file: '/home/me/key' }],
    ['vaults.work', 'notes', '/home/me/notes'],
    ['vaults.work.path', '~/notes', '~/notes'],
    ['state', '../state', '/home/state'],
  ] as const)('%s %s', (setting, text, value) => {
    expect(valueFrom(settingTarget(setting), text, '/home/me')).toEqual(value);
  });

  it.each([
    ['read_only', 'yes'],
    ['http.port', '80a'],
    ['log_level', ' '],
    ['log_level', 'a\nb'],
    ['paths.read.deny', '["a]'],
    ['embedder_key', 'hunter2'],
  ])('%s cannot be %j', (setting, text) => {
    try {
      valueFrom(settingTarget(setting), text);
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_input', details: { setting } });
      expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
      return;
    }
    throw new Error('It was taken.');
  });
});
