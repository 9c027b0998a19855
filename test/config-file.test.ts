import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../src/config/file/parse.ts';
import { SETTING_TABLE } from '../src/config/setting-rows.ts';
import { resolveSettings } from '../src/config/settings.ts';
import { offered } from '../src/operations/offer.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { Access } from '../src/vault/access.ts';

/** The configuration file as the built binary takes it. */

const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lectern-config-'));
const home = join(folder, 'config', 'lectern');
mkdirSync(home, { recursive: true });
const usual = join(home, 'lectern.yaml');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function lectern(args: readonly string[], more: Record<string, string> = {}, input = '') {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    ...more,
  };
  return spawnSync(process.execPath, [LECTERN, ...args], { env, encoding: 'utf8', cwd: folder, input });
}

interface Shown {
  setting: string;
  value: unknown;
  origin: string;
}

describe('lectern config', () => {
  it('shows every setting with where it comes from, and no secret', () => {
    writeFileSync(
      usual,
      [
        'vaults: { work: ~/Work }',
        'log_level: info',
        'tools:',
        '  deny: [note_delete]',
        'state: /from/file',
        'embedder_key: { env: MY_KEY }',
        'http: { port: 1234 }',
      ].join('\n'),
    );
    const environment = { MY_KEY: 'hunter2', LECTERN_STATE: '/from/environment' };
    const { stdout, status } = lectern(
      ['config', 'show', '--json', '--log-level', 'debug', '--deny-read', 'Private'],
      environment,
    );
    expect(status).toBe(0);
    expect(stdout).not.toContain('hunter2');
    const rows = JSON.parse(stdout) as Shown[];
    const row = (setting: string) => rows.find((each) => each.setting === setting);
    expect(row('vaults.work.path')).toMatchObject({ value: join(folder, 'Work'), origin: `${usual}:1` });
    expect(row('vaults.work.paths.read.deny')).toMatchObject({ value: ['Private'] });
    expect(row('log_level')).toMatchObject({ value: 'debug', origin: 'flag --log-level' });
    expect(row('paths.read.deny')).toMatchObject({ value: ['Private'], origin: 'flag --deny-read' });
    expect(row('state')).toMatchObject({
      value: '/from/environment',
      origin: 'environment LECTERN_STATE',
    });
    expect(row('tools.deny')).toMatchObject({ value: ['note_delete'], origin: `${usual}:4` });
    expect(row('http.port')).toMatchObject({ value: 1234, origin: `${usual}:7` });
    expect(row('http.host')).toMatchObject({ value: '127.0.0.1', origin: 'default' });
    expect(row('embedder_key')).toMatchObject({ value: '********', origin: `${usual}:6` });
    const text = lectern(['config', 'show', '--origin'], environment).stdout;
    expect(text).toMatch(/^http\.port +1234 {2}\(.*lectern\.yaml:7\)$/m);
  });

  it('prints the place and the schema', () => {
    expect(lectern(['config', 'path']).stdout).toBe(`${usual}\n`);
    expect(lectern(['config', 'path', '--config', 'x.yaml']).stdout).toBe(`${join(folder, 'x.yaml')}\n`);
    const schema = JSON.parse(lectern(['config', 'schema']).stdout) as {
      additionalProperties: unknown;
      properties: Record<string, unknown>;
    };
    expect(schema.additionalProperties).toBe(false);
    expect(Object.keys(schema.properties)).toContain('embedder_key');
  });

  it('is read by every command that opens a vault, and stops them when it is wrong', () => {
    mkdirSync(join(folder, 'Work'), { recursive: true });
    writeFileSync(join(folder, 'Work', 'A.md'), 'alpha\n');
    writeFileSync(usual, 'vaults: { work: ~/Work }\nread_only: true\n');
    const read = lectern(['note', 'get', 'A.md', '--json']);
    expect(JSON.parse(read.stdout)).toMatchObject({ body: 'alpha\n' });
    writeFileSync(usual, 'vaults: { work: ~/Work }\nread_onyl: true\n');
    for (const command of [
      ['mcp', 'serve'],
      ['serve', '--no-auth'],
      ['token', 'list'],
      ['config', 'show'],
    ]) {
      const { status, stderr, stdout } = lectern(command);
      expect(stderr).toBe(`lectern: ${usual}:2: There is no setting "read_onyl". Did you mean read_only?\n`);
      expect([status, stdout]).toEqual([2, '']);
    }
  });
});

it('the example of the guide is a file that can be used, and has every setting there is', () => {
  const guide = readFileSync(new URL('../docs/guides/configuration.md', import.meta.url), 'utf8');
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  const { values, lineOf } = parseConfig(example, '/etc/lectern/lectern.yaml');
  for (const { key } of SETTING_TABLE) expect(lineOf(key), key.join('.')).toBeGreaterThan(0);
  const { vaults, tools } = resolveSettings({}, {}, values);
  expect(vaults.map(({ name, rules }) => [name, rules.readOnly, rules.read.deny])).toEqual([
    ['work', false, ['Private', '**/*.secret.md']],
    ['home', true, ['Private', '**/*.secret.md', 'Diary']],
  ]);
  for (const { rules } of vaults) expect(new Access([rules]).mayRead('Private/A.md')).toBe(false);
  const left = offered(OPERATIONS, { scopes: ['vault:read', 'vault:write'], ...tools });
  expect(left.map(({ name }) => name)).not.toContain('note_delete');
  writeFileSync(join(folder, 'guide.yaml'), example);
  const secrets = {
    OPENAI_API_KEY: 'k',
    NOTES_TOKEN: 'n'.repeat(20),
    OWNER_PASSPHRASE: 'twelve chars',
    OAUTH_KEY: 'k',
  };
  const { stdout, stderr } = lectern(['config', 'show', '--config', 'guide.yaml'], secrets);
  expect(stderr).toContain('oauth-secret cannot be read');
  writeFileSync(join(folder, 'oauth-secret'), 's\n');
  const shown = lectern(['config', 'show', '--config', 'guide.yaml'], secrets);
  expect([stdout, shown.stderr, shown.status]).toEqual(['', '', 0]);
  expect(shown.stdout).toMatch(/^http\.oauth_client_secret +\*{8}$/m);
});
