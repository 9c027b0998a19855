import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { embedderKey } from './embedder-setting.ts';
import { configPlace } from './file/place.ts';
import { configSchema } from './file/schema.ts';
import { resolveHttpSettings } from './http-settings.ts';
import { loadSettings } from './load.ts';
import { SETTING_TABLE } from './setting-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function configFile(text: string): string {
  const path = join(folder, 'lectern.yaml');
  writeFileSync(path, text);
  return path;
}

const FULL = `
vaults: { v: /v }
http:
  host: ::1
  port: 1234
  public_url: https://notes.example
  allow_hosts: [A.example, b.example]
  allow_origins: [https://c.example]
  trust_proxies: [10.0.0.0/8]
  tls_cert: cert.pem
  tls_key: key.pem
  request_limit: 5
  body_limit: 7
  session_idle: 9
  rate_limit: 0
  oauth: true
  oauth_client: app
  oauth_client_secret: { env: MY_SECRET }
  oauth_redirects: [https://d.example/back]
embedder: openai:small
embedder_key: { env: MY_KEY }
`;

describe('loadSettings', () => {
  it('hands every setting of the HTTP door on, below flags and environment', async () => {
    const config = configFile(FULL);
    const loaded = await loadSettings(
      { config },
      { MY_KEY: ' k ', MY_SECRET: 's', LECTERN_PORT: '4321', LECTERN_HOST: ' ' },
    );
    expect(resolveHttpSettings({ rateLimit: '3' }, loaded.environment)).toMatchObject({
      host: '::1',
      port: 4321,
      publicUrl: new URL('https://notes.example/'),
      allowedHosts: ['a.example', 'b.example'],
      allowedOrigins: ['https://c.example'],
      trustedProxies: ['10.0.0.0/8'],
      tls: { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') },
      callLimitMs: 5000,
      maxBodyBytes: 7168,
      sessionIdleMs: 540_000,
      ratePerMinute: 3,
      oauth: { client: { id: 'app', secret: 's', redirectUris: ['https://d.example/back'] } },
    });
    expect(embedderKey(loaded.environment)).toBe('k');
  });

  it('takes a secret from the first line of a file, and says where one is missing', async () => {
    writeFileSync(join(folder, 'key'), 'secret\nmore\n');
    const config = configFile('vaults: { v: /v }\nembedder: openai:small\nembedder_key: { file: key }\n');
    expect(embedderKey((await loadSettings({ config }, {})).environment)).toBe('secret');
    writeFileSync(join(folder, 'key'), '\n');
    await expect(loadSettings({ config }, {})).rejects.toMatchObject({ code: 'unavailable' });
    configFile('vaults: { v: /v }\nembedder: openai:small\nembedder_key: { env: NOT_SET }\n');
    await expect(loadSettings({ config }, {})).rejects.toThrow('NOT_SET');
    // A value of higher precedence makes reading it from the file needless.
    await expect(loadSettings({ config }, { LECTERN_EMBEDDER_KEY: 'x' })).resolves.toBeDefined();
  });

  it.each([
    ['embedder_key: { env: NOT_SET }', {}, {}, ['embedder_key']],
    ['embedder_key: { file: none }\nembedder: ollama:m', {}, {}, ['embedder_key']],
    ['embedder: local', {}, { LECTERN_EMBEDDER_KEY: 'k' }, ['LECTERN_EMBEDDER_KEY']],
    ['embedder_key: { env: MY_KEY }', { embedder: ' openai:m' }, { MY_KEY: 'k' }, []],
    ['embedder_key: { env: MY_KEY }', {}, { LECTERN_EMBEDDER: 'openai:m', MY_KEY: 'k' }, []],
    ['log_level: warn', {}, {}, []],
  ])(
    '%j with %j and %j: a key that no embedder takes stops no start and is named',
    async (text, flags, environment, named) => {
      const config = configFile(`vaults: { v: /v }\n${text}\n`);
      const { warnings } = await loadSettings({ config, ...flags }, environment);
      expect(warnings).toEqual(
        named.map((name) => expect.stringContaining(`${name} is set, but no embedder`)),
      );
    },
  );

  it('does without a file in the usual place, but not without one that was named', async () => {
    const environment = { XDG_CONFIG_HOME: join(folder, 'nothing') };
    expect((await loadSettings({ vault: '/v' }, environment)).file).toBeUndefined();
    const config = join(folder, 'absent.yaml');
    await expect(loadSettings({ vault: '/v', config }, environment)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(config),
    });
  });

  it('refuses a file that lies in a vault it serves, under whatever name', async () => {
    const vault = join(folder, 'vault');
    mkdirSync(join(vault, '.lectern'), { recursive: true });
    const inside = join(vault, '.lectern', 'c.yaml');
    writeFileSync(inside, 'log_level: debug\n');
    const link = join(folder, 'link.yaml');
    symlinkSync(inside, link);
    for (const config of [inside, link]) {
      await expect(loadSettings({ vault, config }, {})).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('inside the vault'),
      });
    }
    await expect(loadSettings({ vault: '/v', config: inside }, {})).resolves.toBeDefined();
  });
});

it('knows a row for every setting of the file, and no other', () => {
  const leaves = (schema: unknown, key: string): string[] => {
    const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
    if (inner instanceof z.ZodObject)
      return Object.entries(inner.shape).flatMap(([name, value]) =>
        leaves(value, key === '' ? name : `${key}.${name}`),
      );
    return [key];
  };
  const keys = leaves(configSchema, '').filter((key) => key !== 'vaults');
  expect(SETTING_TABLE.map(({ key }) => key.join('.')).sort()).toEqual(keys.sort());
});

it.each([
  ['linux', { HOME: '/h' }, '/h/.config/lectern/lectern.yaml'],
  ['linux', { HOME: '/h', XDG_CONFIG_HOME: '/x' }, '/x/lectern/lectern.yaml'],
  ['darwin', { HOME: '/h' }, '/h/Library/Application Support/lectern/lectern.yaml'],
  ['win32', { HOME: '/h', APPDATA: '/a' }, '/a/lectern/lectern.yaml'],
] as const)('%s keeps the file in its own place', (platform, environment, path) => {
  expect(configPlace(undefined, environment, platform)).toEqual({ path: join(path), named: false });
});
