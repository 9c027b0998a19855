import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBundle, mcpbTool, PLATFORMS } from '../scripts/bundle.mjs';

/** The bundle as Claude Desktop installs it: unpacked and configured by the tool of the format's makers. */

/** All of them in the campaigns (`npm run test:long`); else this one, and one of another system. */
const BUNDLED = PLATFORMS.filter(
  ({ os, cpu }) =>
    process.env.LECTERN_CAMPAIGN ||
    (os === process.platform && cpu === process.arch) ||
    (os === 'darwin' && cpu === 'arm64'),
);

const MOST_BYTES = 30_000_000;
const folder = mkdtempSync(join(tmpdir(), 'lectern-mcpb-'));
const unpacked = join(folder, 'extension');
const vault = join(folder, 'My notes, all');
const bundle = join(folder, 'lectern.mcpb');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  mkdirSync(join(vault, 'Private'), { recursive: true });
  writeFileSync(join(vault, 'Tide table.md'), '# Tides\n\nSlack water at noon.\n');
  writeFileSync(join(vault, 'Private', 'Diary.md'), 'Slack water at dusk.\n');
  await makeBundle(bundle, BUNDLED);
  const { unpackExtension } = await mcpbTool();
  expect(await unpackExtension({ mcpbPath: bundle, outputDir: unpacked, silent: true })).toBe(true);
}, 10 * 60_000);

describe('the bundle', () => {
  it('says what the package says, and is small', () => {
    const about = JSON.parse(readFileSync('package.json', 'utf8'));
    const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      name: about.name,
      version: about.version,
      description: about.description,
      license: about.license,
      compatibility: { runtimes: about.engines },
    });
    expect(statSync(bundle).size).toBeLessThan(MOST_BYTES);
  });

  const NATIVE = [
    ['darwin', 'arm64', 'darwin-arm64', 'darwin-arm64'],
    ['darwin', 'x64', 'darwin-x64', 'darwin-x64'],
    ['win32', 'arm64', 'win32-arm64-msvc', 'win32-arm64'],
    ['win32', 'x64', 'win32-x64-msvc', 'win32-x64'],
    ['linux', 'arm64', 'linux-arm64-gnu', 'linux-arm64-glibc'],
    ['linux', 'arm64', 'linux-arm64-musl', 'linux-arm64-musl'],
    ['linux', 'x64', 'linux-x64-gnu', 'linux-x64-glibc'],
    ['linux', 'x64', 'linux-x64-musl', 'linux-x64-musl'],
  ] as const;
  it.each(NATIVE.filter(([os, cpu]) => BUNDLED.some((bundled) => bundled.os === os && bundled.cpu === cpu)))(
    'has the native parts for %s on %s',
    (os, cpu, parser, watcher) => {
      const packages = join(unpacked, 'server', 'node_modules');
      expect(existsSync(join(packages, '@bruits', `satteri-${parser}`, `satteri_napi.${parser}.node`))).toBe(
        true,
      );
      expect(existsSync(join(packages, '@parcel', `watcher-${watcher}`, 'watcher.node'))).toBe(true);
      const libc = watcher.endsWith('musl') ? 'musl' : 'glibc';
      const database = join('prebuilds', `${os}-${cpu}`, `@photostructure+sqlite.${libc}.node`);
      expect(existsSync(join(packages, '@photostructure', 'sqlite', database))).toBe(true);
    },
  );

  it('answers with nothing given but the folder', async () => {
    await using server = await start({ vault });
    expect(await server.found()).toEqual(['Private/Diary.md', 'Tide table.md']);
    const written = await server.client.callTool({
      name: 'note_write',
      arguments: { path: 'New.md', body: 'By an agent.\n' },
    });
    expect(written.isError).not.toBe(true);
    expect(readFileSync(join(vault, 'New.md'), 'utf8')).toBe('By an agent.\n');
  });

  it('hides what the form says, and offers no tool that writes', async () => {
    await using server = await start({ vault, read_only: true, hidden: 'Private, Journal/Therapy' });
    expect(await server.found()).toEqual(['Tide table.md']);
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('note_read');
    expect(tools.map(({ name }) => name)).not.toContain('note_write');
  });

  it('is not started before a folder was chosen', async () => {
    expect(await configured({})).toBeUndefined();
  });
});

/** What the host runs for a form that was filled in like this. */
async function configured(userConfig: Record<string, unknown>) {
  const { getMcpConfigForManifest } = await mcpbTool();
  return await getMcpConfigForManifest({
    manifest: JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')),
    extensionPath: unpacked,
    systemDirs: {},
    userConfig,
    pathSeparator: sep,
  });
}

async function start(userConfig: Record<string, unknown>) {
  const config = await configured(userConfig);
  if (config === undefined) throw new Error('The host would not start it.');
  const home = mkdtempSync(join(folder, 'home-'));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  const client = new Client({ name: 'desktop', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: config.command === 'node' ? process.execPath : config.command,
      args: config.args,
      env: { HOME: home, USERPROFILE: home, PATH: bin, ...config.env },
      cwd: home,
    }),
  );
  return {
    client,
    async found(): Promise<string[]> {
      const answer = await client.callTool({ name: 'vault_search', arguments: { q: 'slack water' } });
      const { results } = answer.structuredContent as { results: { path: string }[] };
      return results.map(({ path }) => path).toSorted();
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
