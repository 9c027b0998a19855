import type { Row } from '../../../sqlite/driver.ts';
import type { HitSource } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';
import type { KnownFile, KnownFiles } from './known-files.ts';

/** The hit source of a file. @param body its row of `body`; undefined for a file without text */
export function hitSource(
  { texts }: ReadConnection,
  { path, title, tags, aliases }: KnownFile,
  body: Row | undefined,
): HitSource {
  return {
    path,
    title,
    tags,
    aliases,
    text: texts.textOf(body) ?? '',
    etag: typeof body?.etag === 'string' ? body.etag : undefined,
  };
}

/** The hit sources of files by exact path; unknown paths are left out. */
export function hitSources(
  connection: ReadConnection,
  known: KnownFiles,
  paths: readonly string[],
): Map<string, HitSource> {
  const files = [...known.byPath(paths).values()];
  const bodies = bodiesOf(
    connection.all(
      'SELECT id, etag, packed, text FROM body WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(files.map(({ id }) => id)),
    ),
  );
  return new Map(files.map((file) => [file.path, hitSource(connection, file, bodies.get(file.id))]));
}

/** Rows by their `id`. */
export function bodiesOf(rows: readonly Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [Number(row.id), row]));
}
