import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFrontmatter } from '../frontmatter/frontmatter.ts';
import { assertCreatable } from '../path.ts';
import {
  joplinBodyStart,
  joplinFacts,
  joplinFileName,
  joplinNoteText,
  joplinTime,
  joplinTimeText,
  withPlainProperty,
} from './joplin.ts';

const source = (frontmatter?: Record<string, unknown>, tags: readonly string[] = []) => ({
  path: 'Work/Plan.md',
  mtimeMs: 2000.5,
  birthtimeMs: 1000.4,
  tags,
  frontmatter,
});

describe('what a note says of itself', () => {
  it('falls back on the file', () => {
    expect(joplinFacts(source())).toEqual({
      title: 'Plan',
      isTodo: false,
      isCompleted: false,
      dueMs: 0,
      createdMs: 1000,
      updatedMs: 2001,
      tags: [],
      sourceUrl: '',
      latitude: 0,
      longitude: 0,
      altitude: 0,
      id: undefined,
    });
  });

  it.each<[Record<string, unknown>, object]>([
    [{ title: ' A ' }, { title: 'A' }],
    [{ title: 2019 }, { title: '2019' }],
    [{ title: '' }, { title: 'Plan' }],
    [{ title: true }, { title: 'Plan' }],
    [{ title: ['x'] }, { title: 'Plan' }],
    [{ Title: 'Big' }, { title: 'Big' }],
    [{ 'completed?': 'no' }, { isTodo: true, isCompleted: false }],
    [{ 'completed?': 'yes' }, { isTodo: true, isCompleted: true }],
    [{ 'completed?': true }, { isTodo: true, isCompleted: true }],
    [{ 'completed?': false }, { isTodo: true, isCompleted: false }],
    [{ 'completed?': null }, { isTodo: true, isCompleted: false }],
    [{ due: '2024-01-01 00:00:00Z' }, { dueMs: 0 }],
    [{ 'completed?': 'no', due: '2024-01-01 00:00:00Z' }, { dueMs: Date.UTC(2024, 0, 1) }],
    [{ date: '2024-01-01 00:00:00Z' }, { createdMs: Date.UTC(2024, 0, 1), updatedMs: Date.UTC(2024, 0, 1) }],
    [{ lastmod: '2024-01-02T00:00:00Z', date: '2024-01-01' }, { updatedMs: Date.UTC(2024, 0, 2) }],
    [{ updated: 'yesterday' }, { updatedMs: 2001 }],
    [
      { latitude: '38.7', longitude: -9.1, altitude: 'high' },
      { latitude: 38.7, longitude: -9.1, altitude: 0 },
    ],
    [{ source: 'https://x.org' }, { sourceUrl: 'https://x.org' }],
    [{ id: 'abcdef0123456789abcdef0123456789' }, { id: 'abcdef0123456789abcdef0123456789' }],
    [{ id: 'ABC' }, { id: undefined }],
    [{ tags: ['b', 'B', 2020, null, ' a ', '#x'] }, { tags: ['b', '2020', 'a', 'x'] }],
    [{ tags: 'one, two' }, { tags: ['one', 'two'] }],
    [{ keywords: ['k'] }, { tags: ['k'] }],
  ])('%j', (frontmatter, facts) => {
    expect(joplinFacts(source(frontmatter))).toMatchObject(facts);
  });

  it('tags of the text come behind those listed', () => {
    expect(joplinFacts(source({ tags: ['two words'] }, ['inline', 'Two Words'])).tags).toEqual([
      'two words',
      'inline',
    ]);
  });
});

it('a number is spelled as the file is', () => {
  expect(joplinFacts({ ...source({ title: 1.1 }), path: '1.10.md' }).title).toBe('1.10');
  expect(joplinFacts(source({ title: 1.1 })).title).toBe('1.1');
});

describe('times', () => {
  it.each<[unknown, number | undefined]>([
    ['2021-01-02 03:04:05Z', Date.UTC(2021, 0, 2, 3, 4, 5)],
    ['2021-01-02T03:04:05.678Z', Date.UTC(2021, 0, 2, 3, 4, 5, 678)],
    ['2021-01-02T03:04:05+02:00', Date.UTC(2021, 0, 2, 1, 4, 5)],
    ['2021-01-02 03:04', new Date(2021, 0, 2, 3, 4).getTime()],
    ['2021-01-02', new Date(2021, 0, 2).getTime()],
    ['2021-13-02', undefined],
    ['2021', undefined],
    ['', undefined],
    [null, undefined],
    [{}, undefined],
  ])('%j', (text, ms) => {
    expect(joplinTime(text)).toBe(ms);
  });

  it('are read as they are written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        expect(joplinTime(joplinTimeText(seconds * 1000))).toBe(seconds * 1000);
      }),
    );
  });
});

describe('new notes', () => {
  const titles = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.stringMatching(/^[-?:,[\]{}#&*!|>'"%@` a~0-9.]+$/),
    fc.constantFrom(
      'yes',
      'null',
      '~',
      '2024',
      '- x',
      'a: b',
      'a #b',
      "it's",
      '---',
      'x:',
      ' x ',
      '\n',
      '🦀',
      '1.10',
      '007',
      '1e5',
      '~',
      'true',
      '.5',
      '0x1F',
    ),
  );

  it('have the title and the body that were given', () => {
    fc.assert(
      fc.property(titles, fc.string(), fc.boolean(), (title, body, isTodo) => {
        fc.pre(title.trim() !== '' && !/\p{Cs}/u.test(title));
        const text = joplinNoteText({ title, body, isTodo, nowMs: 0 });
        const frontmatter = parseFrontmatter(text, 'obsidian');
        const start = joplinBodyStart(text, frontmatter?.span.end ?? 0, frontmatter !== undefined);
        expect(text.slice(start)).toBe(body);
        const facts = joplinFacts({ ...source(frontmatter?.data), path: 'other.md' });
        expect(facts.title).toBe(title.trim());
        expect([facts.isTodo, facts.isCompleted, facts.createdMs]).toEqual([isTodo, false, 0]);
      }),
    );
  });

  it('have a name that a file can have', () => {
    fc.assert(
      fc.property(titles, (title) => {
        const name = joplinFileName(title);
        assertCreatable(`Work/${name}.md`);
        expect(name).not.toMatch(/[/\\]/);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
      }),
    );
  });
});

describe('a property on a plain line', () => {
  it.each<[string, string | undefined]>([
    ['---\ncompleted?: no\nx: y\n---\n\nbody', '---\ncompleted?: yes\nx: y\n---\n\nbody'],
    ['---\nx: y\n---\n\nbody', '---\nx: y\ncompleted?: yes\n---\n\nbody'],
    ['---\n---\nbody', '---\ncompleted?: yes\n---\nbody'],
    ['body', '---\ncompleted?: yes\n---\n\nbody'],
    ['\ufeffbody', '\ufeff---\ncompleted?: yes\n---\n\nbody'],
    ['', '---\ncompleted?: yes\n---\n\n'],
    ['---\r\nx: y # c\r\n---\r\n', '---\r\nx: y # c\r\ncompleted?: yes\r\n---\r\n'],
    ['---\ncompleted?:\n---\n', '---\ncompleted?: yes\n---\n'],
    ['---\ncompleted?: "no" # c\n---\n', '---\ncompleted?: yes # c\n---\n'],
    ['---\ncompleted?: |\n  no\n---\n', undefined],
    ['---\nx: [\n---\n', undefined],
  ])('%j', (text, right) => {
    expect(withPlainProperty(text, 'completed?', 'yes')).toBe(right);
  });
});
