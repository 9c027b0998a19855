import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLecternError } from '../../errors.ts';
import type { LexicalTerm, NoteIndexReader } from '../note-index.ts';
import { openIndexReader } from './read/reader.ts';
import { inputs, scratchIndex } from './testing.ts';
import { openIndexWriter } from './write/writer.ts';

const { path, remove } = scratchIndex();
let reader: NoteIndexReader;
beforeAll(() => {
  const writer = openIndexWriter(path);
  writer.apply(
    inputs({
      'A.md': "don't use Downloads/transcripts, ok? — (yes) a*b ^x: {y} NEAR AND or --error-on-warnings\n",
      'B.md': '---\nstatus: draft\nn: 5\nlist: [left, right]\nempty:\nno: []\n---\n文件 🎉 \u0000 nul\n',
      '100%_done/C_1.md': '#tag',
    }),
    [],
  );
  writer.close();
  reader = openIndexReader(path);
});
afterAll(async () => {
  await reader.close();
  remove();
});

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        '"',
        "'",
        '*',
        '(',
        ')',
        '^',
        ':',
        '-',
        '+',
        '{',
        '}',
        'AND',
        'OR',
        'NOT',
        'NEAR',
        'NEAR(',
        'title:',
        ' ',
        '\0',
        'rowid',
        ';',
        '--',
        '\\',
        '%',
        '_',
        '[',
        ']',
        '\ud800',
        '\udc00',
        '\uE000',
        '\uE001',
        '文',
        'é',
        'ー',
        '\u0301',
        '\uFE0F',
        'a',
        '1.2',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);
const term: fc.Arbitrary<LexicalTerm> = fc.record(
  {
    text: nasty,
    phrase: fc.boolean(),
    prefix: fc.boolean(),
    fields: fc.subarray(['title', 'alias', 'path', 'heading', 'tag', 'body'] as const),
  },
  { requiredKeys: ['text', 'phrase', 'prefix'] },
);
const terms = fc.array(term, { maxLength: 4 });

test('no query is a syntax error, whatever its text', async () => {
  await fc.assert(
    fc.asyncProperty(terms, terms, terms, async (required, optional, excluded) => {
      const answer = await reader.lexical({ required, optional, excluded }, { limit: 5 });
      expect(answer.total).toBeGreaterThanOrEqual(answer.items.length);
    }),
    { numRuns: 400 },
  );
});

test('a query of thousands of words is answered', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => ({ text: `w${i}`, phrase: false, prefix: false }));
  expect((await reader.lexical({ required: many, optional: [], excluded: [] }, { limit: 5 })).total).toBe(0);
  expect((await reader.lexical({ required: [], optional: many, excluded: many }, { limit: 5 })).total).toBe(
    0,
  );
  const long = [{ text: 'word '.repeat(50_000), phrase: true, prefix: true }];
  expect((await reader.lexical({ required: long, optional: [], excluded: [] }, { limit: 5 })).total).toBe(0);
});

test('words made of operators find their text', async () => {
  const find = async (text: string, phrase = false) =>
    (
      await reader.lexical(
        { required: [{ text, phrase, prefix: false }], optional: [], excluded: [] },
        { limit: 5 },
      )
    ).items.map((hit) => hit.path);
  for (const text of ['--error-on-warnings', "don't", 'a*b', '^x:', '{y}', 'AND', 'NEAR', '(yes)']) {
    expect(await find(text), text).toEqual(['A.md']);
  }
  for (const text of ['(', ')', '"', '*', ' ', '', '—']) expect(await find(text), text).toEqual([]);
  expect(await find('nul')).toEqual(['B.md']);
});

test('names, filters, cursors and prefixes of any text are answered or refused by name', async () => {
  await fc.assert(
    fc.asyncProperty(nasty, nasty, fc.jsonValue(), async (one, two, value) => {
      const page = { limit: 3 };
      await reader.file(one);
      await reader.note(one);
      await reader.text(one);
      await reader.suggest(one, 3);
      await reader.complete(one, 3);
      await reader.tags({ ...page, prefix: one });
      await reader.tagNotes(one, page);
      await reader.backlinks(one, page);
      await reader.linkSources([one, two]);
      await reader.vocabulary?.(one, 3);
      await reader.list({ frontmatter: { [one]: value }, tags: [two] }, 'title', page);
      const refused = [
        reader.list({ pathGlob: one }, 'path', page),
        reader.list({}, 'path', { limit: 1, cursor: two }),
        reader.lexical(
          { required: [{ text: 'a', phrase: false, prefix: true }], optional: [], excluded: [] },
          { limit: 1, cursor: two },
        ),
      ];
      for (const answer of refused) {
        await answer.catch((error: unknown) => {
          expect(isLecternError(error) && error.code === 'invalid_input').toBe(true);
        });
      }
    }),
    { numRuns: 200 },
  );
});

test('a cursor with another content is refused', async () => {
  const first = await reader.list({}, 'path', { limit: 1 });
  const good = first.nextCursor ?? '';
  expect((await reader.list({}, 'path', { limit: 9, cursor: good })).items.length).toBe(first.total - 1);
  const [owner] = JSON.parse(Buffer.from(good, 'base64url').toString()) as string[];
  for (const content of [
    [owner],
    [owner, 5],
    [owner, 'a', 'b'],
    [owner, null],
    {},
    7,
    [[]],
    ['zz', 'A.md'],
  ]) {
    const cursor = Buffer.from(JSON.stringify(content)).toString('base64url');
    await expect(reader.list({}, 'path', { limit: 1, cursor })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  }
});

test('property filters: text, numbers, lists, empty values, names without case', async () => {
  const find = async (frontmatter: Record<string, unknown>) =>
    (await reader.list({ frontmatter }, 'path', { limit: 5 })).items.map((note) => note.path);
  expect(await find({ STATUS: 'draft' })).toEqual(['B.md']);
  expect(await find({ status: 'dra' })).toEqual([]);
  expect(await find({ n: 5 })).toEqual(['B.md']);
  expect(await find({ n: '5' })).toEqual(['B.md']);
  expect(await find({ list: 'right' })).toEqual(['B.md']);
  expect(await find({ list: ['left', 'right'] })).toEqual(['B.md']);
  expect(await find({ list: ['left', 'z'] })).toEqual([]);
  expect(await find({ empty: null })).toEqual(['B.md']);
  expect(await find({ no: null })).toEqual([]);
  expect(await find({ absent: null })).toEqual([]);
});

test('globs take % and _ as they are', async () => {
  const find = async (pathGlob: string) =>
    (await reader.list({ pathGlob }, 'path', { limit: 5 })).items.map((note) => note.path);
  expect(await find('100%_done/*')).toEqual(['100%_done/C_1.md']);
  expect(await find('100%%done/*')).toEqual([]);
  expect(await find('*/C?1.md')).toEqual(['100%_done/C_1.md']);
  expect(await find('**/*_*.md')).toEqual(['100%_done/C_1.md']);
  expect(await find('*.md')).toEqual(['A.md', 'B.md']);
});
