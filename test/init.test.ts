import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS } from '../src/cli/clients/table.ts';
import { LECTERN } from './support/process-wire.ts';
import { askEach, commandIn, OWN_SETTINGS, pictureOf, run, writeSettings } from './support/set-up-clients.ts';
import { inTerminal } from './support/terminal.ts';

/** `lectern init`, the built program in home folders of its own, with and without a terminal. */

let folder: string;
let home: string;
let vault: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-init-'));
  home = join(folder, 'home');
  vault = join(folder, "Ann's notes");
  mkdirSync(home);
  mkdirSync(join(vault, 'Private'), { recursive: true });
  writeFileSync(join(vault, 'Tide table.md'), '# Tides\n\nSlack water at noon.\n');
  writeFileSync(join(vault, 'Private', 'Diary.md'), 'Nobody reads this.\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const init = (...args: string[]) =>
  run(process.execPath, [LECTERN, 'init', ...args], { HOME: home, PATH: '' });
const read = (path: string) => readFileSync(join(home, path), 'utf8');

describe.each([
  ['no settings', {}],
  ['settings of all kinds', OWN_SETTINGS],
])('in a home with %s', (_, settings) => {
  it('every client starts the server with what was granted, and everything is taken back to the byte', async () => {
    writeSettings(home, settings);
    const before = pictureOf(home);
    const dry = await init('--dry-run', '--vault', vault, '--client', 'all', '--deny', 'Private');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout.match(/^\+\+\+ /gm)).toHaveLength(CLIENTS.length);
    expect(pictureOf(home)).toEqual(before);

    const done = await init('--yes', '--vault', vault, '--client', 'all', '--deny', 'Private');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout.match(/^added /gm)).toHaveLength(CLIENTS.length);
    const after = pictureOf(home);
    for (const client of CLIENTS)
      expect(commandIn(client, home)).toEqual([
        process.execPath,
        LECTERN,
        ...['mcp', 'serve', '--stdio', '--vault', vault, '--deny-read', 'Private/**'],
      ]);

    const again = await init('--yes', '--vault', vault, '--client', 'all', '--deny', 'Private/');
    expect(again.stdout.match(/^unchanged /gm)).toHaveLength(CLIENTS.length);
    expect(pictureOf(home)).toEqual(after);

    const other = await init('--yes', '--vault', vault, '--client', 'all', '--read-only', '--json');
    expect(JSON.parse(other.stdout)).toMatchObject({ clients: CLIENTS.map(() => ({ state: 'changed' })) });

    const removed = await init('--remove', '--yes');
    expect(removed).toMatchObject({ code: 0, stderr: '' });
    expect(removed.stdout.match(/^removed /gm)).toHaveLength(CLIENTS.length);
    expect(pictureOf(home)).toEqual(before);
    expect((await init('--remove', '--yes')).stdout).toContain('Nothing of Lectern is in the settings');
  }, 120_000);
});

it('shows an agent what it may see and nothing else, from a file of each syntax', async () => {
  writeSettings(home, OWN_SETTINGS);
  await init('--yes', '--vault', vault, '--client', 'all', '--read-only', '--deny', 'Private');
  const clients = CLIENTS.filter(({ id }) => ['zed', 'goose', 'codex'].includes(id));
  const seen = await askEach(clients, home, 'note_list', {});
  expect(Object.keys(seen)).toHaveLength(3);
  for (const answer of Object.values(seen)) {
    expect(answer).toContain('Tide table.md');
    expect(answer).not.toContain('Diary');
  }
}, 120_000);

describe('without a terminal', () => {
  it('sets up the clients that are there', async () => {
    writeSettings(home, { '.cursor/x': '', '.claude.json': '{"numStartups": 3}' });
    const { stdout } = await init('--yes', '--vault', vault);
    expect(stdout.match(/^added .*/gm)?.map((line) => line.split(/ {2,}/)[1])).toEqual([
      'Claude Code',
      'Cursor',
    ]);
    expect(JSON.parse(read('.claude.json'))).toMatchObject({
      numStartups: 3,
      mcpServers: { lectern: { type: 'stdio' } },
    });
  });

  it('takes the only notes it finds, and asks for a name where there are several', async () => {
    const known = (paths: readonly string[]) =>
      JSON.stringify({ vaults: Object.fromEntries(paths.map((path, at) => [at, { path, ts: at }])) });
    writeSettings(home, { '.config/obsidian/obsidian.json': known([vault]) });
    expect((await init('--yes', '--client', 'cursor')).code).toBe(0);
    expect(commandIn(CLIENTS[2] as (typeof CLIENTS)[number], home).at(-1)).toBe(vault);
    writeSettings(home, { '.config/obsidian/obsidian.json': known([vault, folder]) });
    const several = await init('--yes', '--client', 'cursor');
    expect(several.code).toBe(2);
    expect(several.stderr).toContain(`${vault} (Obsidian)`);
  });

  it('serves the vaults of the configuration file when no other is named', async () => {
    writeSettings(home, { '.config/lectern/lectern.yaml': `vaults: { mine: ${JSON.stringify(vault)} }\n` });
    await init('--yes', '--client', 'codex');
    expect(read('.codex/config.toml')).not.toContain('--vault');
  });

  it('leaves a broken file alone, does the others, and says so in words and in the exit code', async () => {
    writeSettings(home, { '.cursor/mcp.json': '{"mcpServers": {', '.gemini/settings.json': '{}' });
    const { code, stdout } = await init('--yes', '--vault', vault);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^refused +Cursor/m);
    expect(stdout).toContain('not well-formed');
    expect(stdout).toMatch(/^added +Gemini CLI/m);
    expect(read('.cursor/mcp.json')).toBe('{"mcpServers": {');
  });

  it.each([
    [['--yes', '--client', 'cursor', '--vault', 'nowhere'], 1, 'does not exist'],
    [['--yes', '--client', 'emacs', '--vault', '.'], 2, 'There is no client "emacs"'],
    [['--yes', '--vault', '.'], 2, 'No client was found'],
    [['--vault', '.', '--client', 'cursor'], 2, 'There is nobody to ask here'],
    [['--yes', '--vault', '.', '--client', 'cursor', '--deny', '/'], 2, 'no folder that can be kept out'],
    [['--yes', '--vault', '.', '--client', 'cursor', '--config', 'none.yaml'], 1, 'cannot be read'],
  ])('%j writes nothing and says why', async (args, code, words) => {
    const before = pictureOf(home);
    const done = await init(...args);
    expect(done.code).toBe(code);
    expect(done.stderr).toContain(words);
    expect(pictureOf(home)).toEqual(before);
  });
});

describe('in a terminal', () => {
  const asked = (keys: readonly (readonly [RegExp, string])[], ...args: string[]) =>
    inTerminal(process.execPath, [LECTERN, 'init', ...args], {
      columns: 100,
      env: { HOME: home },
      cwd: folder,
      type: keys.map(([after, typed]) => ({ after, keys: typed })),
    });

  it('asks for what is not said, shows what changes, and writes when told to', async () => {
    writeSettings(home, {
      ...OWN_SETTINGS,
      '.config/obsidian/obsidian.json': JSON.stringify({ vaults: { a: { path: vault, open: true } } }),
    });
    const shown = await asked([
      [/Which\? .*\[1\]: /, '9\r'],
      [/There is no 9\.[\s\S]*Which\? .*\[1\]: /, '\r'],
      [/change your notes\?.*: /, 'perhaps\r'],
      [/Answer yes or no\.[\s\S]*change your notes\?.*: /, 'no\r'],
      [/must not see.*: /, 'Private, Work/Clients\r'],
      [/Which get your notes\?.*: /, '1\r'],
      [/See every line.*: /, 'yes\r'],
      [/Write this\? \[yes\]: /, '\r'],
    ]);
    expect(shown.code).toBe(0);
    const text = shown.lines.join('\n');
    expect(text).toContain(`1  ${vault}  (Obsidian, open)`);
    expect(text).toContain('+    "lectern": {');
    expect(commandIn(CLIENTS[2] as (typeof CLIENTS)[number], home).slice(2)).toEqual([
      'mcp',
      'serve',
      '--stdio',
      '--vault',
      vault,
      '--read-only',
      '--deny-read',
      'Private/**',
      'Work/Clients/**',
    ]);
  });

  it('writes nothing when the answer is no, or the person leaves', async () => {
    writeSettings(home, OWN_SETTINGS);
    const before = pictureOf(home);
    const flags = ['--vault', vault, '--client', 'all', '--deny', 'Private'];
    for (const keys of ['no\r', '\u0003', '\u0004']) {
      const shown = await asked(
        [
          [/change your notes\?.*: /, '\r'],
          [/See every line.*: /, 'no\r'],
          [/Write this\? \[yes\]: /, keys],
        ],
        ...flags,
      );
      expect(shown.lines.join('\n')).toContain('Nothing was written.');
      expect(pictureOf(home)).toEqual(before);
    }
  }, 60_000);
});
