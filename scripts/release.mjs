// Whether this commit can be published, what goes with the package, and the publishing itself:
//   node scripts/release.mjs            checks, and makes release/: the package, lectern.mcpb, server.json
//   node scripts/release.mjs --publish  does it all, and gives the package to the registry that npm is set to
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What keeps a commit from being published.
 *
 * @param {{ name: string, version: string, private?: boolean, mcpName?: string, repository?: { url: string } }} about package.json
 * @param {string} changelog CHANGELOG.md
 * @param {{ tags: string[], changed: string }} commit tags on it, and `git status --porcelain`
 * @returns {string[]} a sentence for each; none = it can
 */
export function obstacles(about, changelog, { tags, changed }) {
  const { name, version, mcpName, repository } = about;
  const escaped = version.replaceAll('.', '\\.');
  return [
    about.private === true && 'package.json says private: claim the name first, then set "private" to false.',
    repository === undefined &&
      'package.json names no repository, without which a registry cannot prove where the package came from.',
    !mcpNameFits(mcpName, name) &&
      `package.json needs mcpName, as <reverse domain>/${name}: the registry of MCP servers looks for it in the package.`,
    !tags.includes(`v${version}`) && `The commit has no tag v${version}.`,
    !new RegExp(`^## ${escaped} \\(\\d{4}-\\d{2}-\\d{2}\\)$`, 'm').test(changelog) &&
      `CHANGELOG.md has no section "## ${version} (<date>)".`,
    /^## Unreleased\n+###/m.test(changelog) &&
      `CHANGELOG.md still has changes under "Unreleased"; they belong under ${version}.`,
    changed !== '' && 'Files are changed that are not committed.',
  ].filter((sentence) => sentence !== false);
}

function mcpNameFits(mcpName, name) {
  const [domain, server, ...more] = mcpName?.split('/') ?? [];
  return more.length === 0 && server === name && /^[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)+$/.test(domain ?? '');
}

/**
 * The entry in the registry of MCP servers (schema of 2025-12-11): the package, and the bundle of the same release.
 *
 * @param {{ name: string, version: string, mcpName: string, description: string, repository: { url: string } }} about
 * @param {{ url: string, sha256: string }} bundle where the bundle of the release lies, and its digest in hexadecimal
 */
export function serverEntry(about, bundle) {
  const { name, version, mcpName, repository } = about;
  const url = pageOf(repository);
  const environmentVariables = [
    {
      name: 'LECTERN_VAULT',
      description: 'The folder your notes are in.',
      format: 'filepath',
      isRequired: true,
    },
    {
      name: 'LECTERN_READ_ONLY',
      description: 'The agent may look, and changes nothing.',
      format: 'boolean',
      default: 'false',
    },
    {
      name: 'LECTERN_DENY_READ',
      description: 'Folders that the agent never sees, with commas between.',
    },
  ];
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Lectern',
    description: 'Find, read, edit, link and rename the notes you already keep, exactly and safely.',
    version,
    repository: { url, source: new URL(url).hostname.split('.')[0] },
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        packageArguments: ['mcp', 'serve', '--stdio'].map((value) => ({ type: 'positional', value })),
        transport: { type: 'stdio' },
        environmentVariables,
      },
      {
        registryType: 'mcpb',
        identifier: bundle.url,
        version,
        fileSha256: bundle.sha256,
        transport: { type: 'stdio' },
      },
    ],
  };
}

/** The page of a repository, without what npm writes around its address. */
function pageOf({ url }) {
  return url.replace(/^git\+/, '').replace(/\.git$/, '');
}

async function main() {
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const commit = {
    tags: output('git', ['tag', '--points-at', 'HEAD']).split('\n'),
    changed: output('git', ['status', '--porcelain']),
  };
  const found = obstacles(about, changelog, commit);
  for (const sentence of found) console.error(`✗ ${sentence}`);
  if (found.length > 0) process.exit(1);
  console.log(`✓ ${about.name} ${about.version}: name, version, changelog and tag agree`);

  const folder = join(root, 'release');
  mkdirSync(folder, { recursive: true });
  const { makeBundle } = await import('./bundle.mjs');
  const bundle = join(folder, 'lectern.mcpb');
  await makeBundle(bundle);
  const entry = serverEntry(about, {
    url: `${pageOf(about.repository)}/releases/download/v${about.version}/lectern.mcpb`,
    sha256: createHash('sha256').update(readFileSync(bundle)).digest('hex'),
  });
  writeFileSync(join(folder, 'server.json'), `${JSON.stringify(entry, null, 2)}\n`);
  run('npm', ['pack', '--pack-destination', folder]);
  if (process.argv.includes('--publish')) run('npm', ['publish', '--provenance', '--access', 'public']);
  console.log(`Made in ${folder}.`);
}

function output(program, args) {
  const { stdout, status } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.`);
  return stdout.trim();
}

function run(program, args) {
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
