import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { NoteIndexReader } from '../../note-index.ts';
import { inputs, scratchIndex } from '../testing.ts';
import { openIndexWriter, type SqliteIndexWriter } from '../write/writer.ts';
import { openIndexReader } from './reader.ts';

const NOTES = 5000;

let close = async () => {};
afterEach(() => close());

function filled(): { writer: SqliteIndexWriter; reader: NoteIndexReader } {
  const { path, remove } = scratchIndex();
  const writer = openIndexWriter(path);
  const files = Array.from({ length: NOTES }, (_, at) => [
    `n${at}.md`,
    `#t${at % 7} [[n${at + 1}]] two words`,
  ]);
  writer.beginBulk();
  writer.apply(inputs(Object.fromEntries(files)), []);
  writer.endBulk();
  const reader = openIndexReader(path);
  close = async () => {
    await reader.close();
    writer.close();
    remove();
  };
  return { writer, reader };
}

/** A filter that hides the first two notes and counts its calls. */
function filter() {
  const asked = { key: 'all but two', times: 0 };
  return {
    ...asked,
    test(path: string) {
      this.times++;
      return path !== 'n0.md' && path !== 'n1.md';
    },
  };
}

test('what everybody may see is counted, and what one may', async () => {
  const { reader } = filled();
  expect(await reader.counts()).toMatchObject({ notes: NOTES, links: NOTES, unresolved: 1, tags: 7 });
  expect(await reader.counts(filter())).toMatchObject({
    notes: NOTES - 2,
    files: NOTES - 2,
    links: NOTES - 2,
    unresolved: 1,
    tags: 7,
  });
});

test('counting lets others have their turn, and sees one state of the index all the while', async () => {
  const { reader, writer } = filled();
  let isOver = false;
  const counting = reader.counts(filter()).finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns++) {
    if (turns === 2) writer.apply([], ['n2.md', 'n3.md']);
    await nextTurn();
  }
  expect(turns).toBeGreaterThan(6);
  expect(await counting).toMatchObject({ notes: NOTES - 2, links: NOTES - 2 });
  expect(await reader.counts(filter())).toMatchObject({ notes: NOTES - 4, links: NOTES - 4 });
});

test('nothing is counted twice until somebody writes', async () => {
  const { reader, writer } = filled();
  const visible = filter();
  const [once, twice] = await Promise.all([reader.counts(visible), reader.counts(visible)]);
  const { times } = visible;
  expect(times).toBe(NOTES);
  expect(twice).toEqual(once);
  expect(await reader.counts(visible)).toEqual(once);
  expect(visible.times).toBe(times);
  writer.apply([], ['n9.md']);
  expect(await reader.counts(visible)).toMatchObject({ notes: NOTES - 3 });
});
