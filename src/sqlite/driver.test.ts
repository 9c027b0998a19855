import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLecternError } from '../errors.ts';
import { type Database, openDatabase, prepareTuples, type SqlValue, transaction } from './driver.ts';

test('a file that is no database gives a typed error and is left alone', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'lectern-')), 'x.db');
  writeFileSync(path, 'not a database, but long enough to be read as a header '.repeat(20));
  let caught: unknown;
  try {
    openDatabase(path);
  } catch (error) {
    caught = error;
  }
  expect(isLecternError(caught) && caught.code).toBe('unavailable');
});

test('a failed transaction leaves nothing behind', () => {
  const database = openDatabase(':memory:');
  database.exec('CREATE TABLE t (a INTEGER)');
  expect(() =>
    transaction(database, () => {
      database.prepare('INSERT INTO t VALUES (1)').run();
      throw new Error('half way');
    }),
  ).toThrow('half way');
  expect(database.prepare('SELECT count(*) AS n FROM t').get()?.n).toBe(0);
});

test('full text search is compiled in, with contentless deletes', () => {
  const database = openDatabase(':memory:');
  database.exec("CREATE VIRTUAL TABLE f USING fts5(body, content='', contentless_delete=1)");
  database.prepare('INSERT INTO f(rowid, body) VALUES (?, ?)').run(7, 'hello world');
  expect(database.prepare('SELECT rowid FROM f WHERE f MATCH ?').get('hello')?.rowid).toBe(7);
  database.prepare('DELETE FROM f WHERE rowid = ?').run(7);
  expect(database.prepare('SELECT rowid FROM f WHERE f MATCH ?').get('hello')).toBeUndefined();
});

test('tuples have the columns in order, as objects have them by name', () => {
  const database = openDatabase(':memory:');
  database.exec("CREATE TABLE t (b INTEGER, a TEXT); INSERT INTO t VALUES (1, 'one'), (2, NULL)");
  expect(prepareTuples(database, 'SELECT a, b, b + ? AS c FROM t ORDER BY b').all(10)).toEqual([
    ['one', 1, 11],
    [null, 2, 12],
  ]);
});

test('tuples come from a runtime that knows objects only', () => {
  const statement = { all: (more: SqlValue) => [{ second: 2, first: more }] };
  const database = { prepare: () => statement } as unknown as Database;
  expect(prepareTuples(database, 'SELECT').all(7)).toEqual([[2, 7]]);
});
