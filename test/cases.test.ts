import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { isLecternError } from '../src/errors.ts';
import { etagOf } from '../src/notes/etag.ts';
import { parseNote } from '../src/notes/parse.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

/**
 * The recorded cases, run against a whole vault on disk. Cases about one note's edit run beside
 * `notes/patch`, those about searching beside `search`, those about moving beside `vault/move`.
 */
interface Case {
  readonly id: string;
  readonly area: string;
  readonly input: { readonly files: Record<string, string> };
  readonly right: {
    readonly files?: Record<string, string>;
    readonly links?: string[];
    readonly unresolved?: string[];
    readonly tags?: string[];
    readonly notes?: string[];
  };
}

const CASES = new Map(
  readFileSync(fileURLToPath(new URL('fixtures/cases.jsonl', import.meta.url)), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Case)
    .map((one) => [one.id, one]),
);

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

async function vaultFor(id: string, extra: Record<string, string> = {}): Promise<TestVault> {
  const vault = await openTestVault({ ...CASES.get(id)?.input.files, ...extra });
  open.push(vault);
  return vault;
}

const right = (id: string) => CASES.get(id)?.right ?? {};
const tool = 'test';

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (isLecternError(error) ? error.code : String(error)),
  );
}

async function targets({ session }: TestVault, path: string): Promise<(string | undefined)[]> {
  const page = await session.forward(path, { limit: 100 });
  return page.items.filter((link) => link.syntax !== 'canvas').map((link) => link.target);
}

async function tagsOf({ session }: TestVault, path: string): Promise<string[]> {
  return [...(await session.open(path)).parsed.tags];
}

async function tagged({ session }: TestVault, tag: string): Promise<string[]> {
  return (await session.tagNotes(tag, { limit: 50 })).items.map((note) => note.path).sort();
}

describe('links', () => {
  test.each(['link-01', 'link-02', 'link-08', 'link-10', 'link-16'])(
    '%s: every link leads where it should',
    async (id) => {
      const vault = await vaultFor(id);
      const source =
        Object.keys(CASES.get(id)?.input.files ?? {}).find((path) => path.endsWith('N.md')) ?? '';
      expect(await targets(vault, source)).toEqual(right(id).links);
    },
  );

  test('link-03: five spellings are one target', async () => {
    const { session } = await vaultFor('link-03');
    const { items } = await session.backlinks('notes/a.md', { limit: 20 });
    const counts = Object.entries(countBy(items.map((link) => link.source)));
    expect(counts.sort()).toEqual([
      ['b.md', 1],
      ['c.md', 1],
      ['d.md', 3],
    ]);
  });

  test('link-04: NFC and NFD name one file, and no twin is made', async () => {
    const id = 'link-04';
    const vault = await vaultFor(id);
    const stored = Object.keys(CASES.get(id)?.input.files ?? {}).find((path) => path.startsWith('Caf')) ?? '';
    expect(await targets(vault, 'N.md')).toEqual([stored, stored]);
    expect((await vault.session.open('Caf\u00e9.md')).path).toBe(stored);
    expect((await vault.session.open('Cafe\u0301.md')).path).toBe(stored);
    const other = stored.normalize('NFC') === stored ? stored.normalize('NFD') : stored.normalize('NFC');
    expect(await codeOf(vault.session.write(other, { body: 'y' }, { tool, ifNotExists: true }))).toBe(
      'exists',
    );
    expect(Object.keys(vault.files()).sort()).toEqual(Object.keys(CASES.get(id)?.input.files ?? {}).sort());
  });

  test('link-11: names that differ in one character are three notes', async () => {
    const { session } = await vaultFor('link-11');
    expect((await session.list({}, 'path', { limit: 10 })).total).toBe(3);
    expect((await session.open('2026_06_16.md')).parsed.text).toBe('u');
  });

  test('link-12: part of a name is not found, a shared name is ambiguous', async () => {
    const { session } = await vaultFor('link-12');
    expect(await codeOf(session.open('NTAX.md'))).toBe('not_found');
    const error = await session.open('SYNTAX.md').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'ambiguous',
      details: { candidates: ['a/SYNTAX.md', 'b/SYNTAX.md'] },
    });
  });

  test('link-15: unclosed brackets cost no time', async () => {
    const started = performance.now();
    const vault = await vaultFor('link-15');
    expect((await targets(vault, 'N.md')).filter((target) => target !== undefined)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('log-02: page names with accents and block references lead to one page', async () => {
    const vault = await vaultFor('log-02', { 'logseq/config.edn': '{}' });
    const page = 'pages/Documentaci\u00f3n.md';
    const found = (await targets(vault, 'pages/N.md')).map((target) => target?.normalize('NFC'));
    expect(found).toEqual([page, page, page]);
  });

  test('sec-18: a closing fence indented by four does not close', async () => {
    const vault = await vaultFor('sec-18');
    const { parsed } = await vault.session.open('C.md');
    expect(parsed.headings.map(({ text, line }) => [text, line])).toEqual([['Real [[T]]', 6]]);
    const { items } = await vault.session.forward('C.md', { limit: 10 });
    expect(items.map((link) => [link.written, link.line])).toEqual([['T', 6]]);
  });
});

test('sec-12: comments in code are no headings, and give no title', async () => {
  const { session } = await vaultFor('sec-12');
  const note = await session.open('B.md');
  expect(note.parsed.headings.map(({ level, text, line }) => [level, text, line])).toEqual([[1, 'Real', 12]]);
  expect(note.title).toBe('Real');
});

describe('tags', () => {
  test.each(['tag-01', 'tag-02', 'tag-03', 'tag-09'])('%s', async (id) => {
    const vault = await vaultFor(id);
    expect(await tagsOf(vault, 'N.md')).toEqual(right(id).tags);
  });

  test('tag-05: exact or nested, never a prefix', async () => {
    expect(await tagged(await vaultFor('tag-05'), 'in')).toEqual(right('tag-05').notes);
  });

  test('tag-06: nesting counts from the root', async () => {
    const vault = await vaultFor('tag-06');
    expect(await tagged(vault, 'obsidian/discord')).toEqual(['A.md']);
    expect(await tagged(vault, 'discord')).toEqual([]);
  });

  test('tag-11: a time stamp in brackets is no task', async () => {
    const { session } = await vaultFor('tag-11');
    const { text } = (await session.open('N.md')).parsed;
    expect(parseNote(text, { dialect: 'obsidian' }).tasks.map((task) => task.status)).toEqual([
      'x',
      '/',
      '?',
    ]);
  });
});

describe('races', () => {
  test('con-01: a write on a version that is gone is refused', async () => {
    const vault = await vaultFor('con-01');
    const ifMatch = etagOf(Buffer.from('v1\n'));
    writeFileSync(join(vault.folder, 'N.md'), 'v2\n');
    expect(await codeOf(vault.session.write('N.md', { body: 'agent' }, { tool, ifMatch }))).toBe('conflict');
    expect(vault.file('N.md')).toBe('v2\n');
  });

  test('con-02: parallel appends are all kept and no reader sees a torn file', async () => {
    const vault = await vaultFor('con-02');
    let done = false;
    const torn: string[] = [];
    const watcher = (async () => {
      while (!done) {
        const text = vault.file('N.md') ?? '';
        if (!text.startsWith('0\n') || !text.endsWith('\n')) torn.push(text);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const appends = Array.from({ length: 50 }, (_, at) =>
      vault.session.patch('N.md', [{ op: 'append_body', markdown: `i${at}` }], { tool }),
    );
    await Promise.all(appends);
    done = true;
    await watcher;
    expect(torn).toEqual([]);
    expect(
      vault
        .file('N.md')
        ?.split('\n')
        .filter((line) => /^i\d+$/.test(line)),
    ).toHaveLength(50);
  });

  test('con-03: an edit that keeps size and time is seen, and so are deletions and creations', async () => {
    const vault = await vaultFor('con-03');
    const { folder, session } = vault;
    const before = statSync(join(folder, 'B.md'));
    writeFileSync(join(folder, 'B.md'), 'new\n');
    utimesSync(join(folder, 'B.md'), before.atime, before.mtime);
    rmSync(join(folder, 'A.md'));
    writeFileSync(join(folder, 'C.md'), 'third\n');
    await expect
      .poll(async () => (await session.list({}, 'path', { limit: 10 })).items.map((note) => note.path), {
        timeout: 10_000,
      })
      .toEqual(['B.md', 'C.md']);
    await expect
      .poll(
        async () =>
          (await session.search({ query: 'new', mode: 'lexical', filter: {}, limit: 5 })).items.map(
            (hit) => hit.path,
          ),
        { timeout: 10_000 },
      )
      .toEqual(['B.md']);
  });

  test('ren-12: a note that gains a line while a move is under way keeps it, and its link follows', async () => {
    const files = CASES.get('ren-12')?.input.files ?? {};
    let raced = false;
    const vault = await openTestVault(files, {
      wrap: (store) => ({
        ...store,
        // Every replacement by itself.
        batch: undefined,
        async replace(path, bytes, options) {
          if (!raced && path === 'N.md') {
            raced = true;
            writeFileSync(join(store.location, path), `inserted\n${files['N.md']}`);
          }
          return store.replace(path, bytes, options);
        },
      }),
    });
    open.push(vault);
    const result = await vault.session.move('Old.md', 'New.md', { tool });
    expect(vault.file('N.md')).toBe('inserted\ntop\n\n[[New]]\n');
    expect(result.relinked).toEqual([{ path: 'N.md', links: 1 }]);
  });
});

describe('safety', () => {
  test('saf-02: a link to a folder outside is a wall for reading, writing, listing and deleting', async () => {
    const vault = await vaultFor('saf-02');
    const outside = mkdtempSync(join(tmpdir(), 'lectern-outside-'));
    writeFileSync(join(outside, 'secret.md'), 'secret');
    mkdirSync(join(outside, 'sub'));
    symlinkSync(outside, join(vault.folder, 'link'));
    const { session } = vault;
    const refused = await Promise.all([
      codeOf(session.open('link/secret.md')),
      codeOf(session.write('link/new.md', { body: 'y' }, { tool })),
      codeOf(session.write('link/sub/new.md', { body: 'y' }, { tool })),
      codeOf(session.remove('link/secret.md', { tool })),
      codeOf(session.move('link/secret.md', 'mine.md', { tool })),
    ]);
    expect(refused).not.toContain('done');
    expect((await session.list({}, 'path', { limit: 10 })).items.map((note) => note.path)).toEqual(['in.md']);
    expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('secret');
  });

  test('saf-03: paths are literal: percent signs, question marks and hashes are characters', async () => {
    const { session } = await vaultFor('saf-03');
    expect((await session.open('100%.md')).parsed.text).toBe('p');
    expect((await session.open('q?x#y.md')).parsed.text).toBe('h');
    expect(await codeOf(session.open('a%2Fb.md'))).toBe('not_found');
    expect(await codeOf(session.open('..%2F..%2Fetc%2Fpasswd'))).toBe('invalid_path');
  });

  test('saf-07: deleting one note removes one note', async () => {
    const vault = await vaultFor('saf-07', { '.obsidian/app.json': '{"trashOption":"local"}' });
    const { trashPath } = await vault.session.remove('a/b/only.md', { tool });
    expect(trashPath).toBe('.trash/only.md');
    expect(readFileSync(join(vault.folder, '.trash/only.md'), 'utf8')).toBe('x');
    expect(statSync(join(vault.folder, 'a/b')).isDirectory()).toBe(true);
  });
});

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
