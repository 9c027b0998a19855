import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, it } from 'vitest';
import { installGlobally, type Packed, pack, packagesBeside } from '../bench/support/installed-package.ts';
import { folderBytes } from '../bench/support/workspace.ts';
import { CLIENTS } from '../src/cli/clients/table.ts';
import { askEach, OWN_SETTINGS, pictureOf, run, writeSettings } from './support/set-up-clients.ts';

/** Lectern as a person gets it: packed, installed with nothing around it but Node, started by a client. */

const MOST_PACKED_BYTES = 1_200_000;
const MOST_INSTALLED_BYTES = 45_000_000;
const MOST_PACKAGES = 25;

const folder = mkdtempSync(join(tmpdir(), 'lectern-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const home = join(folder, 'home');
const vault = join(folder, 'vault');
mkdirSync(home);
mkdirSync(vault);
writeFileSync(join(vault, 'Tide table.md'), '# Tides\n\nSlack water at noon.\n');
// What cannot be read is worth a line of the log.
mkdirSync(join(vault, '.obsidian'));
writeFileSync(join(vault, '.obsidian', 'app.json'), '{');
const env = { HOME: home, PATH: onlyNode() };
const packed = await pack(folder);
const prefix = join(folder, 'prefix');
const program = await install(packed);

/** In CI nothing may be missing; elsewhere there may be no network. */
async function install({ file }: Packed): Promise<string | undefined> {
  try {
    return await installGlobally(file, prefix, ['--prefer-offline']);
  } catch (error) {
    if (
      process.env.CI ||
      !/\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH)\b/.test(String(error))
    )
      throw error;
    console.log('skipped: the installed package (there is no network)');
    return undefined;
  }
}

describe('the package', () => {
  it('holds the program, one build of it, the terms of what is in it, and no source maps', () => {
    expect(packed.paths).toEqual(
      expect.arrayContaining([
        'dist/lectern.js',
        'dist/THIRD_PARTY_LICENSES.txt',
        'LICENSE',
        'README.md',
        'package.json',
      ]),
    );
    const program = packed.paths.filter((path) => !path.startsWith('sample-vault/'));
    expect(program.filter((path) => /\.map$|\.ts$|(?:^|\/)\.|^(?:src|test|bench)\//.test(path))).toEqual([]);
    const entries = packed.paths.filter((path) => /^dist\/chunks\/authorization-server-/.test(path));
    expect(entries).toHaveLength(1);
  });

  it('is small', () => {
    expect(packed.bytes).toBeLessThanOrEqual(MOST_PACKED_BYTES);
  });
});

describe.runIf(program !== undefined)('installed into an empty prefix', () => {
  it('is small, and brings few packages', () => {
    expect(folderBytes(prefix)).toBeLessThanOrEqual(MOST_INSTALLED_BYTES);
    const packages = packagesBeside(prefix);
    expect(packages.length).toBeGreaterThan(3);
    expect(packages.length).toBeLessThanOrEqual(MOST_PACKAGES);
  });

  it('answers a client, with Node alone on the path and an empty home', async () => {
    const client = new Client({ name: 'package-test', version: '1.0.0' });
    const transport = new StdioClientTransport({
      command: program ?? '',
      args: ['mcp', 'serve', '--stdio', '--vault', vault],
      env,
      stderr: 'pipe',
    });
    let logged = '';
    transport.stderr?.on('data', (chunk) => {
      logged += String(chunk);
    });
    await client.connect(transport);
    const answer = await client.callTool({ name: 'note_read', arguments: { note: 'Tide table' } });
    await client.close();
    expect(JSON.stringify(answer)).toContain('Slack water at noon.');
    // The log, which loads with its first line.
    expect(logged).toContain('"level":40');
  });

  it('sets up every client it knows, each of which starts it, and takes that back to the byte', async () => {
    const clean = join(folder, 'clean-home');
    mkdirSync(clean);
    writeSettings(clean, OWN_SETTINGS);
    const before = pictureOf(clean);
    const init = (...args: string[]) =>
      run(program ?? '', ['init', ...args], { HOME: clean, PATH: onlyNode() });
    const done = await init('--yes', '--vault', vault, '--client', 'all');
    expect([done.code, done.stderr]).toEqual([0, '']);
    const answers = await askEach(CLIENTS, clean, 'note_read', { path: 'Tide table.md' });
    expect(Object.keys(answers)).toHaveLength(14);
    for (const answer of Object.values(answers)) expect(answer).toContain('Slack water at noon.');
    // What the servers made of the notes is theirs; all else is as it was.
    rmSync(join(clean, '.local', 'state', 'lectern', stateFolderIn(clean)), { recursive: true });
    expect((await init('--remove', '--yes')).code).toBe(0);
    expect(pictureOf(clean)).toEqual(before);
  }, 240_000);

  it('has in it the authorization server, which is loaded by a server for the web alone', async () => {
    const args = ['serve', '--http', '--oauth', '--public-url', 'https://notes.example.org', '--port', '0'];
    const server = spawn(program ?? '', [...args, '--vault', vault], { env });
    let said = '';
    const ready = new Promise<void>((resolve, reject) => {
      server.stderr.on('data', (chunk) => {
        said += String(chunk);
        if (said.includes('https://notes.example.org/oauth/setup?code=')) resolve();
      });
      server.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
    });
    await ready.finally(() => server.kill());
    expect(said).not.toMatch(/Error|Cannot find/);
  });
});

describe.runIf(program !== undefined)('not installed', () => {
  // Either way is one of a file; the campaigns (`npm run test:long`) go both.
  it.each([`./${basename(packed.file)}`, ...(process.env.LECTERN_CAMPAIGN ? [`file:${packed.file}`] : [])])(
    'runs with npx %s',
    async (from) => {
      const options = { cwd: folder, shell: process.platform === 'win32' };
      const { stdout } = await promisify(execFile)('npx', ['--yes', from, '--version'], options);
      expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+/);
    },
    120_000,
  );
});

/** The folder in which the servers of a home keep their index. */
function stateFolderIn(clean: string): string {
  const [name = ''] = readdirSync(join(clean, '.local', 'state', 'lectern')).filter(
    (each) => each !== 'clients.json',
  );
  return name;
}

/** A folder with `node` and nothing else. */
function onlyNode(): string {
  const path = join(folder, 'path');
  mkdirSync(path, { recursive: true });
  rmSync(join(path, 'node'), { force: true });
  symlinkSync(process.execPath, join(path, 'node'));
  return path;
}
