import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { referencePages, withSettings } from '../scripts/write-reference.mjs';
import * as commandLine from '../src/cli/command-line.ts';
import * as exitCodes from '../src/cli/commands/exit-codes.ts';
import * as configSchema from '../src/config/file/schema.ts';
import * as settings from '../src/config/setting-rows.ts';
import * as errors from '../src/errors.ts';
import * as answers from '../src/http/rest/answers.ts';
import * as openapi from '../src/http/rest/openapi.ts';
import * as prompts from '../src/mcp/prompt-builtin.ts';
import * as resources from '../src/mcp/resource-list.ts';
import * as schema from '../src/operations/call/json-schema.ts';
import { hasCommand, hasRoute } from '../src/operations/operation.ts';
import * as registry from '../src/operations/registry.ts';

const FOLDER = fileURLToPath(new URL('../docs/reference', import.meta.url));

const parts = {
  ...schema,
  ...commandLine,
  ...exitCodes,
  ...configSchema,
  ...settings,
  ...errors,
  ...answers,
  ...openapi,
  ...prompts,
  ...resources,
  ...registry,
};
const pages = await referencePages(parts);

it.each(Object.keys(pages))('docs/reference/%s says what the program does', (name) => {
  const written = readFileSync(`${FOLDER}/${name}`, 'utf8');
  expect(written, 'Run node scripts/write-reference.mjs and commit docs/reference.').toBe(pages[name]);
});

it('README.md has the settings of the program', () => {
  const readme = readFileSync(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8');
  expect(readme, 'Run node scripts/write-reference.mjs and commit README.md.').toBe(
    withSettings(readme, parts),
  );
});

it('has no page that nobody writes', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(pages).sort());
});

it('names every operation on each page about operations', () => {
  for (const { name } of registry.OPERATIONS) expect(pages['tools.md']).toContain(`\n## ${name}\n`);
  for (const { rest } of registry.OPERATIONS.filter(hasRoute))
    expect(pages['routes.md']).toContain(`\`${rest.method} ${rest.path}\``);
  for (const { cli } of registry.OPERATIONS.filter(hasCommand))
    expect(pages['commands.md']).toContain(`\n## lectern ${cli.noun} ${cli.verb}\n`);
});

it('leads nowhere that does not exist', () => {
  for (const [name, text] of Object.entries(pages)) {
    for (const [, target = '', anchor] of text.matchAll(/\]\(([\w.-]*)(?:#([\w-]+))?\)/g)) {
      const aimed = pages[target === '' ? name : target];
      expect([name, target, aimed !== undefined]).toEqual([name, target, true]);
      if (anchor !== undefined) expect(aimed).toContain(`\n## ${anchor}\n`);
    }
  }
});
