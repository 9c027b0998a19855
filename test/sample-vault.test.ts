import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

const SAMPLE = fileURLToPath(new URL('../sample-vault', import.meta.url));
const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));
const ALL = { limit: 500 };

const scratch: string[] = [];
const scratchFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-sample-'));
  scratch.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of scratch) rmSync(folder, { recursive: true, force: true });
});

/** Every file of the sample vault with its text, dot folders left out, as a reader would count them. */
const onDisk = new Map(
  readdirSync(SAMPLE, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(SAMPLE.length + 1))
    .filter((path) => !path.split('/').some((segment) => segment.startsWith('.')))
    .map((path) => [path, readFileSync(join(SAMPLE, path), 'utf8')]),
);

describe('the sample vault', () => {
  let vault: TestVault;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lectern-vault-'));
    cpSync(SAMPLE, folder, { recursive: true });
    vault = await openTestVault(
      {},
      { reopen: { folder, state: mkdtempSync(join(tmpdir(), 'lectern-state-')) } },
    );
  });
  afterAll(async () => {
    await vault.close();
    discard(vault);
  });

  it('counts what is in the folder', async () => {
    const { counts, dialect, problems } = await vault.session.status();
    expect(counts.files).toBe(onDisk.size);
    expect(counts.notes).toBe([...onDisk.keys()].filter((path) => path.endsWith('.md')).length);
    expect(dialect).toBe('obsidian');
    expect(problems.total).toBe(0);
  });

  it('leaves unresolved what nobody has written yet', async () => {
    const { items } = await vault.session.unresolved(ALL);
    expect(items.map((item) => [item.written, item.count]).sort()).toEqual([
      ['Insurance', 1],
      ['Rosalind', 1],
      ['Spruce for spars', 2],
      ["Yoko's cousin", 1],
    ]);
  });

  it('knows the notes that stand alone', async () => {
    const { items } = await vault.session.orphans(ALL);
    expect(items.map((note) => note.path).sort()).toEqual([
      'Ideas/Solar launch.md',
      'Ideas/Songs.md',
      'Shopping.md',
      'Templates/Daily.md',
      'Templates/Decision.md',
    ]);
  });

  it('finds every link to the note that most others link to', async () => {
    const { items, total } = await vault.session.backlinks('Boats/Curlew.md', ALL);
    const written = [...onDisk].flatMap(([path, text]) =>
      [...text.matchAll(/\[\[Curlew(?:[\]#]|\\?\|)|\[Curlew\]\[\]|"file": "Boats\/Curlew\.md"/g)].map(
        () => path,
      ),
    );
    expect(items.map((link) => link.source).sort()).toEqual(written.sort());
    expect(total).toBe(written.length);
  });

  it('takes no link or tag from code, formulas and comments', async () => {
    const path = 'How we write notes.md';
    const links = await vault.session.forward(path, ALL);
    expect(links.items.map((link) => link.target)).toEqual(['Boats/Curlew.md']);
    const { parsed } = await vault.session.open(path);
    expect(parsed.tags).toEqual(['meta', 'meta/style', 'boat/build']);
    expect(parsed.counts.tasks).toBe(0);
  });

  it('reads Markdown links, reference links and names in any script', async () => {
    const { items } = await vault.session.forward('Sources/Reading list.md', ALL);
    expect(items.map((link) => link.target)).toEqual([
      'Methods/Scarf joints.md',
      'Methods/Lofting.md',
      'Boats/Curlew.md',
      '🌊 Tides.md',
      'Attachments/curlew-lines.png',
    ]);
    const yoko = await vault.session.backlinks('中村 陽子', ALL);
    expect(yoko.path).toBe('People/中村 陽子.md');
    expect([...new Set(yoko.items.map((link) => link.source))].sort()).toEqual(
      [...onDisk].flatMap(([path, text]) => (text.includes('[[中村 陽子') ? [path] : [])).sort(),
    );
  });

  it('counts nested tags with their parents', async () => {
    const { items } = await vault.session.tags(ALL);
    const decision = items.find((tag) => tag.tag === 'decision');
    expect(decision).toMatchObject({ notes: 4, notesNested: 6 });
    const tagged = await vault.session.tagNotes('boat', ALL);
    expect(tagged.items.map((note) => note.path).sort()).toEqual([
      'Boats/Curlew leak log.md',
      'Boats/Curlew.md',
      'Boats/Dunlin.md',
      'Boats/Sandpiper.md',
      'Boats/Teal.md',
      'How we write notes.md',
    ]);
  });

  it.each([
    ['fibreglass garboards', 'Boats/Curlew.md'],
    ['who broke the mast', 'Boats/Teal.md'],
    ['"Two fingers, cold water"', 'Daily/2025-02-08.md'],
    ['船大工', 'Sources/用語集.md'],
    ['permit number', 'Sources/Letter from the harbour office.md'],
    ['[status:open]', "Decisions/Teal's mast.md"],
    ['task-todo:kettle', 'Shopping.md'],
    ['tag:#safety launches', '🌊 Tides.md'],
  ])('finds %s first in %s', async (query, path) => {
    const answer = await vault.session.search({ query, mode: 'lexical', filter: {}, limit: 3 });
    expect(answer.items[0]?.path).toBe(path);
  });
});

describe('the demo', () => {
  const demo = (...args: string[]) =>
    spawnSync(process.execPath, [LECTERN, 'demo', ...args], {
      encoding: 'utf8',
      env: { ...process.env, LECTERN_STATE: scratchFolder() },
      timeout: 25_000,
    });

  it('shows a search, a read, backlinks and four clients on one screen', () => {
    const { status, stdout, stderr } = demo();
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toContain('49 notes');
    expect(stdout).toContain('── vault_search {"q":"Curlew"');
    expect(stdout).toContain('── note_read {"path":"Boats/Curlew.md"');
    expect(stdout).toContain('A clinker day boat of eighteen feet');
    expect(stdout).toContain('26 links to Boats/Curlew.md');
    for (const client of ['Claude Desktop', 'Claude Code', 'Cursor', 'VS Code']) {
      expect(stdout).toMatch(new RegExp(`^${client} \\(`, 'm'));
    }
    expect(stdout.split('\n').length).toBeLessThanOrEqual(40);
  });

  it('takes the folder it is given and writes nothing into it', () => {
    const folder = scratchFolder();
    cpSync(join(SAMPLE, 'Methods'), folder, { recursive: true });
    const before = readdirSync(folder).sort();
    const { status, stdout } = demo(folder);
    expect(status).toBe(0);
    expect(stdout).toContain('7 notes');
    expect(stdout).toContain(`--vault ${folder}`);
    expect(readdirSync(folder).sort()).toEqual(before);
  });

  it('makes a playground that may be changed, and says how to let an agent in', () => {
    const { status, stdout } = demo('--playground');
    expect(status).toBe(0);
    const [, vault = ''] = /lectern init --vault (\S+)/.exec(stdout) ?? [];
    expect(vault.startsWith(SAMPLE)).toBe(false);
    expect(readdirSync(vault).sort()).toEqual(readdirSync(SAMPLE).sort());
    expect(stdout).toContain('Say to the agent:');
    const write = ['note', 'update', 'Ideas/New.md', '--body', 'x', '--vault', vault];
    expect(
      spawnSync(process.execPath, [LECTERN, ...write], {
        env: { ...process.env, LECTERN_STATE: scratchFolder() },
      }).status,
    ).toBe(0);
    rmSync(dirname(vault), { recursive: true });
  });

  it('says so when a folder is empty', () => {
    const { status, stdout } = demo(scratchFolder());
    expect(status).toBe(0);
    expect(stdout).toContain('This folder has no notes yet.');
  });

  it.each([
    ['missing', join(SAMPLE, 'nowhere'), 'does not exist'],
    ['a file', join(SAMPLE, 'Home.md'), 'is a file, not a folder'],
  ])('says in one line that the folder is %s', (_, folder, words) => {
    const { status, stdout, stderr } = demo(folder);
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(words);
    expect(stderr).toContain('npm start -- <folder>');
  });
});
