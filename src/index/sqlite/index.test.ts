import { afterEach, describe, expect, test } from 'vitest';
import type { Dialect } from '../../notes/model.ts';
import type { NoteIndexReader, PathFilter } from '../note-index.ts';
import { openIndexReader } from './read/reader.ts';
import { fileInput, inputs, scratchIndex, words } from './testing.ts';
import { openIndexWriter, type SqliteIndexWriter } from './write/writer.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Opened {
  readonly writer: SqliteIndexWriter;
  readonly reader: NoteIndexReader;
  readonly path: string;
}

function open(files: Readonly<Record<string, string>>, dialect: Dialect = 'obsidian'): Opened {
  const { path, remove } = scratchIndex();
  const writer = openIndexWriter(path, { dialect });
  writer.apply(inputs(files, dialect), []);
  const reader = openIndexReader(path);
  cleanups.push(
    remove,
    () => writer.close(),
    () => reader.close(),
  );
  return { writer, reader, path };
}

const page = { limit: 100 };
const hits = async (reader: NoteIndexReader, ...texts: Parameters<typeof words>): Promise<string[]> =>
  (await reader.lexical(words(...texts), page)).items.map((hit) => hit.path);
const targets = async (reader: NoteIndexReader, path: string): Promise<(string | undefined)[]> =>
  (await reader.forward(path, page)).items.map((link) => link.target);

describe('lexical search', () => {
  test('words with inner punctuation are found whole and in parts', async () => {
    const { reader } = open({
      'A.md': 'ticket POL-358 and agentic-os, see snake_case_name and Downloads/transcripts\n',
      'B.md': '358 polar\n',
    });
    expect(await hits(reader, 'POL-358')).toEqual(['A.md']);
    expect(await hits(reader, 'pol')).toEqual(['A.md']);
    expect((await hits(reader, '358')).sort()).toEqual(['A.md', 'B.md']);
    expect(await hits(reader, 'agentic-os', 'dashboard')).toEqual([]);
    expect(await hits(reader, 'agentic-os')).toEqual(['A.md']);
    expect(await hits(reader, 'case')).toEqual(['A.md']);
    expect(await hits(reader, 'Downloads/transcripts')).toEqual(['A.md']);
    expect(await hits(reader, { text: 'agentic-o', phrase: false, prefix: true })).toEqual(['A.md']);
  });

  test('versions and dates rank the exact spelling first', async () => {
    const { reader } = open({ 'A.md': 'release 2026.4.10 of v1.0.21\n', 'B.md': '2026 4 10 separate\n' });
    expect((await hits(reader, '2026.4.10'))[0]).toBe('A.md');
    expect(await hits(reader, { text: '1.0.21', phrase: true, prefix: false })).toEqual(['A.md']);
    expect(await hits(reader, 'v1.0.21')).toEqual(['A.md']);
  });

  test('apostrophes and quotes of both kinds', async () => {
    const { reader } = open({ 'A.md': "don't use l'homme\n", 'B.md': 'don’t\n', 'C.md': 'dont\n' });
    expect((await hits(reader, 'dont')).sort()).toEqual(['A.md', 'B.md', 'C.md']);
    expect((await hits(reader, "don't")).sort()).toEqual(['A.md', 'B.md', 'C.md']);
    expect(await hits(reader, 'homme')).toEqual(['A.md']);
  });

  test('scripts without spaces match any substring from one character up', async () => {
    const { reader } = open({
      'A.md': '本系統的知識管理很好\n',
      'B.md': '日本語テスト ﾊﾝｶｸ\n',
      'C.md': '한국어메모\n',
      'D.md': 'ภาษาไทย\n',
      'E.md': '文件目录\n',
      'F.md': '目录 only\n',
      'G.md': 'हिन्दी में\n',
    });
    expect(await hits(reader, '系統')).toEqual(['A.md']);
    expect(await hits(reader, 'テスト')).toEqual(['B.md']);
    expect(await hits(reader, 'ハンカク')).toEqual(['B.md']);
    expect(await hits(reader, '識')).toEqual(['A.md']);
    expect(await hits(reader, '메모')).toEqual(['C.md']);
    expect(await hits(reader, 'ไทย')).toEqual(['D.md']);
    expect(await hits(reader, '目录', '文件')).toEqual(['E.md']);
    expect(await hits(reader, 'हिन्दी')).toEqual(['G.md']);
    expect(await hits(reader, { text: '知', phrase: false, prefix: true })).toEqual(['A.md']);
  });

  test('accents, decomposed letters, strokes and unwritten marks fold both ways', async () => {
    const { reader } = open({
      'A.md': 'Café Łódź Straße\n',
      'B.md': 'cafe lodz strasse\n',
      'C.md': 'cafe\u0301 כִּתָב\n',
      'D.md': 'done ✅ ⚙\uFE0F 🎉party\n',
    });
    for (const word of ['cafe', 'Café', 'cafe\u0301']) {
      expect((await hits(reader, word)).sort()).toEqual(['A.md', 'B.md', 'C.md']);
    }
    for (const word of ['łódź', 'lodz', 'strasse', 'STRAẞE']) {
      expect((await hits(reader, word)).sort()).toEqual(['A.md', 'B.md']);
    }
    expect(await hits(reader, 'כתב')).toEqual(['C.md']);
    for (const word of ['✅', '⚙', '🎉', 'party']) expect(await hits(reader, word)).toEqual(['D.md']);
  });

  test('a note of 3 MB is indexed to its last word', async () => {
    const { reader } = open({ 'Big.md': `${'x lorem ipsum '.repeat(220_000)}needleword\n` });
    expect(await hits(reader, 'needleword')).toEqual(['Big.md']);
  });

  test('fields, phrases, optional and excluded terms', async () => {
    const { reader } = open({
      'Alpha.md': '---\naliases: [First One]\ntags: [proj/sub]\n---\n# Heading words\nbody text here\n',
      'Beta.md': 'alpha text in the body, here text\n',
    });
    const field = (text: string, ...fields: ('title' | 'alias' | 'heading' | 'tag' | 'body')[]) => ({
      text,
      phrase: false,
      prefix: false,
      fields,
    });
    expect(await hits(reader, field('first', 'alias'))).toEqual(['Alpha.md']);
    expect(await hits(reader, field('sub', 'tag'))).toEqual(['Alpha.md']);
    expect(await hits(reader, field('heading', 'heading'))).toEqual(['Alpha.md']);
    expect(await hits(reader, field('alpha', 'body'))).toEqual(['Beta.md']);
    expect(await hits(reader, { text: 'here text', phrase: true, prefix: false })).toEqual(['Beta.md']);
    const term = (text: string) => ({ text, phrase: false, prefix: false });
    const ranked = await reader.lexical(
      { required: [term('text')], optional: [term('alpha'), term('nowhere')], excluded: [] },
      page,
    );
    expect(ranked.total).toBe(2);
    const less = await reader.lexical(
      { required: [term('text')], optional: [], excluded: [term('alpha')] },
      page,
    );
    expect(less.items.map((hit) => hit.path)).toEqual([]);
    const rest = await reader.lexical({ required: [], optional: [], excluded: [term('first')] }, page);
    expect(rest.items.map((hit) => hit.path)).toEqual(['Beta.md']);
  });

  test('filters and visibility act before limit and total', async () => {
    const { reader } = open({
      'Work/A.md': '---\nstatus: draft\n---\nword #x\n',
      'Work/B.md': 'word #x/y\n',
      'Home/C.md': 'word #xy\n',
    });
    const search = async (filter: object, visible?: PathFilter) =>
      reader.lexical({ ...words('word'), filter }, { limit: 1, ...(visible && { visible }) });
    expect((await search({})).total).toBe(3);
    expect((await search({ tags: ['X'] })).total).toBe(2);
    expect((await search({ pathGlob: 'Work/**' })).total).toBe(2);
    expect((await search({ frontmatter: { Status: 'draft' } })).total).toBe(1);
    const visible = { key: 'home', test: (path: string) => path.startsWith('Home/') };
    expect(await search({}, visible)).toMatchObject({ total: 1, items: [{ path: 'Home/C.md' }] });
  });

  test('an empty list asks for an empty list, not for nothing', async () => {
    const { reader } = open({
      'None.md': 'word\n',
      'Empty.md': '---\nauthors: []\n---\nword\n',
      'Full.md': '---\nauthors: [Ann, Bob]\n---\nword\n',
    });
    const search = async (frontmatter: object) =>
      (await reader.lexical({ ...words('word'), filter: { frontmatter } as object }, { limit: 9 })).items.map(
        (hit) => hit.path,
      );
    expect(await search({ authors: [] })).toEqual(['Empty.md']);
    expect(await search({ authors: ['Bob'] })).toEqual(['Full.md']);
    expect(await search({ Authors: ['Bob', 'Ann'] })).toEqual(['Full.md']);
    expect(await search({ missing: [] })).toEqual([]);
  });

  test('pages neither repeat nor skip, and a cursor of another query is refused', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 25 }, (_, i) => [`n${i}.md`, `word ${'filler '.repeat(i % 4)}\n`]),
    );
    const { reader } = open(files);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const answer = await reader.lexical(words('word'), { limit: 4, ...(cursor && { cursor }) });
      expect(answer.total).toBe(25);
      seen.push(...answer.items.map((hit) => hit.path));
      cursor = answer.nextCursor ?? undefined;
    } while (cursor);
    expect(new Set(seen).size).toBe(25);
    expect(seen).toHaveLength(25);
    const first = await reader.lexical(words('word'), { limit: 4 });
    await expect(
      reader.lexical(words('filler'), { limit: 4, cursor: first.nextCursor ?? '' }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('links', () => {
  test('dots in names are no extensions; only .md may be left out', async () => {
    const { reader } = open({
      'B.H. Liddell Hart.md': 'x',
      'v1.2 notes.md': 'z',
      'Projects.md': 'a',
      'Projects.base': 'views: []\n',
      'Odd.md.md': 'b',
      'N.md':
        '[[B.H. Liddell Hart]] [[v1.2 notes]] ![[v1.2 notes.md]] [[Projects]] [[Projects.base]] [[Odd.md]]\n',
    });
    expect(await targets(reader, 'N.md')).toEqual([
      'B.H. Liddell Hart.md',
      'v1.2 notes.md',
      'v1.2 notes.md',
      'Projects.md',
      'Projects.base',
      'Odd.md.md',
    ]);
    expect((await reader.unresolved(page)).total).toBe(0);
  });

  test('backlinks by every spelling', async () => {
    const { reader } = open({
      'notes/a.md': '[[#Own heading]]',
      'b.md': '[[notes/a.md|first]]\n',
      'c.md': '[[notes/a|second]]\n',
      'd.md': '[t](notes/a) [u](./notes/a.md) [v](<notes/a.md>)\n',
    });
    const answer = await reader.backlinks('notes/a.md', page);
    expect(answer.items.map((link) => link.source)).toEqual(['b.md', 'c.md', 'd.md', 'd.md', 'd.md']);
    expect(answer.total).toBe(5);
    expect(answer.items[0]).toMatchObject({ context: '[[notes/a.md|first]]', line: 1, display: 'first' });
  });

  test('links follow files that appear, disappear and outrank each other', async () => {
    const { writer, reader } = open({ 'x/N.md': '[[foo]]\n' });
    expect(await targets(reader, 'x/N.md')).toEqual([undefined]);
    expect((await reader.unresolved(page)).items).toEqual([
      { written: 'foo', count: 1, sources: [{ path: 'x/N.md', line: 1 }] },
    ]);
    expect((await reader.orphans(page)).items.map((note) => note.path)).toEqual(['x/N.md']);
    writer.apply([fileInput('y/foo.md', '')], []);
    expect(await targets(reader, 'x/N.md')).toEqual(['y/foo.md']);
    writer.apply([fileInput('x/foo.md', '')], []);
    expect((await reader.forward('x/N.md', page)).items[0]).toMatchObject({
      target: 'x/foo.md',
      ambiguous: true,
    });
    expect((await reader.orphans(page)).items.map((note) => note.path)).toEqual(['y/foo.md']);
    writer.apply([fileInput('foo.md', '')], ['x/foo.md']);
    expect(await targets(reader, 'x/N.md')).toEqual(['foo.md']);
    writer.apply([], ['foo.md', 'y/foo.md']);
    expect(await targets(reader, 'x/N.md')).toEqual([undefined]);
  });

  test('Logseq: pages by title and alias, blocks by id, tags only when the page exists', async () => {
    const { writer, reader } = open(
      {
        'pages/real___name.md': 'title:: Shown Name\nalias:: Other, Third\n\n- text\n',
        'pages/b.md': '- a block\n  id:: 64a5b1c2-0000-4000-8000-000000000001\n',
        'pages/n.md': '- [[shown name]] [[other]] ((64a5b1c2-0000-4000-8000-000000000001)) #Third #nothing\n',
      },
      'logseq',
    );
    expect(await targets(reader, 'pages/n.md')).toEqual([
      'pages/real___name.md',
      'pages/real___name.md',
      'pages/b.md',
      'pages/real___name.md',
    ]);
    expect((await reader.unresolved(page)).total).toBe(0);
    writer.apply([fileInput('pages/nothing.md', '- now there\n', { dialect: 'logseq' })], ['pages/b.md']);
    expect(await targets(reader, 'pages/n.md')).toEqual([
      'pages/real___name.md',
      'pages/real___name.md',
      undefined,
      'pages/real___name.md',
      'pages/nothing.md',
    ]);
  });

  test('a hidden target reads as missing everywhere', async () => {
    const { reader } = open({
      'open/A.md': '[[Secret]] [[B]]\n',
      'open/B.md': '',
      'hidden/Secret.md': '[[B]]\n',
    });
    const visible = { key: 'open', test: (path: string) => path.startsWith('open/') };
    const seen = { limit: 10, visible };
    expect((await reader.forward('open/A.md', seen)).items.map((link) => link.target)).toEqual([
      undefined,
      'open/B.md',
    ]);
    expect((await reader.unresolved(seen)).items.map((one) => one.written)).toEqual(['Secret']);
    expect((await reader.backlinks('open/B.md', seen)).total).toBe(1);
    expect(await reader.counts(visible)).toMatchObject({ notes: 2, files: 2, links: 2, unresolved: 1 });
    expect((await reader.backlinks('open/B.md', page)).total).toBe(2);
  });
});

describe('tags', () => {
  test('exact or nested from the root, without case', async () => {
    const { reader } = open({
      'A.md': '#in\n',
      'B.md': '#linux\n',
      'C.md': '#IN/box\n',
      'D.md': '#inbox\n',
      'E.md': '#Obsidian/Discord/Offtopic\n',
    });
    const paths = async (tag: string) => (await reader.tagNotes(tag, page)).items.map((note) => note.path);
    expect(await paths('in')).toEqual(['A.md', 'C.md']);
    expect(await paths('obsidian/discord')).toEqual(['E.md']);
    expect(await paths('discord')).toEqual([]);
    const all = await reader.tags(page);
    expect(all.items).toContainEqual({ tag: 'in', notes: 1, notesNested: 2 });
    expect(all.items.map((tag) => tag.tag)).not.toContain('Obsidian');
    expect((await reader.tags({ ...page, prefix: 'IN' })).items.map((tag) => tag.tag)).toEqual([
      'in',
      'IN/box',
      'inbox',
    ]);
  });
});
