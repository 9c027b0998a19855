import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateFolderOf } from '../src/app/state-of.ts';
import { firstVault, resolveSettings } from '../src/config/settings.ts';
import { LecternProcess, Refused } from './support/lectern-process.ts';
import { LECTERN } from './support/raw-server.ts';
import { writeTree } from './support/write-tree.ts';

/** A vault is the folder, not the text that somebody typed for it: rules, state and locks hold for it. */

const run = promisify(execFile);
let home: string;
let config: string;
let state: string;

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'lectern-spelled-')));
  writeTree(join(home, 'Notizen'), { 'Open.md': 'open\n', 'Private/Diary.md': 'secret\n' });
  writeTree(join(home, 'caf\u00e9'), { 'Open.md': 'open\n', 'Private/Diary.md': 'secret\n' });
  mkdirSync(join(home, 'links'));
  symlinkSync(join(home, 'Notizen'), join(home, 'links', 'absolute'));
  symlinkSync('../Notizen', join(home, 'links', 'relative'));
  symlinkSync('absolute', join(home, 'links', 'twice'));
  symlinkSync(home, join(home, 'links', 'home'));
  config = join(home, 'lectern.yaml');
  state = join(home, 'state');
  writeFileSync(
    config,
    [
      'vaults:',
      '  notes:',
      '    path: Notizen',
      '    read_only: true',
      '    paths: { read: { deny: ["Private/**"] } }',
      '  cafe:',
      '    path: links/home/caf\u00e9/',
      '    paths: { read: { deny: ["Private/**"] } }',
      '',
    ].join('\n'),
  );
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** From the folder that holds all of them, with it as the home folder too. */
async function lectern(...args: string[]): Promise<string> {
  const env = { ...process.env, HOME: home, LECTERN_VAULT: undefined };
  const place = ['--config', config, '--state', state];
  const { stdout } = await run(process.execPath, [LECTERN, ...args, ...place], { cwd: home, env });
  return stdout;
}

const WAYS = [
  'Notizen',
  './Notizen',
  'Notizen/',
  'Notizen//',
  'links/../Notizen',
  'Notizen/Private/..',
  '~/Notizen',
  '~/links/absolute',
  'links/absolute',
  'links/absolute/',
  'links/relative',
  'links/twice',
  'links/home/Notizen',
  'links/home/links/home/links/twice/',
  'elsewhere=links/twice',
  'notes',
];

describe('as this process resolves it', () => {
  const before = { cwd: process.cwd(), home: process.env.HOME };
  beforeAll(() => {
    process.chdir(home);
    process.env.HOME = home;
  });
  afterAll(() => {
    process.chdir(before.cwd);
    process.env.HOME = before.home;
  });

  it.each(WAYS)('%s has the rules of the folder, and its state', async (way) => {
    const file = { vaults: { notes: { path: join(home, 'Notizen'), read_only: true } } };
    const vault = firstVault(resolveSettings({ vault: way }, {}, file));
    expect(vault.rules.readOnly).toBe(true);
    expect(await stateFolderOf(vault, state)).toBe(
      await stateFolderOf({ kind: 'folder', location: join(home, 'Notizen') }, state),
    );
  });
});

describe.each(['Notizen/', '~/links/absolute', 'links/home/links/twice'])('served as %s', (way) => {
  it('a vault has the rules of its folder', async () => {
    const listed = JSON.parse(await lectern('note', 'list', '--json', '--vault', way));
    expect(JSON.stringify(listed)).toContain('Open.md');
    expect(JSON.stringify(listed)).not.toContain('Diary');
    await expect(lectern('note', 'get', 'Private/Diary.md', '--vault', way)).rejects.toMatchObject({
      stderr: expect.stringContaining('"code":"not_found"'),
    });
    await expect(lectern('note', 'update', 'Open.md', '--body', 'x', '--vault', way)).rejects.toMatchObject({
      stderr: expect.stringContaining('read'),
    });
    expect(readFileSync(join(home, 'Notizen', 'Open.md'), 'utf8')).toBe('open\n');
  });
});

it('all of them share one state folder', () => {
  expect(readdirSync(state).filter((name) => name.startsWith('Notizen')).length).toBe(1);
});

it('the absolute path is one of them, and the other Unicode form where the drive knows one folder for both', async () => {
  const denied = (vault: string) => {
    const file = { vaults: { cafe: { path: join(home, 'caf\u00e9'), read_only: true } } };
    return firstVault(resolveSettings({ vault }, {}, file)).rules.readOnly;
  };
  expect(denied(join(home, 'caf\u00e9'))).toBe(true);
  const isOneFolder = readdirSync(home).length > 0 && (await isThere(join(home, 'cafe\u0301')));
  expect(denied(join(home, 'cafe\u0301'))).toBe(isOneFolder);
});

async function isThere(path: string): Promise<boolean> {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

describe('two entries of the configuration file for one folder', () => {
  it.each([
    ['links', 'Notizen', 'links/absolute'],
    ['a slash', 'Notizen', 'Notizen/'],
    ['the same', 'Notizen', 'Notizen'],
  ])('are refused and named: %s', (_, one, other) => {
    const file = {
      vaults: { open: join(home, one), closed: { path: join(home, other), read_only: true } },
    };
    for (const vault of ['open', 'closed', join(home, one), join(home, 'elsewhere')])
      expect(() => resolveSettings({ vault }, {}, file)).toThrow(
        expect.objectContaining({
          code: 'invalid_input',
          message: expect.stringMatching(/open and closed .* same folder/),
          next: expect.stringContaining('Keep one'),
        }),
      );
  });

  it('on the command line too', () => {
    expect(() => resolveSettings({ vault: [`a=${home}/Notizen`, `b=${home}/links/twice`] }, {})).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });
});

it('a drive that is away when the server starts brings its rules along', () => {
  const away = join(home, 'media', 'drive', 'Notes');
  symlinkSync(away, join(home, 'links', 'away'));
  const file = { vaults: { notes: { path: away, read_only: true } } };
  expect(firstVault(resolveSettings({ vault: join(home, 'links', 'away') }, {}, file)).rules.readOnly).toBe(
    true,
  );
});

it('a configuration file inside of a vault is refused through a link as well', async () => {
  const inside = join(home, 'Notizen', 'lectern.yaml');
  writeFileSync(inside, 'vaults: { notes: . }\n');
  const args = [LECTERN, 'note', 'list', '--config', inside, '--vault', join(home, 'links', 'twice')];
  await expect(run(process.execPath, args)).rejects.toMatchObject({
    stderr: expect.stringContaining('lies inside the vault'),
  });
  rmSync(inside);
});

it('two servers that name one vault differently lock each other out of one note, and lose nothing', async () => {
  writeTree(join(home, 'shared'), { 'Log.md': '' });
  symlinkSync(join(home, 'shared'), join(home, 'links', 'shared'));
  const servers = await Promise.all(
    [join(home, 'shared'), `${home}/links/shared/`].map((vault) => new LecternProcess(vault, state).start()),
  );
  const lines = servers.flatMap((server, who) =>
    Array.from({ length: 15 }, (_, at) => ({ server, line: `${who}-${at}` })),
  );
  await Promise.all(
    lines.map(async ({ server, line }) => {
      const ops = [{ op: 'append_body', markdown: line }];
      await server.call('note_patch', { path: 'Log.md', ops }).catch((error: unknown) => {
        if (!(error instanceof Refused)) throw error;
        throw new Error(`${line}: ${error.message}`);
      });
    }),
  );
  await Promise.all(servers.map((server) => server.end()));
  const written = readFileSync(join(home, 'shared', 'Log.md'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  expect(written.sort()).toEqual(lines.map(({ line }) => line).sort());
  expect(readdirSync(state).filter((name) => name.startsWith('shared')).length).toBe(1);
});
