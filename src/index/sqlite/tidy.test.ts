import { afterEach, expect, test } from 'vitest';
import { openDatabase } from '../../sqlite/driver.ts';
import { fileInput, scratchIndex } from './testing.ts';
import { openIndexWriter } from './write/writer.ts';

const cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function scratch(): string {
  const { path, remove } = scratchIndex();
  cleanups.push(remove);
  return path;
}

/** Pieces of the full-text index. */
function pieces(path: string): number {
  const database = openDatabase(path);
  const row = database.prepare('SELECT count(DISTINCT segid) AS n FROM fts_idx').get();
  database.close();
  return Number(row?.n);
}

function built(path: string, batches: number): void {
  const writer = openIndexWriter(path);
  writer.beginBulk();
  for (let batch = 0; batch < batches; batch++)
    writer.apply([fileInput(`${batch}.md`, `word number${batch}\n`)], []);
  writer.endBulk();
  writer.close();
}

test('what a first build wrote in pieces is merged when nothing else is to do, by the next process if need be', () => {
  const path = scratch();
  built(path, 3);
  expect(pieces(path)).toBe(3);
  const writer = openIndexWriter(path);
  for (let steps = 0; writer.tidy(); steps++) expect(steps).toBeLessThan(20);
  writer.close();
  expect(pieces(path)).toBe(1);
});

test('a few pieces that updates left are not worth merging', () => {
  const path = scratch();
  const writer = openIndexWriter(path);
  for (const name of ['A', 'B', 'C']) writer.apply([fileInput(`${name}.md`, 'word\n')], []);
  while (writer.tidy());
  writer.close();
  expect(pieces(path)).toBe(3);
});
