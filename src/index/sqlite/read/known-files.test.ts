import { afterEach, expect, test } from 'vitest';
import type { NoteIndexReader } from '../../note-index.ts';
import { fileInput, scratchIndex, words } from '../testing.ts';
import { openIndexWriter, type SqliteIndexWriter } from '../write/writer.ts';
import { openIndexReader } from './reader.ts';

let close = async () => {};
afterEach(() => close());

function opened(): { writer: SqliteIndexWriter; reader: NoteIndexReader } {
  const { path, remove } = scratchIndex();
  const writer = openIndexWriter(path);
  writer.apply([fileInput('a.md', '---\naliases: [First]\n---\n#one apple', { mtimeMs: 1000 })], []);
  const reader = openIndexReader(path);
  close = async () => {
    await reader.close();
    writer.close();
    remove();
  };
  return { writer, reader };
}

test('a hit and its source are of the index as it is now, whatever was asked before', async () => {
  const { writer, reader } = opened();
  const ask = async () => (await reader.lexical(words('apple'), { limit: 5 })).items;
  const source = async () => (await reader.hitSources(['a.md'])).get('a.md');
  expect(await ask()).toMatchObject([{ title: 'a', aliases: ['First'], mtimeMs: 1000 }]);
  expect(await source()).toMatchObject({ title: 'a', tags: ['one'], aliases: ['First'] });

  writer.apply([fileInput('a.md', '---\ntitle: Fruit\n---\n#two apple', { mtimeMs: 2000 })], []);
  expect(await ask()).toMatchObject([{ title: 'Fruit', aliases: [], mtimeMs: 2000 }]);
  expect(await source()).toMatchObject({ title: 'Fruit', tags: ['two'], aliases: [] });

  writer.apply([], ['a.md']);
  expect(await ask()).toEqual([]);
  expect(await source()).toBeUndefined();
});

test('a file without text is described by its names alone', async () => {
  const { writer, reader } = opened();
  writer.apply([fileInput('picture.png', '')], []);
  expect((await reader.hitSources(['picture.png', 'nowhere.md'])).get('picture.png')).toEqual({
    path: 'picture.png',
    title: 'picture',
    tags: [],
    aliases: [],
    text: '',
    etag: undefined,
  });
});

test('what was loaded ahead is dropped when somebody writes, and is loaded again', async () => {
  const { writer, reader } = opened();
  const others = Array.from({ length: 600 }, (_, at) => fileInput(`other ${at}.md`, 'pear'));
  writer.apply(others, []);
  const steps = async () => {
    let count = 1;
    while (await reader.loadAhead()) count += 1;
    return count;
  };
  expect(await steps()).toBe(3);
  expect(await steps()).toBe(1);
  writer.apply([fileInput('a.md', '---\ntitle: Fruit\n---\napple', { mtimeMs: 2000 })], ['other 7.md']);
  expect(await steps()).toBe(3);
  const ask = async (word: string) => (await reader.lexical(words(word), { limit: 1000 })).items;
  expect(await ask('apple')).toMatchObject([{ title: 'Fruit', mtimeMs: 2000 }]);
  expect(await ask('pear')).toHaveLength(599);
});
