import { afterEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../sqlite/driver.ts';
import { OwnedRows } from './owned-rows.ts';

let database: Database | undefined;
afterEach(() => database?.close());

function tags() {
  const opened = openDatabase(':memory:');
  database = opened;
  opened.exec(
    'CREATE TABLE tag (key TEXT, exact INTEGER, file INTEGER, PRIMARY KEY (key, file)) WITHOUT ROWID',
  );
  return {
    rows: new OwnedRows(opened, 'tag', ['key', 'exact']),
    of: (file: number) =>
      opened
        .prepare('SELECT key, exact FROM tag WHERE file = ? ORDER BY key')
        .all(file)
        .map(({ key, exact }) => [key ?? null, exact ?? null]),
    changes: () => Number(opened.prepare('SELECT total_changes() AS n').get()?.n),
  };
}

test('rows that are there in any order are not written again', () => {
  const { rows, of, changes } = tags();
  expect(
    rows.replace(
      1,
      [],
      [
        ['a', 1],
        ['b', 0],
      ],
    ),
  ).toBe(true);
  const written = changes();
  expect(
    rows.replace(1, of(1), [
      ['b', 0],
      ['a', 1],
    ]),
  ).toBe(false);
  expect(changes()).toBe(written);
});

test('a row more, less or other makes them new, and those of other files stay', () => {
  const { rows, of } = tags();
  rows.replace(
    1,
    [],
    [
      ['a', 1],
      ['b', 0],
    ],
  );
  rows.replace(2, [], [['a', 1]]);
  for (const next of [
    [['a', 1]],
    [['a', 0]],
    [
      ['a', 0],
      ['c', 1],
    ],
    [],
  ]) {
    expect(rows.replace(1, of(1), next)).toBe(true);
    expect(of(1)).toEqual(next);
  }
  expect(of(2)).toHaveLength(1);
});
