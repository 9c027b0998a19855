import type { Row } from '../../sqlite/driver.ts';
import type { HitSource } from '../note-index.ts';
import type { ReadConnection } from './connection.ts';
import { decode } from './list-query.ts';
import { stringList } from './records.ts';

/** Columns and tables of {@link hitSource}. */
export const SOURCE_COLUMNS = 'f.id, f.path, f.title, n.tags, n.aliases, b.etag, b.text';
export const SOURCE_TABLES = 'file f LEFT JOIN note n ON n.id = f.id LEFT JOIN body b ON b.id = f.id';

export function hitSource(row: Row): HitSource {
  return {
    path: String(row.path),
    title: String(row.title),
    tags: stringList(row.tags),
    aliases: stringList(row.aliases),
    text: row.text instanceof Uint8Array ? decode(row.text) : '',
    etag: typeof row.etag === 'string' ? row.etag : undefined,
  };
}

export function hitSources(connection: ReadConnection, paths: readonly string[]): Map<string, HitSource> {
  const rows = connection.all(
    `SELECT ${SOURCE_COLUMNS} FROM ${SOURCE_TABLES} WHERE f.path IN (SELECT value FROM json_each(?))`,
    JSON.stringify(paths),
  );
  return new Map(rows.map((row) => [String(row.path), hitSource(row)]));
}
