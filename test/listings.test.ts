import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { obstacles, serverEntry } from '../scripts/release.mjs';
import { SETTING_TABLE } from '../src/config/setting-rows.ts';

/** What the places that list programs are told: that it is well-formed, and agrees with the program. */

const read = (file: string) => readFileSync(file, 'utf8');
const ABOUT = JSON.parse(read('package.json'));
const VARIABLES = new Set(['LECTERN_VAULT', ...SETTING_TABLE.flatMap(({ env }) => env)]);

const RELEASED = {
  name: 'lectern',
  version: '1.2.3',
  mcpName: 'org.example/lectern',
  repository: { url: 'git+https://github.com/example/lectern.git' },
};
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n## 1.2.3 (2026-11-29)\n\n### Added\n\n- All of it.\n';
const COMMIT = { tags: ['v1.2.3'], changed: '' };

describe('a release', () => {
  it('can go out when name, version, changelog and tag agree', () => {
    expect(obstacles(RELEASED, CHANGELOG, COMMIT)).toEqual([]);
  });

  it.each([
    ['a name that is not claimed', { ...RELEASED, private: true }, CHANGELOG, COMMIT, /claim the name/],
    ['no repository', { ...RELEASED, repository: undefined }, CHANGELOG, COMMIT, /names no repository/],
    ['no name of a server', { ...RELEASED, mcpName: undefined }, CHANGELOG, COMMIT, /mcpName/],
    ['a name of another server', { ...RELEASED, mcpName: 'org.example/other' }, CHANGELOG, COMMIT, /mcpName/],
    ['a domain that is none', { ...RELEASED, mcpName: 'example/lectern' }, CHANGELOG, COMMIT, /mcpName/],
    ['no tag', RELEASED, CHANGELOG, { ...COMMIT, tags: ['v1.2.2'] }, /no tag v1\.2\.3/],
    ['no section', RELEASED, CHANGELOG.replace('1.2.3', '1x2.3'), COMMIT, /no section "## 1\.2\.3/],
    [
      'changes left over',
      RELEASED,
      CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n### Added\n\n- More.\n'),
      COMMIT,
      /under "Unreleased"/,
    ],
    ['what is not committed', RELEASED, CHANGELOG, { ...COMMIT, changed: ' M README.md' }, /not committed/],
  ])('waits for %s', (_case, about, changelog, commit, sentence) => {
    const found = obstacles(about as typeof RELEASED, changelog, commit);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(sentence);
  });

  it('does not go out of this commit: nobody has claimed the name', () => {
    expect(ABOUT.private).toBe(true);
    expect(obstacles(ABOUT, read('CHANGELOG.md'), COMMIT).join('\n')).toMatch(/claim the name/);
  });
});

/** The schema of 2025-12-11 for what an entry of ours uses, strictly, with the limits that it sets. */
const input = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
  default: z.string().optional(),
});
const pack = z.strictObject({
  registryType: z.enum(['npm', 'pypi', 'oci', 'nuget', 'mcpb']),
  identifier: z.string().min(1),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  fileSha256: z
    .string()
    .regex(/^[a-f0-9]{64}$/)
    .optional(),
  runtimeHint: z.enum(['npx', 'uvx', 'docker', 'dnx']).optional(),
  packageArguments: z.array(z.strictObject({ type: z.literal('positional'), value: z.string() })).optional(),
  transport: z.strictObject({ type: z.literal('stdio') }),
  environmentVariables: z.array(input).optional(),
});
const entry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  repository: z.strictObject({ url: z.url(), source: z.string() }),
  packages: z.array(pack).min(1),
});

describe('server.json', () => {
  const made = serverEntry({ ...RELEASED, description: ABOUT.description } as never, {
    url: 'https://example.org/lectern.mcpb',
    sha256: 'a'.repeat(64),
  });

  it('keeps to its schema', () => {
    const { packages, repository } = entry.parse(made);
    expect(repository).toEqual({ url: 'https://github.com/example/lectern', source: 'github' });
    // A bundle is taken only with its digest.
    expect(packages.find(({ registryType }) => registryType === 'mcpb')?.fileSha256).toBeDefined();
  });

  it('sets variables that the program knows', () => {
    const { packages } = entry.parse(made);
    for (const { environmentVariables = [] } of packages)
      for (const { name } of environmentVariables) expect(VARIABLES, name).toContain(name);
  });
});

describe('the plugin of Claude Code', () => {
  const plugin = JSON.parse(read('packaging/claude-code/.claude-plugin/plugin.json'));
  const market = JSON.parse(read('.claude-plugin/marketplace.json'));

  it('has the version of the package, and is what the marketplace lists', () => {
    expect(plugin).toMatchObject({ name: ABOUT.name, version: ABOUT.version, license: ABOUT.license });
    expect(market.plugins).toMatchObject([{ name: plugin.name, source: './packaging/claude-code' }]);
  });

  it('starts the command of the package, with variables that it knows from the form', () => {
    const { lectern } = plugin.mcpServers;
    expect(Object.keys(ABOUT.bin)).toContain(lectern.command);
    for (const [name, value] of Object.entries<string>(lectern.env)) {
      expect(VARIABLES, name).toContain(name);
      const [, option = '?'] = /^\$\{user_config\.(\w+)\}$/.exec(value) ?? [];
      expect(Object.keys(plugin.userConfig)).toContain(option);
    }
  });

  it('asks what the bundle for Claude Desktop asks, in the same words', () => {
    const { user_config: form } = JSON.parse(read('packaging/mcpb/manifest.json'));
    for (const [name, { type, title, description }] of Object.entries<Record<string, string>>(form))
      expect(plugin.userConfig[name]).toMatchObject({ type, title, description });
  });
});

describe('smithery.yaml', () => {
  const { startCommand } = parse(read('smithery.yaml'));
  const command = runInNewContext(startCommand.commandFunction) as (config: unknown) => {
    command: string;
    args: string[];
    env: Record<string, string>;
  };

  it('starts what the package starts, with variables that it knows', () => {
    const { command: program, args, env } = command(startCommand.exampleConfig);
    expect([program, args[0]]).toEqual(['node', ABOUT.bin.lectern]);
    expect(env).toEqual({
      LECTERN_VAULT: '/home/me/Notes',
      LECTERN_READ_ONLY: 'false',
      LECTERN_DENY_READ: '',
    });
    for (const name of Object.keys(env)) expect(VARIABLES, name).toContain(name);
  });
});
