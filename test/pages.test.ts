import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundle, bundledPackages } from '../scripts/build.mjs';
import { ROOMS } from '../scripts/rooms.mjs';
import { OPERATIONS } from '../src/operations/registry.ts';
import { ProcessWire } from './support/process-wire.ts';

/** What the pages say of the program, as far as the program itself can be asked. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
let building: ReturnType<typeof bundle> | undefined;
/** The program and what it is made of, built once for all pages. */
function built(): ReturnType<typeof bundle> {
  building ??= bundle();
  return building;
}
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The part of a page below a heading of the second level. */
function section(page: string, heading: string): string {
  const [, after] = page.split(`\n## ${heading}\n`);
  expect(after, heading).toBeDefined();
  return after?.split('\n## ')[0] ?? '';
}

/** What stands in code in the first cell of each row. */
function firstCells(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

describe('README.md', () => {
  const tools = section(read('README.md'), 'What an agent can do');
  const named = (text: string) => [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = '']) => name);

  it('lists every tool, and no other', () => {
    const rows = tools.split('\n').filter((line) => line.startsWith('|'));
    expect(named(rows.join('\n')).sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
  });

  it('names those that are not offered over stdio', async () => {
    const [, omitted = ''] = /:([^:.]*)are not offered over stdio/.exec(tools) ?? [];
    const home = mkdtempSync(join(tmpdir(), 'lectern-pages-'));
    const wire = await new ProcessWire(
      ['--vault', home, '--toolset', 'all', '--ai-provider', 'builtin'],
      home,
    ).open();
    const offered = new Set(await wire.tools());
    await wire.end();
    rmSync(home, { recursive: true });
    const missing = OPERATIONS.map(({ name }) => name).filter((name) => !offered.has(name));
    expect(named(omitted).sort()).toEqual(missing.sort());
  });
});

/** What packages in the bundle try to load and do without: the colours of `debug`. */
const TRIED = ['supports-color'];

describe('docs/dependencies.md', () => {
  const page = read('docs/dependencies.md');
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(read('package.json')) as Record<
    string,
    Record<string, string>
  >;
  const installed = Object.keys(dependencies ?? {});
  const optional = Object.keys(peerDependencies ?? {});

  it('says where each package is', async () => {
    const { metafile, outputFiles } = await built();
    const inBundle = bundledPackages(metafile).map((folder) => folder.replace(/^.*node_modules\//, ''));
    const development = Object.keys(devDependencies ?? {});
    expect(firstCells(section(page, 'Installed with it')).sort()).toEqual(installed.sort());
    expect(firstCells(section(page, 'In the bundle')).sort()).toEqual(
      development.filter((name) => inBundle.includes(name)).sort(),
    );
    expect(firstCells(section(page, 'Optional')).sort()).toEqual(optional.sort());
    const patterns = firstCells(section(page, 'For development')).map(
      (name) => new RegExp(`^${name.replaceAll('*', '.*')}$`),
    );
    const onlyHere = development.filter((name) => !inBundle.includes(name));
    expect(onlyHere.filter((name) => !patterns.some((pattern) => pattern.test(name)))).toEqual([]);
    expect(patterns.filter((pattern) => !onlyHere.some((name) => pattern.test(name)))).toEqual([]);

    // What the bundle leaves to be found at run time is what a package manager installs, and all of that is used.
    const left = Object.values(metafile.outputs)
      .flatMap(({ imports }) => imports)
      .flatMap(({ path, external }) => (external ? [packageOf(path)] : []))
      .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
    const known = [...installed, ...optional, ...TRIED];
    expect(left.filter((name) => !known.includes(name))).toEqual([]);
    const code = outputFiles
      .filter(({ path }) => path.endsWith('.js'))
      .map(({ text }) => text)
      .join('\n');
    expect(installed.filter((name) => !new RegExp(`["'\`]${name}[/"'\`]`).test(code))).toEqual([]);
  });
});

describe('how to install', () => {
  /** Commands that ask a registry for the name: options, then `lectern` and not the path of a file. */
  const BY_NAME =
    /\b(?:npx|npm (?:exec|i|install|add)|pnpm (?:add|dlx)|yarn (?:add|dlx)|bunx?)(?: +-[\w-]+(?:[ =][\w-]+)?)*? +(?:-- +)?lectern(?![\w./<-])/;

  it('is told by name only when the name is claimed', () => {
    const { private: unclaimed } = JSON.parse(read('package.json')) as { private?: boolean };
    const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].concat(
      readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => join('docs', name)),
    );
    const telling = pages.filter((page) => BY_NAME.test(read(page)));
    expect(unclaimed === true ? telling : []).toEqual([]);
    expect(read('docs/guides/installing.md').includes('not in a package registry yet')).toBe(
      unclaimed === true,
    );
  });

  it.each([
    'npx lectern',
    'npx -y lectern demo',
    'npm install -g lectern',
    'npx -p lectern -p other lectern',
    'npm i lectern@1',
  ])('sees %s', (command) => expect(command).toMatch(BY_NAME));

  it.each([
    'npx ./lectern-1.0.0.tgz',
    'npm install -g ./lectern-<version>.tgz',
    'npx vitest run',
    'npm install -g lectern-1.0.0.tgz',
  ])('lets %s be', (command) => expect(command).not.toMatch(BY_NAME));
});

describe('THIRD_PARTY_LICENSES.txt', () => {
  it('has name, version and terms of every package in the bundle', async () => {
    const { metafile } = await built();
    const folders = bundledPackages(metafile);
    const entries = read('dist/THIRD_PARTY_LICENSES.txt').split(`\n${'-'.repeat(80)}\n\n`);
    const without = folders.filter((folder) => {
      const { name, version, license } = JSON.parse(read(`${folder}/package.json`)) as Record<string, string>;
      const head = `${name} ${version} (${license})\n\n`;
      const entry = entries.find((text) => text.includes(head));
      return entry === undefined || entry.slice(entry.indexOf(head) + head.length).trim().length < 300;
    });
    expect(folders.length).toBeGreaterThan(40);
    expect(without).toEqual([]);
  });
});

function packageOf(path: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;
}

describe('docs/architecture.md', () => {
  it('names every room and every file beside them', () => {
    const tree = /```\nsrc\/\n([\s\S]*?)```/.exec(read('docs/architecture.md'))?.[1] ?? '';
    const named = tree.split('\n').flatMap((line) => /^ {2}(\S+?)\/? {2,}/.exec(line)?.[1] ?? []);
    const there = readdirSync(join(ROOT, 'src')).filter((name) => !name.endsWith('.test.ts'));
    expect(named.sort()).toEqual(there.sort());
  });

  it('says of each room what it may import', () => {
    const rows = read('docs/architecture.md').matchAll(/^\| (\w+) +\|[^|]+\|[^|]+\| ([\w, ]+?) +\|$/gm);
    const stated = [...rows].filter(([, room = '', may = '']) => room in ROOMS && !/ and /.test(may));
    expect(stated.length).toBeGreaterThan(8);
    for (const [, room = '', may = ''] of stated)
      expect([room, may === 'nothing' ? [] : may.split(', ').sort()]).toEqual([
        room,
        [...(ROOMS[room] ?? [])].sort(),
      ]);
  });

  it('names every file that chooses an adapter', () => {
    const page = read('docs/architecture.md');
    const chooses =
      /from '(?:\.\.\/)+(?:index\/sqlite|journal\/sqlite|stores\/folder)\/|import\('(?:\.\.\/)+stores\/\w+\//;
    const inside = /^src\/(?:index|journal|stores)\//;
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .map((name) => join('src', name))
      .filter((name) => name.endsWith('.ts') && !/\b(?:test|testing)\.ts$/.test(name) && !inside.test(name));
    const choosing = files.filter((name) => chooses.test(read(name)));
    expect(choosing.length).toBeGreaterThan(2);
    expect(choosing.filter((name) => !page.includes(`\`${name.replace('src/', '')}\``))).toEqual([]);
  });
});

describe('links between pages', () => {
  const pages = ['README.md', ...readdirSync(ROOT).filter((name) => /^[A-Z]+\.md$/.test(name))].concat(
    readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  );

  it.each([...new Set(pages)])('%s leads nowhere that does not exist', (page) => {
    const text = read(page).replace(/```[\s\S]*?```|`[^`\n]*`/g, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]*)(?:#[^)\s]*)?\)/g)) {
      if (target === '' || /^[a-z]+:/.test(target)) continue;
      const aimed = join(ROOT, dirname(page), target);
      expect([page, target, existsSync(aimed), relative(ROOT, aimed).startsWith('..')]).toEqual([
        page,
        target,
        true,
        false,
      ]);
    }
  });
});
