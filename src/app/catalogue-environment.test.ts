import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cards } from '../../test/catalogues/cards.ts';
import { CATALOGUES } from '../catalogues/list.ts';
import { SETTING_TABLE } from '../config/setting-rows.ts';
import { loadCatalogueSettings } from './catalogue-environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-variables-'));
afterAll(() => rmSync(folder, { recursive: true }));

const none = { XDG_CONFIG_HOME: join(folder, 'none'), LECTERN_VAULT: folder };

it('takes the catalogue from flag, environment and file, in this order', async () => {
  const config = join(folder, 'lectern.yaml');
  writeFileSync(config, 'catalogue: indx\n');
  const chosen = async (flags: object, environment: object) =>
    (await loadCatalogueSettings({ vault: '/v', ...flags }, { ...none, ...environment })).settings.catalogue;
  expect(await chosen({}, {})).toBe('indx');
  expect(await chosen({ config }, {})).toBe('indx');
  await expect(chosen({ catalogue: 'indxx' }, {})).rejects.toMatchObject({
    code: 'invalid_input',
    next: 'Did you mean indx?',
  });
  await expect(chosen({ config }, { LECTERN_CATALOGUE: 'nothing like it' })).rejects.toMatchObject({
    code: 'invalid_input',
  });
});

it('leaves the environment alone for a catalogue without variables of its own', async () => {
  const environment = { ...none, PORT: '1' };
  expect((await loadCatalogueSettings({ vault: '/v' }, environment)).given).toBe(environment);
});

it('takes over the variables of the system that is spoken, below Lectern’s own', async () => {
  const identity = async () => ({ ...(await cards.identity()), variables: { BOX_LOG: 'LECTERN_LOG_LEVEL' } });
  const load = async (environment: object, catalogue = 'cards') => {
    const all = [...CATALOGUES, { ...cards, identity }];
    return await loadCatalogueSettings({ vault: '/v', catalogue }, { ...none, ...environment }, all);
  };
  expect((await load({ BOX_LOG: 'debug' })).settings.logLevel).toBe('debug');
  expect((await load({ BOX_LOG: 'debug', LECTERN_LOG_LEVEL: 'info' })).settings.logLevel).toBe('info');
  expect((await load({ BOX_LOG: 'debug' }, 'indx')).settings.logLevel).toBe('warn');
});

it.each(CATALOGUES)('$name names variables that Lectern knows', async ({ identity }) => {
  const known = new Set([...SETTING_TABLE.map(({ env }) => env), 'LECTERN_VAULT', 'LECTERN_TOKEN']);
  const { variables = {} } = await identity();
  expect(Object.values(variables).filter((name) => !known.has(name))).toEqual([]);
});
