import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { type FileLookup, resolveLink } from '../../notes/links/resolve.ts';
import type { Dialect } from '../../notes/model.ts';
import { nameKey } from '../../notes/path.ts';
import { type Database, openDatabase } from '../../sqlite/driver.ts';
import { fileInput, scratchIndex } from './testing.ts';
import { preparedInput } from './write/rows.ts';
import { openIndexWriter } from './write/writer.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

const NAMES = ['foo', 'Foo', 'foo.md', 'bar', 'index', 'a___b', 'café', 'cafe\u0301', 'v1.2'];
const FOLDERS = ['', 'x/', 'x/y/', 'X/', 'pages/', 'journals/'];
const path = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES), fc.constantFrom('.md', '.md', '.md', '.png'))
  .map((parts) => parts.join(''));
const UUID = '64a5b1c2-0000-4000-8000-00000000000';
const fragment = fc.oneof(
  fc
    .constantFrom(...NAMES, 'x/foo', './foo', '../foo', '/foo', 'Shown', 'Other', 'missing')
    .map((to) => `[[${to}]]`),
  fc.constantFrom('foo.md', './bar.md', '../index.md', 'x/y/foo.md', 'foo.png').map((to) => `[t](${to})`),
  fc.constantFrom('#one', '#One/two', '#one/two/three', '#Foo', '#other', '#ONE'),
  fc.integer({ min: 0, max: 3 }).map((n) => `((${UUID}${n}))`),
  fc.constantFrom(
    'plain words',
    '文件 目录',
    'POL-358',
    '[[#Heading]]',
    '# Heading\n',
    '[[^Meta]]',
    '[[@12]]',
  ),
);
const head = fc.constantFrom(
  '',
  '---\ntags: [one, two]\nstatus: draft\nlist: [1, "1", true, null]\n---\n',
  '---\naliases: [Shown, Other]\ndeep: {a: {b: 1}}\n---\n',
  // Values that are equal once stored, and values that JSON cannot represent.
  '---\nodd: ["a\\0x", "a\\0y", "half\\uD800", .nan, -.inf, -0.0, 2020-01-01]\ntags: [Deep/In, deep, "a\\0b"]\n---\n',
  '---\nodd: ["a\\0y", ""]\ntags: [deep/in]\n---\n',
  'title:: Shown\nalias:: Other, foo\n\n',
  `- block\n  id:: ${UUID}1\n\n`,
  `- block\n  id:: ${UUID}2\n\n`,
);
const text = fc
  .tuple(head, fc.array(fragment, { maxLength: 5 }))
  .map(([top, parts]) => `${top}${parts.join(' ')}\n`);
const batch = fc.record({
  upserts: fc.array(fc.tuple(path, text), { maxLength: 6 }),
  removals: fc.array(path, { maxLength: 4 }),
});

/** All data of the index that answers depend on, with ids replaced by paths. */
function dump(database: Database): Record<string, unknown[]> {
  database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'fts', 'instance')");
  const all = (sql: string): unknown[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row));
  return {
    files:
      all(`SELECT f.path, f.path_key, f.name_key, f.kind, f.title, f.title_key, f.size, f.mtime, f.etag, f.version, f.orphan,
      n.words, n.tags, n.aliases, n.frontmatter, b.etag, hex(b.text) FROM file f LEFT JOIN note n ON n.id = f.id
      LEFT JOIN body b ON b.id = f.id ORDER BY f.path`),
    links:
      all(`SELECT s.path AS s, l.written, l.subpath, l.display, l.syntax, l.line, l.start, l.context, l.key, t.path AS t, l.ambiguous,
      (SELECT group_concat(key) FROM (SELECT key FROM link_extra_key WHERE link = l.id ORDER BY key)) AS more
      FROM link l JOIN file s ON s.id = l.source LEFT JOIN file t ON t.id = l.target ORDER BY s.path, l.id`),
    tags: all('SELECT * FROM tag ORDER BY key'),
    fileTags: all(
      'SELECT t.key, f.path, t.exact, t.name FROM file_tag t LEFT JOIN file f ON f.id = t.file ORDER BY t.key, f.path',
    ),
    names: all('SELECT n.key, f.path FROM name n JOIN file f ON f.id = n.file ORDER BY n.key, f.path'),
    properties: all(`SELECT p.key, p.type, p.value, f.path FROM property p LEFT JOIN file f ON f.id = p.file
      ORDER BY p.key, p.value, p.type, f.path`),
    words: all(
      'SELECT w.term, f.path, w.col, w.offset FROM words w LEFT JOIN file f ON f.id = w.doc ORDER BY 2, 3, 4',
    ),
    schema: all('SELECT name, sql FROM sqlite_schema ORDER BY name'),
    stray: all('SELECT id FROM body WHERE id NOT IN (SELECT id FROM file)'),
  };
}

/** The target of each link when it is resolved among all files. */
function naiveTargets(database: Database, dialect: Dialect): (string | null)[] {
  const paths = database
    .prepare('SELECT path FROM file')
    .all()
    .map((row) => String(row.path));
  const aliases = new Map<string, string[]>();
  const blocks = new Map<string, string[]>();
  for (const row of database
    .prepare('SELECT key, path FROM name JOIN file ON id = file ORDER BY path')
    .all()) {
    const kind = String(row.key).startsWith('p:')
      ? aliases
      : String(row.key).startsWith('b:')
        ? blocks
        : undefined;
    const key = String(row.key).slice(2);
    kind?.set(key, [...(kind.get(key) ?? []), String(row.path)]);
  }
  const lookup: FileLookup = {
    byName: (key) => paths.filter((candidate) => nameKey(candidate) === key),
    byPageName: (key) => aliases.get(key) ?? [],
  };
  const links = database
    .prepare(
      'SELECT s.path, l.written, l.syntax FROM link l JOIN file s ON s.id = l.source ORDER BY s.path, l.id',
    )
    .all();
  return links.map((link) => {
    const written = String(link.written);
    if (link.syntax === 'block-ref') return blocks.get(written.toLowerCase())?.[0] ?? null;
    return resolveLink(String(link.path), written, link.syntax as 'wiki', lookup, dialect).path ?? null;
  });
}

function scratch(): string {
  const { path: file, remove } = scratchIndex();
  cleanups.push(remove);
  return file;
}

test.each<Dialect>(['obsidian', 'silverbullet', 'logseq'])(
  'after any changes the index equals one built afresh, and every link leads where a full resolution says (%s)',
  (dialect) => {
    fc.assert(
      fc.property(fc.array(batch, { minLength: 1, maxLength: 6 }), fc.boolean(), (batches, bulk) => {
        const vault = new Map<string, string>();
        const kept = scratch();
        const writer = openIndexWriter(kept, { dialect });
        for (const { upserts, removals } of batches) {
          writer.apply(
            upserts.map(([at, content]) => fileInput(at, content, { dialect })),
            removals,
          );
          for (const at of removals) vault.delete(at);
          for (const [at, content] of upserts) vault.set(at, content);
        }
        writer.close();

        const fresh = scratch();
        const builder = openIndexWriter(fresh, { dialect });
        if (bulk) builder.beginBulk();
        for (const [at, content] of [...vault].sort()) {
          const input = fileInput(at, content, { dialect });
          // In a first build another thread prepares the files.
          builder.apply([bulk ? structuredClone(preparedInput(input, dialect)) : input], []);
        }
        if (bulk) builder.endBulk();
        builder.close();

        const left = openDatabase(kept);
        const right = openDatabase(fresh);
        try {
          expect(dump(left)).toEqual(dump(right));
          const stored = left
            .prepare(
              `SELECT t.path FROM link l JOIN file s ON s.id = l.source LEFT JOIN file t ON t.id = l.target
               ORDER BY s.path, l.id`,
            )
            .all();
          expect(stored.map((row) => row.path)).toEqual(naiveTargets(left, dialect));
          expect(left.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
          left.exec("INSERT INTO fts (fts) VALUES ('integrity-check')");
        } finally {
          left.close();
          right.close();
        }
      }),
      { numRuns: Number(process.env.LECTERN_FUZZ_RUNS ?? 15) },
    );
  },
);
